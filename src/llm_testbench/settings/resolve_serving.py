"""What `serve` is told, from its options."""

from __future__ import annotations

from llm_testbench.errors import InputError
from llm_testbench.local.serving.options import ServingOptions
from llm_testbench.settings import options, serving
from llm_testbench.settings.values import Values

_OF_EXAMPLES = (options.SUITES, options.CATEGORY, options.SUBCATEGORY, options.TESTS, options.TAGS)


def serving_options(values: Values) -> ServingOptions:
    """InputError for options that contradict each other."""
    replay = values.optional_path(serving.REPLAY)
    examples = values.get(serving.EXAMPLES)
    right = values.get(serving.RIGHT)
    if replay is not None and examples:
        place = values.sources[serving.EXAMPLES.name].place
        raise InputError("either --replay or --examples: one request has one answer", place)
    if not values.is_default(serving.RIGHT) and not examples:
        place = values.sources[serving.RIGHT.name].place
        raise InputError("says how many of the examples are right: give --examples", place)
    if values.command == serving.COMMAND and not examples:
        _check_nothing_selected(values)
    return ServingOptions(
        replay=replay,
        examples=examples,
        right=right,
        faults=values.get(serving.FAULT),
        latency=values.get(serving.LATENCY) or 0.0,
        max_in_flight=values.get(serving.MAX_IN_FLIGHT),
        port=values.get(serving.PORT),
        seed=values.get(options.SEED) or 0,
    )


def _check_nothing_selected(values: Values) -> None:
    """A flag that selects tests is a forgotten --examples: without it the model or the recording would answer."""
    for option in _OF_EXAMPLES:
        values.get(option)
        source = values.sources[option.name]
        # Of the file and the environment they are meant for other commands, too.
        if source.kind == "flag":
            raise InputError("selects the tests of --examples: give both, or neither", source.place)
