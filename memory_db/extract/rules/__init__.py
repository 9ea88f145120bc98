"""Candidates without a model: sentences, cues, pairs of an error and its fix."""
