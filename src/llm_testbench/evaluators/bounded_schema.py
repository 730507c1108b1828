"""JSON Schema validation that neither a schema nor an answer can hang or make fetch anything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import referencing
import referencing.exceptions
import referencing.jsonschema
from jsonschema.exceptions import ValidationError, best_match
from jsonschema.validators import Draft202012Validator, validator_for

from llm_testbench.evaluators.bounded_keywords import USUAL, Budget, TooMuchWorkError, bounded, start
from llm_testbench.evaluators.bounded_regex import compile_bounded
from llm_testbench.evaluators.json_size import more_values_than
from llm_testbench.evaluators.quote import quote
from llm_testbench.evaluators.score import SpecError
from llm_testbench.json_value import JSON, JSONObject

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

MAX_VALUES_UNEVALUATED = 5_000
"""Values in an answer when a schema uses `unevaluated…`, for which jsonschema compares lists pairwise."""

_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_SAMPLES: tuple[JSON, ...] = (None, 0, "", [], {})
# A schema that takes more for an empty value repeats itself without end, or as good as.
_SAMPLE = Budget(10_000)


@dataclass(frozen=True, slots=True)
class BoundedValidator:
    """A sound schema, ready to be applied to hostile values."""

    validator: Validator
    unevaluated: bool

    def first_error(self, value: JSON, budget: Budget = USUAL) -> ValidationError | None:
        """The first error, or None when the value is valid; TooMuchWorkError when that takes too much."""
        if self.unevaluated and more_values_than(MAX_VALUES_UNEVALUATED, value):
            raise TooMuchWorkError(f"it has more than {MAX_VALUES_UNEVALUATED} values")
        start(budget)
        try:
            return next(iter(self.validator.iter_errors(value)), None)
        except RecursionError:
            raise TooMuchWorkError("references go round in circles or values nest too deeply") from None
        except TimeoutError:
            raise TooMuchWorkError(f"its patterns took longer than {budget.seconds:g} s") from None
        except OverflowError:
            raise TooMuchWorkError("a number is too large") from None


def bounded_validator(schema: JSONObject) -> BoundedValidator:
    """For draft 2020-12 unless `$schema` names another; SpecError when the schema is not sound."""
    draft = _draft_of(schema)
    _check_form(schema, draft)
    keywords = {key for _, mapping in _mappings(schema) for key in mapping}
    if "unevaluatedProperties" in keywords and "patternProperties" in keywords:
        raise SpecError("unevaluatedProperties together with patternProperties is not supported")
    _check_references(schema, draft)
    _check_patterns(schema)
    # An empty registry has no way to fetch what the schema does not hold.
    validator = bounded(draft)(dict(schema), registry=referencing.Registry())
    made = BoundedValidator(validator, not keywords.isdisjoint({"unevaluatedItems", "unevaluatedProperties"}))
    for sample in _SAMPLES:
        try:
            made.first_error(sample, _SAMPLE)
        except TooMuchWorkError as error:
            raise SpecError(f"the schema cannot be applied: {error}") from None
    return made


def _draft_of(schema: JSONObject) -> type[Validator]:
    if "$schema" not in schema:
        return Draft202012Validator
    unknown = type("Unknown", (), {})
    found: Any = validator_for(dict(schema), default=unknown) if isinstance(schema["$schema"], str) else unknown
    if found is unknown:
        raise SpecError("expected a JSON Schema draft, like https://json-schema.org/draft/2020-12/schema", ("$schema",))
    draft: type[Validator] = found
    return draft


def _check_form(schema: JSONObject, draft: type[Validator]) -> None:
    """SpecError unless valid against the draft's own schema; formats are left out, since `re` judges patterns there."""
    try:
        error = best_match(draft(draft.META_SCHEMA).iter_errors(schema))
    except RecursionError:
        raise SpecError("the schema nests too deeply") from None
    if error is not None:
        raise SpecError(f"not a JSON Schema: {quote(error.message, 160)[1:-1]}", tuple(error.absolute_path))


def _check_references(schema: JSONObject, draft: type[Validator]) -> None:
    """SpecError for a reference that leads out of the schema, or nowhere."""
    identity = draft.META_SCHEMA.get("$id", draft.META_SCHEMA.get("id"))
    specification = referencing.jsonschema.specification_with(str(identity))
    root = specification.create_resource(dict(schema))
    resolver = referencing.Registry().with_resource("", root).resolver()
    for path, mapping in _mappings(schema):
        if path and isinstance(mapping.get("$id"), str):
            raise SpecError("$id below the top is not supported; refer with #/…", (*path, "$id"))
        for key in _REFERENCES:
            target = mapping.get(key)
            if not isinstance(target, str):
                continue
            if not target.startswith("#"):
                raise SpecError(f"only references inside the schema (#/…) work, found {quote(target)}", (*path, key))
            try:
                resolver.lookup(target)
            except referencing.exceptions.Unresolvable:
                raise SpecError(f"the reference {quote(target)} leads nowhere", (*path, key)) from None


def _check_patterns(schema: JSONObject) -> None:
    for path, mapping in _mappings(schema):
        pattern, patterns = mapping.get("pattern"), mapping.get("patternProperties")
        if isinstance(pattern, str):
            compile_bounded(pattern, path=(*path, "pattern"))
        for name in patterns if isinstance(patterns, Mapping) else ():
            compile_bounded(name, path=(*path, "patternProperties", name))


def _mappings(schema: JSON) -> Iterator[tuple[tuple[str | int, ...], JSONObject]]:
    waiting: list[tuple[tuple[str | int, ...], JSON]] = [((), schema)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, Mapping):
            yield path, value
            waiting.extend(((*path, key), item) for key, item in value.items())
        elif isinstance(value, Sequence) and not isinstance(value, str):
            waiting.extend(((*path, index), item) for index, item in enumerate(value))
