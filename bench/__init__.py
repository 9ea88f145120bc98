"""Measurements that anyone can run again: `make bench`, or `python -m bench NAME`. Each prints ratios as JSON."""
