"""A memory with all that is known of it, and what a person does about it."""
