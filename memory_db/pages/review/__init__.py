"""What waits for a person, and deciding on it."""
