"""Request → completion: wire format, streams, deadlines, retries."""
