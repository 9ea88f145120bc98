"""What waits for a person: the queue, decisions one by one or in batches, and undoing them."""
