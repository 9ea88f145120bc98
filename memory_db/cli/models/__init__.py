"""Commands on what models cost: sums, prices, an estimate."""
