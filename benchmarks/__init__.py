"""The budgets of the design, measured as ratios in one run: `python -m benchmarks`."""
