"""The entry point of ``python -m experiments``."""

from .command import main

if __name__ == "__main__":
    main()
