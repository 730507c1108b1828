"""jsonschema's word on an artifact: for `llmtest validate`, for files from outside, and for what is written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any

from llm_testbench import schemas
from llm_testbench.artifact.fault import ArtifactError, show_path
from llm_testbench.artifact.model import Row
from llm_testbench.artifact.rows import row_to_json
from llm_testbench.json_value import JSON

if TYPE_CHECKING:
    # jsonschema takes as long to import as all the rest, and a run first needs it while it waits for answers.
    from jsonschema import ValidationError
    from jsonschema.protocols import Validator

MAX_FAULTS = 50


@dataclass(frozen=True, slots=True)
class Fault:
    """One place where a document breaks the schema; `path` as in `results[3].score`, empty for the whole."""

    path: str
    message: str


def validate_document(value: JSON) -> tuple[Fault, ...]:
    """The first MAX_FAULTS faults against schemas/artifact.schema.json; none: valid."""
    faults = (
        Fault(show_path(tuple(error.absolute_path)), _message(error))
        for error in _validator("document").iter_errors(value)
    )
    # jsonschema yields one error per missing key; the message names them all at once.
    return tuple(dict.fromkeys(islice(faults, MAX_FAULTS)))


class RowChecks:
    """Validates rows as they come, so that the end of a run does not wait for thousands (0.2 ms each).

    Remembers each row by identity: `build` passes rows on as they are unless it has to change one.
    """

    def __init__(self) -> None:
        # The row itself is the value: while it lives, no other can get its id.
        self._rows: dict[int, Row] = {}

    def prepare(self) -> None:
        """Does now, while there is time, what the first check would have to do."""
        _validator("row")

    def check(self, row: Row, row_json: JSON = None) -> None:
        """Validates the row, or `row_json` where it was made already; ArtifactError when it breaks the schema."""
        check_row(row_to_json(row) if row_json is None else row_json)
        self._rows[id(row)] = row

    def holds(self, row: Row) -> bool:
        """This very row was found valid."""
        return id(row) in self._rows


def check_row(row_json: JSON) -> None:
    """ArtifactError when a row as JSON breaks the schema."""
    _raise_first(_validator("row").iter_errors(row_json))


def check_frame(document: JSON) -> None:
    """ArtifactError when a document, its rows left out, breaks the schema."""
    _raise_first(_validator("document").iter_errors(document))


def _raise_first(errors: Iterable[ValidationError]) -> None:
    for error in errors:
        raise ArtifactError(_message(error), path=tuple(error.absolute_path))


_SILENT = frozenset({"title", "description", "default"})
# What each keyword has nothing to say about: its verdict on such a value is known without looking.
_BOUNDS = {
    "minimum": (int, float),
    "maximum": (int, float),
    "minLength": (str,),
    "maxLength": (str,),
    "pattern": (str,),
    "maxItems": (list,),
}
_PLAIN = frozenset({"type", "enum", "const", "required", *_BOUNDS})


def _properties(
    validator: Validator, properties: Mapping[str, Any], instance: Any, schema: Mapping[str, Any]
) -> Iterator[ValidationError]:
    """jsonschema's `properties` at a tenth of its time.

    For each member jsonschema builds a validator of its own, which a subschema of plain keywords does
    not need: its keyword functions judge the member directly, and only a fault goes the long way.
    """
    if not isinstance(instance, dict):
        return
    faults = {
        name: member
        for name, member in properties.items()
        if name in instance and not _plainly_valid(validator, member, instance[name])
    }
    if faults:
        from jsonschema import Draft202012Validator  # noqa: PLC0415

        yield from Draft202012Validator.VALIDATORS["properties"](validator, faults, instance, schema)


def _plainly_valid(validator: Validator, schema: Mapping[str, Any], value: Any) -> bool:
    """Valid for certain; False: invalid, or a keyword that takes more than this."""
    key = (id(schema), type(value))
    decided = _DECIDED_BY_TYPE.get(key)
    if decided:
        return True
    for keyword, wanted in schema.items():
        if keyword in _PLAIN:
            for _ in validator.VALIDATORS[keyword](validator, wanted, value, schema) or ():
                return False
        elif keyword == "properties" and isinstance(value, dict):
            if not all(_plainly_valid(validator, wanted[name], value[name]) for name in wanted if name in value):
                return False
        elif keyword == "items" and isinstance(value, list):
            if not all(_plainly_valid(validator, wanted, item) for item in value):
                return False
        elif keyword not in _SILENT:
            return False
    if decided is None:
        _DECIDED_BY_TYPE[key] = _by_type_alone(schema, value)
    return True


# The schemas live as long as the process, in the cache of _validator, so an id stands for one of them.
_DECIDED_BY_TYPE: dict[tuple[int, type], bool] = {}


def _by_type_alone(schema: Mapping[str, Any], value: Any) -> bool:
    """Every value of this Python type is valid if this one is."""
    if isinstance(value, float) and "integer" in schema.get("type", ()):
        return False  # 1.0 is an integer, 1.5 is none
    return all(
        keyword == "type" or keyword in _SILENT or (keyword in _BOUNDS and not isinstance(value, _BOUNDS[keyword]))
        for keyword in schema
    )


@cache
def _validator(part: str) -> Validator:
    from jsonschema import Draft202012Validator  # noqa: PLC0415
    from jsonschema.validators import extend  # noqa: PLC0415

    schema: dict[str, Any] = schemas.load("artifact")
    quick: type[Validator] = extend(Draft202012Validator, {"properties": _properties})  # type: ignore[no-untyped-call]  # the stubs give it no types
    return quick(schema["$defs"]["row"] if part == "row" else schema)


def _message(error: ValidationError) -> str:
    """What was expected, without the value found: jsonschema's own message quotes it whole."""
    wanted: Any = error.validator_value
    match error.validator:
        case "type":
            kinds = [wanted] if isinstance(wanted, str) else list(wanted)
            return f"expected {' or '.join(kinds)}"
        case "required":
            missing: Any = error.instance
            return " and ".join(key for key in wanted if key not in missing) + " missing"
        case "enum":
            return f"expected one of {', '.join('null' if word is None else str(word) for word in wanted)}"
        case "const":
            return f"expected {wanted}"
        case "minimum":
            return f"expected at least {wanted}"
        case "maximum":
            return f"expected at most {wanted}"
        case "minLength":
            return "expected a string that is not empty"
        case "maxLength":
            return f"expected at most {wanted} characters"
        case "maxItems":
            return f"expected at most {wanted} items"
        case "pattern":
            return "expected a relative path or builtin:NAME"
        case _:
            return f"breaks the schema's {error.validator}"
