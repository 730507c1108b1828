"""A small document tree and its sinks."""
