"""`python -m memory_db` is the `memory-db` command."""

from memory_db.cli import main

if __name__ == "__main__":
    main()
