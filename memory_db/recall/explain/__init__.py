"""Recalls afterwards: why, why not, what else stood there, what happened since."""
