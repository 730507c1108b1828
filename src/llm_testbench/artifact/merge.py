"""Artifacts of a run that several machines shared, as the one that a single machine would have written. Pure."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from llm_testbench.artifact.build import catalog_hash, in_order, marked
from llm_testbench.artifact.confined import confined_together
from llm_testbench.artifact.fields import MAX_SECONDS
from llm_testbench.artifact.model import Artifact, Git, Meta, Row, TestEntry, Throttled
from llm_testbench.artifact.stats import stats
from llm_testbench.errors import InputError, Place
from llm_testbench.json_value import JSON
from llm_testbench.suite.shard import Shard
from llm_testbench.untrusted import shortened

_QUOTED = 80  # characters of a value in a message
_NAMED = 5  # shards in a message

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Given:
    """An artifact, and how the user calls it."""

    name: str
    artifact: Artifact

    @property
    def meta(self) -> Meta:
        """The artifact's."""
        return self.artifact.meta


def merge(given: Sequence[Given]) -> Artifact:
    """What one run would have written: of all shards of a run, of runs of different models, or of both at once.

    Equal to it but for times: it started with the first part and finished with the last. What the parts tell in
    different ways though they may (`ref`, `run_url`, the host) is left out. At least one artifact.

    InputError, which names a file, a key and both values, for anything that no one run could have written: a shard
    that is missing or there twice, a model or test in two files, other settings, other requests.
    """
    for one in given:
        _check_usable(one)
    return _of_models([_of_shards(group) for group in _by_models(given)])


def _check_usable(one: Given) -> None:
    if one.artifact.foreign:
        raise _refused(one, "was written by another tool: what it asked, and how, is not known")
    tests = {test.test_id for test in one.artifact.tests}
    for row in one.artifact.results:
        if row.model not in one.meta.models:
            raise _refused(one, f"holds results of the model {_word(row.model)}, which its meta.models lacks")
        if row.test_id not in tests:
            raise _refused(one, f"holds results of the test {_word(row.test_id)}, which its tests lack")


def _by_models(given: Sequence[Given]) -> list[list[Given]]:
    """The artifacts of each set of models, in the order given; InputError when two sets have a model in common."""
    groups: dict[frozenset[str], list[Given]] = {}
    for one in given:
        groups.setdefault(frozenset(one.meta.models), []).append(one)
    seen: dict[str, Given] = {}
    for names, group in groups.items():
        for name in sorted(names):
            if name in seen:
                other = seen[name]
                raise _refused(
                    group[0],
                    f"holds the model {_word(name)}, as {other.name} does, and not the same models:"
                    " shards of one run ask the same models",
                )
        seen |= dict.fromkeys(names, group[0])
    return list(groups.values())


def _of_shards(group: Sequence[Given]) -> Given:
    """The whole run of a group that asked the same models."""
    first, *others = group
    if not others and first.meta.shard is None:
        return first
    _check_all_there(group)
    for one in others:
        _check_equal(one, first, _settings_of_shard)
    tests: dict[str, TestEntry] = {}
    place: dict[str, Given] = {}
    for one in group:
        for test in one.artifact.tests:
            if test.test_id in place:
                raise _refused(one, f"holds the test {_word(test.test_id)}, as {place[test.test_id].name} does")
            tests[test.test_id] = test
        place |= dict.fromkeys((test.test_id for test in one.artifact.tests), one)
    whole = _joined(group, tests.values(), marked(row for one in group for row in one.artifact.results))
    if whole.meta.catalog_hash != first.meta.catalog_hash:
        raise _refused(
            first,
            f"its catalog_hash, of all tests that were divided, is {_word(first.meta.catalog_hash)}, and that of the"
            f" tests of all shards {_word(whole.meta.catalog_hash)}: they do not hold what was divided",
        )
    return Given(first.name, whole)


def _check_all_there(group: Sequence[Given]) -> None:
    """Every shard of one run, each once."""
    for whole in [one for one in group if one.meta.shard is None][-1:]:
        other = next(one for one in group if one is not whole)
        raise _refused(
            whole,
            f"holds a whole run of the model {_some_model(whole)}, which {other.name} holds, too:"
            " only shards of one run, or runs of different models, can be joined",
        )
    at: dict[int, Given] = {}
    first, first_shard = group[0], _shard(group[0])
    for one in group:
        shard = _shard(one)
        if shard.of != first_shard.of:
            raise _refused(one, f"is shard {shard}, and {first.name} is shard {first_shard}: not of one run")
        if shard.number in at:
            raise _refused(one, f"is shard {shard}, as {at[shard.number].name} is")
        at[shard.number] = one
    if len(at) < first_shard.of:
        missing = [number for number in range(1, first_shard.of + 1) if number not in at]
        named = ", ".join(f"{number}/{first_shard.of}" for number in missing[:_NAMED])
        more = f" and {len(missing) - _NAMED} more" if len(missing) > _NAMED else ""
        absent = f"shard {named} is" if len(missing) == 1 else f"shards {named}{more} are"
        raise _refused(first, f"is shard {first_shard} of a run of which {absent} not given")


def _of_models(runs: Sequence[Given]) -> Artifact:
    """Whole runs of different models as one run of them all."""
    first, *others = runs
    if not others:
        return first.artifact
    for one in others:
        _check_equal(one, first, _settings_of_run)
        _check_same_tests(one, first)
    return _joined(runs, first.artifact.tests, in_order(row for one in runs for row in one.artifact.results))


def _check_same_tests(one: Given, first: Given) -> None:
    mine = {test.test_id: test for test in one.artifact.tests}
    theirs = {test.test_id: test for test in first.artifact.tests}
    for test_id in sorted(mine.keys() ^ theirs.keys()):
        has, lacks = (one, first) if test_id in mine else (first, one)
        raise _refused(has, f"holds the test {_word(test_id)}, which {lacks.name} lacks")
    for test_id, test in mine.items():
        other = _told(theirs[test_id])
        for key, value in _told(test).items():
            if value != other[key]:
                raise _unequal(one, first, f"{key} of the test {_word(test_id)}", value, other[key])
        for key, known in (("request_hash", test.request_hash), ("check_hash", test.check_hash)):
            if not known:
                raise _refused(one, f"does not tell the {key} of the test {_word(test_id)}: it may be another test")


def _told(test: TestEntry) -> dict[str, JSON]:
    """What two runs of one test say alike, by the key in the file."""
    return {
        "request_hash": test.request_hash,
        "check_hash": test.check_hash,
        "rev": test.rev,
        "category": test.category,
        "subcategory": test.subcategory,
        "must_pass": test.must_pass,
        "quarantine": test.quarantine,
    }


def _settings_of_run(meta: Meta) -> dict[str, JSON]:
    """What one run has one value of, by the key in the file."""
    return {
        "meta.version": meta.version,
        "meta.role": meta.role,
        "meta.repeat": meta.repeat,
        "meta.seed": meta.seed,
        "meta.temperature": meta.temperature,
        "meta.max_tokens_default": meta.max_tokens_default,
    }


def _settings_of_shard(meta: Meta) -> dict[str, JSON]:
    """The same of runs that asked the same models at the same commit."""
    return {
        **_settings_of_run(meta),
        "meta.endpoint": meta.endpoint,
        **{f"meta.models.{name}": meta.models[name] for name in meta.models},
        **{f"meta.asked.{name}": meta.asked.get(name) for name in meta.models},
        "meta.git.repository": meta.git.repository,
        "meta.git.sha": meta.git.sha,
        "meta.catalog_hash": meta.catalog_hash,
    }


def _check_equal(one: Given, first: Given, settings: Callable[[Meta], Mapping[str, JSON]]) -> None:
    theirs = settings(first.meta)
    for key, value in settings(one.meta).items():
        if value != theirs[key]:
            raise _unequal(one, first, key, value, theirs[key])


def _joined(parts: Sequence[Given], tests: Iterable[TestEntry], results: tuple[Row, ...]) -> Artifact:
    """The artifact of all parts, which agree on what a run has one value of."""
    entries = tuple(sorted(tests, key=lambda test: test.test_id))
    metas = [part.meta for part in parts]
    first = metas[0]
    models = {name: model_id for meta in metas for name, model_id in meta.models.items()}
    meta = Meta(
        version=first.version,
        started_at=_moment(min, [meta.started_at for meta in metas]),
        finished_at=_moment(max, [meta.finished_at for meta in metas]),
        endpoint=first.endpoint,
        models=models,
        repeat=first.repeat,
        test_count=len(entries),
        catalog_hash=catalog_hash(entries),
        seed=first.seed,
        temperature=first.temperature,
        max_tokens_default=first.max_tokens_default,
        fingerprints=_united(meta.fingerprints for meta in metas),
        served_models=_united(meta.served_models for meta in metas),
        interrupted=any(meta.interrupted for meta in metas),
        role=first.role,
        git=Git(
            repository=_shared((meta.git.repository for meta in metas), ""),
            sha=_shared((meta.git.sha for meta in metas), ""),
            ref=_shared((meta.git.ref for meta in metas), ""),
            run_url=_shared((meta.git.run_url for meta in metas), ""),
        ),
        shard=None,
        adaptations=_in_order_of(models, _united(meta.adaptations for meta in metas)),
        throttled=_in_order_of(models, _throttled(metas)),
        asked={name: digest for meta in metas for name, digest in meta.asked.items()},
        sandbox=confined_together(meta.sandbox for meta in metas),
        host=_in_common([meta.host for meta in metas]),
    )
    return Artifact(meta=meta, tests=entries, results=results, stats=stats(results))


def _moment(choose: Callable[[Iterable[datetime]], datetime], times: Sequence[str]) -> str:
    """The earliest or latest, as it is written; empty where one of them is not known."""
    written = {moment: time for time in times if (moment := _parsed(time)) is not None}
    return written[choose(written)] if all(map(_parsed, times)) else ""


def _parsed(time: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(time)
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else None


def _united(told: Iterable[Mapping[str, tuple[str, ...]]]) -> dict[str, tuple[str, ...]]:
    """By model name what any part tells, sorted as in one run."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for values in told:
        for name, words in values.items():
            found[name].update(words)
    return {name: tuple(sorted(found[name])) for name in sorted(found)}


def _in_order_of(models: Iterable[str], told: Mapping[str, _T]) -> dict[str, _T]:
    """As a run tells what it learned of its models."""
    return {name: told[name] for name in [*models, *told] if name in told}


def _throttled(metas: Sequence[Meta]) -> dict[str, Throttled]:
    """The rejections of all parts, and the lowest limit of any.

    Each part had limits of its own: where several were throttled, they are no course of one limit, and are left out.
    """
    found: defaultdict[str, list[tuple[Meta, Throttled]]] = defaultdict(list)
    for meta in metas:
        for name, throttled in meta.throttled.items():
            found[name].append((meta, throttled))
    started = _moment(min, [meta.started_at for meta in metas])
    return {
        name: Throttled(
            rejected=sum(throttled.rejected for _, throttled in parts),
            lowest=min(throttled.lowest for _, throttled in parts),
            limits=_later(parts[0][1].limits, _seconds(started, parts[0][0].started_at)) if len(parts) == 1 else (),
        )
        for name, parts in found.items()
    }


def _later(limits: Sequence[tuple[float, int]], by: float | None) -> tuple[tuple[float, int], ...]:
    return () if by is None else tuple((min(seconds + by, MAX_SECONDS), limit) for seconds, limit in limits)


def _seconds(start: str, moment: str) -> float | None:
    """From one time to the other; None where one is not known."""
    before, after = _parsed(start), _parsed(moment)
    return None if before is None or after is None else (after - before).total_seconds()


def _in_common(told: Sequence[Mapping[str, _T]]) -> dict[str, _T]:
    """What every part tells alike."""
    first, *others = told
    return {key: value for key, value in first.items() if all(key in one and one[key] == value for one in others)}


def _shared(values: Iterable[_T], unknown: _T) -> _T:
    """The one value that all parts have."""
    different = list(dict.fromkeys(values))
    return different[0] if len(different) == 1 else unknown


def _shard(one: Given) -> Shard:
    text = one.meta.shard or ""
    try:
        return Shard.parse(text)
    except ValueError:
        raise _refused(one, f"its meta.shard is {_word(text)}, expected one like 2/8") from None


def _some_model(one: Given) -> str:
    return _word(next(iter(one.meta.models), ""))


def _unequal(one: Given, first: Given, key: str, value: JSON, other: JSON) -> InputError:
    return _refused(one, f"{key} is {_word(value)}, and {_word(other)} in {first.name}: it has to be the same")


def _refused(one: Given, why: str) -> InputError:
    return InputError(why, Place(one.name))


def _word(value: JSON) -> str:
    """A value of a file, as JSON: on one line, cut."""
    return shortened(json.dumps(value, ensure_ascii=False), _QUOTED)
