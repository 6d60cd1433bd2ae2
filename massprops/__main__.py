"""`python -m massprops`."""

import sys

from massprops.cli import main

sys.exit(main())
