"""Commands that measure and fit the weights of recall."""
