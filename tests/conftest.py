"""What all tests share."""

from hypothesis import settings

# a law is no stopwatch: on a busy machine any example may take half a second
settings.register_profile("massprops", deadline=None)
settings.load_profile("massprops")
