"""Settings for the tests of every room."""

import os

from hypothesis import settings

# Deadlines measure the machine, not the package. In CI the examples are the same in
# every run, so that a failure there is one that the change made; on a contributor's
# machine they are new ones each time.
settings.register_profile("local", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")
