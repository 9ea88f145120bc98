"""What makes memories and entries findable beside full text: vectors, signatures, neighbours, conditions."""
