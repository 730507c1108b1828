"""The run on disk: model, read, write, validate, journal, statistics."""
