"""The program, as `python -m massprops`."""

import _signal as signal  # type: ignore[import-not-found]  # `signal` adds enumerations, which take longer to make than all else here
import sys

if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # what `massprops.cli` does, before it is loaded

from massprops.cli import main

sys.exit(main())
