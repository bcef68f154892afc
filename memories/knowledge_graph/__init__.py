"""Who shows to know what: entities, edges and the rules behind them."""
