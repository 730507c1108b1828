"""Runs a list of jobs: scheduling, limits, progress, interrupt."""
