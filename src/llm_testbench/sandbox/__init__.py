"""Running code that nobody trusts: one call, layers of confinement, and the proof that they hold."""
