"""Commands on memories: read, judge, change, connect, review and remove them."""
