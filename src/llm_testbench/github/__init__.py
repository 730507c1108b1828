"""GitHub: the event that started the run, its API, baselines from it, and what is published there."""
