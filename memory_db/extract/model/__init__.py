"""Candidates from a model: sessions cut into chunks, prompts, calls, answers that can be used."""
