"""Keeping the file well: the pipeline, the worker, doctor, check, scan, export, retention."""
