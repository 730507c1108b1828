"""One module a command; gate.py is the story."""
