"""Commands that fill the file: import, extract, gate, index, by themselves or by a worker."""
