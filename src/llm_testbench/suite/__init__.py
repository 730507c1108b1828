"""Tests as data: loading, expansion of cases, selection."""
