"""`python -m azlearn` is `azlearn`."""

import sys

from azlearn.cli import main

sys.exit(main())
