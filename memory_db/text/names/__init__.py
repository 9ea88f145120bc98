"""What a text names: files, commands, hosts and other entities, words to the letter, uids of memories."""
