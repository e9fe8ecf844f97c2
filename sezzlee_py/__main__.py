"""`python -m sezzlee_py` is the command line."""

from sezzlee_py.cli import main

if __name__ == "__main__":
    main()
