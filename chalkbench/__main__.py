"""`python -m chalkbench`."""

from chalkbench.cli import main

if __name__ == "__main__":
    main()
