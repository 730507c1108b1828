"""What a model said: messages, tool calls, completions, and the normal form that evaluators see."""
