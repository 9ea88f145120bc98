"""How good recall is: query sets, judgements, metrics, runs, and weights fitted to them."""
