"""Requests and answers: the only modules that know Datasette; caches, guard, tokens, serving."""
