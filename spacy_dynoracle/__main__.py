"""``python -m spacy_dynoracle``: the command line."""

from .cli import main

if __name__ == "__main__":
    main()
