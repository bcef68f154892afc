"""The graph of who knows what: entities, edges and the rules that find them."""
