"""The entry point of ``python -m spacy_dynoracle.experiments``."""

from .command import main

if __name__ == "__main__":
    main()
