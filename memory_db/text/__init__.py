"""Reading text without a model: terms, sentences, statements, relations, entities, word vectors."""
