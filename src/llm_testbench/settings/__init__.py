"""Where each value comes from and who wins."""
