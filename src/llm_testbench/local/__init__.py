"""The embedded gateway: a real small model in a child process."""
