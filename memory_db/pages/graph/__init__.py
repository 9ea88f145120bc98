"""The graph of memories and entities: the whole of it, and what stands around one of them."""
