"""One entry of `tests:` becomes one test, or one a case."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from llm_testbench.evaluators import registry
from llm_testbench.evaluators.score import Evaluator, SpecError
from llm_testbench.suite.cases import Case, Filling, read_cases
from llm_testbench.suite.examples import read_examples
from llm_testbench.suite.fields import Spot, flag, integer, items, line, mapping, name
from llm_testbench.suite.ground_truth import read_ground_truth
from llm_testbench.suite.limits import IS_KEBAB, IS_LABEL, MAX_MODELS, MAX_REV, MAX_TAGS, MAX_TOKENS
from llm_testbench.suite.loading import Loading
from llm_testbench.suite.messages import read_messages
from llm_testbench.suite.model import Test
from llm_testbench.suite.request import read_parameters, read_tools
from llm_testbench.suite.rules import MISSING_KEY, rule_of_check
from llm_testbench.untrusted import Untrusted

REQUEST_KEYS = ("system", "tools", "request", "max_tokens")
DEFAULT_KEYS = (*REQUEST_KEYS, "tags", "rev", "must_pass", "quarantine", "evaluate")
TEST_KEYS = (
    *("id", "description", "tags", "models", "prompt", "messages", *REQUEST_KEYS),
    *("rev", "must_pass", "quarantine", "evaluate", "ground_truth", "examples", "cases"),
)
NEVER_FILLED = ("id", "tags", "cases")


@dataclass(frozen=True)
class Heading:
    """What a suite says for all its tests."""

    category: str
    subcategory: str
    models: tuple[str, ...] | None
    defaults: Mapping[str, Spot]


def read_tests(spot: Spot, heading: Heading, loading: Loading) -> list[Test]:
    """The tests that one entry stands for; an entry with faults yields fewer or none."""
    faults = loading.faults
    own = mapping(spot, faults, TEST_KEYS, ("id",))
    if not own:
        return []
    fields = {**heading.defaults, **own}
    if "prompt" not in own and "messages" not in own:
        faults.add(spot, "expected prompt or messages", MISSING_KEY)
    if "evaluate" not in fields:
        faults.add(spot, "the key 'evaluate' is missing: it says how an answer is scored", MISSING_KEY)
    test_id = read_id(own["id"], loading) if "id" in own else ""
    cases = read_cases(own["cases"], loading) if "cases" in own else [None]
    found = []
    for case in cases:
        faults.case = case.name if case is not None else None
        test = _Reader(spot, fields, case, loading).test(test_id, heading)
        if test is not None:
            found.append(test)
    faults.case = None
    return found


def check_unused_default(key: str, spot: Spot, loading: Loading) -> None:
    """Faults in a default that every test replaces: what nobody reads would else stay wrong until somebody does."""
    if "${" in json.dumps(spot.value):
        return  # says something only inside a test with cases
    fields = {key: spot}
    match key:
        case "system":
            read_messages({**fields, "prompt": Spot("x", spot.document, spot.path)}, spot, loading, None)
        case "tools":
            read_tools(spot, loading, None)
        case "request":
            read_parameters(spot, loading)
        case _:
            reader = _Reader(spot, fields, None, loading)
            reader.check(key)


def read_id(spot: Spot, loading: Loading) -> str:
    """A kebab-case name."""
    return name(spot, loading.faults, IS_KEBAB, "a kebab-case name (a-z, 0-9, single hyphens)")


def read_tags(spot: Spot | None, loading: Loading) -> tuple[str, ...]:
    """The tags written at `spot`."""
    if spot is None:
        return ()
    expected = "a tag of letters, digits and single . _ - between them"
    return tuple(name(item, loading.faults, IS_LABEL, expected) for item in items(spot, loading.faults, MAX_TAGS))


def read_models(spot: Spot | None, loading: Loading) -> tuple[str, ...] | None:
    """Names of models; None, every model, where nothing is written."""
    if spot is None:
        return None
    models = [line(item, loading.faults) for item in items(spot, loading.faults, MAX_MODELS, minimum=1)]
    if len(set(models)) < len(models):
        loading.faults.add(spot, "a model stands here twice")
    return tuple(models)


class _Reader:
    """Reads one test for one case, or for none."""

    def __init__(self, spot: Spot, fields: Mapping[str, Spot], case: Case | None, loading: Loading) -> None:
        self._spot = spot
        self._case = case
        self._loading = loading
        self._before = len(loading.faults)
        self._filling = Filling(case, loading) if case is not None else None
        self._fields = {key: self._filled(key, value) for key, value in fields.items()}

    def _filled(self, key: str, spot: Spot) -> Spot:
        return spot if self._filling is None or key in NEVER_FILLED else self._filling.fill(spot)

    def test(self, test_id: str, heading: Heading) -> Test | None:
        """The test, or None when reading it found a fault."""
        fields, loading, case = self._fields, self._loading, self._case
        tags = (*read_tags(heading.defaults.get("tags"), loading), *read_tags(fields.get("tags"), loading))
        models = read_models(fields.get("models"), loading)
        description = line(fields["description"], loading.faults) if "description" in fields else ""
        messages = read_messages(fields, heading.defaults.get("system"), loading, self._filling)
        tools = read_tools(fields.get("tools"), loading, self._filling)
        parameters = read_parameters(fields.get("request"), loading)
        max_tokens = self._integer("max_tokens", MAX_TOKENS)
        rev = self._integer("rev", MAX_REV)
        must_pass, quarantine = self._flag("must_pass"), self._flag("quarantine")
        ground_truth = read_ground_truth(fields.get("ground_truth"), loading)
        examples = read_examples(fields.get("examples"), loading)
        evaluator = self._evaluator()
        if evaluator is None or len(loading.faults) > self._before:
            return None
        # A line of cases.jsonl is no line of the suite file, which the artifact names beside it.
        in_suite = case is not None and case.place.source == loading.file.shown
        return Test(
            id=test_id if case is None else f"{test_id}[{case.name}]",
            category=heading.category,
            subcategory=heading.subcategory,
            description=description,
            tags=tuple(dict.fromkeys(tags)),
            models=heading.models if models is None else models,
            messages=messages,
            tools=tools,
            parameters=parameters,
            max_tokens=max_tokens,
            rev=1 if rev is None else rev,
            must_pass=must_pass,
            quarantine=quarantine,
            check=fields["evaluate"].value,
            evaluator=evaluator,
            check_hash=registry.hash_of(evaluator),
            check_place=fields["evaluate"].place,
            ground_truth=ground_truth,
            examples=examples,
            suite_file=loading.file.shown,
            place=case.place if case is not None and in_suite else self._spot.place,
        )

    def check(self, key: str) -> None:
        """Notes the faults of one plain key."""
        match key:
            case "max_tokens":
                self._integer(key, MAX_TOKENS)
            case "rev":
                self._integer(key, MAX_REV)
            case "must_pass" | "quarantine":
                self._flag(key)
            case "evaluate":
                self._evaluator()

    def _integer(self, key: str, maximum: int) -> int | None:
        spot = self._fields.get(key)
        return None if spot is None else integer(spot, self._loading.faults, 1, maximum)

    def _flag(self, key: str) -> bool:
        spot = self._fields.get(key)
        return spot is not None and flag(spot, self._loading.faults)

    def _evaluator(self) -> Evaluator | None:
        spot = self._fields.get("evaluate")
        if spot is None:
            return None
        try:
            return registry.build(spot.value)
        except SpecError as error:
            message = Untrusted(error.message).terminal(400)
            where = Spot(None, spot.document, (*spot.path, *error.path))
            self._loading.faults.add(where, message, rule_of_check(error.message))
            return None
