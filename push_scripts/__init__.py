"""Publishing layouts, metrics and results to the Hub. Nothing stands here yet."""
