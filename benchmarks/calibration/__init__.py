"""Whether the gate keeps its promise: many simulated runs through the product's own code, with and without a change.

`python -m benchmarks.calibration` prints false alarms and power beside the figures of the simulation that the defaults
were chosen by, and fails where a promise is broken.
"""
