"""A gateway without a model: answers from a recorded run or from examples, with any of the known oddities."""
