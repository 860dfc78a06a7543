"""Publishing layouts, metrics and results to the Hub: so far, the folders of metrics."""
