"""Two artifacts → a comparison with a verdict. Pure."""
