"""The run on disk: model, read, write, validate, rescore, statistics."""
