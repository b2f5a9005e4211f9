"""``python -m driftline.cli``."""

from driftline.cli.main import main

raise SystemExit(main())
