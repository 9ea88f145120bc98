"""Models and what they cost: embedding models, calls, tokens, prices, budgets, savings."""
