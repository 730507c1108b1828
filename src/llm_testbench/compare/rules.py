"""The rules that decide the verdict: what breaks the gate, and what makes it unable to judge (design 5.6)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from llm_testbench.artifact.cells import EXACT, CellKey, mean
from llm_testbench.compare.align import Pair
from llm_testbench.compare.cells import Cell
from llm_testbench.compare.model import Change, ComparedRow, Finding, Quoted, Status
from llm_testbench.compare.numbers import apart, count, percent
from llm_testbench.compare.options import GateOptions
from llm_testbench.compare.proofs import ProofFound
from llm_testbench.compare.rows import scored_means

SERVER_WORDS_LIMIT = 500  # characters of a server's message that a finding keeps


INCOMPLETE = frozenset({"interrupted", "nothing", "must_pass_unscored", "coverage", "errors"})
"""The codes of doubts about the run itself."""


def breaches(
    pairs: Sequence[Pair],
    models: Sequence[ComparedRow],
    options: GateOptions,
    *,
    proofs: Mapping[CellKey, ProofFound],
    latency: Mapping[str, Change],
) -> tuple[Finding, ...]:
    """Each fails the gate, whatever else is missing. A recording is held to what needs no baseline (design 5.6).

    `proofs`: must-pass tests that did not pass always. `latency`: by model, milliseconds.
    """
    absolute = (*_must_pass(pairs, proofs, options.must_pass_rate), *_min_score(pairs, options.min_score))
    if options.role == "record":
        return absolute
    return (
        *absolute,
        *_rejected(pairs),
        *_max_drop(models, options.max_drop),
        *_slower(latency, options.max_latency_increase),
    )


def doubts(pairs: Sequence[Pair], options: GateOptions, *, interrupted: bool) -> tuple[Finding, ...]:
    """Each makes the run inconclusive, unless a rule is broken."""
    found = list(_must_pass_unscored(pairs))
    if interrupted:
        found.append(Finding("interrupted", ("the run ended before all tests were asked",)))
    if all(pair.current is None for pair in pairs):
        found.append(Finding("nothing", ("the run holds no result",)))
    for model, cells in _gated_cells(pairs).items():
        found += _coverage(model, cells, options.min_coverage)
        found += _errors(model, cells, options.max_error_rate)
    return tuple(found)


def _must_pass(pairs: Sequence[Pair], proofs: Mapping[CellKey, ProofFound], rate: float) -> Iterator[Finding]:
    for pair, cell in _current(pairs):
        proof = proofs.get(pair.key)
        if proof is not None and proof.breached:
            attempts = len(cell.scores) + proof.asked
            words = f" must pass and passed {round(proof.rate * attempts)} of {count(attempts, 'attempt')}"
            yield _about(pair, "must_pass", f"{words} ({percent(rate)} needed)")


def _must_pass_unscored(pairs: Sequence[Pair]) -> Iterator[Finding]:
    for pair, cell in _current(pairs):
        if pair.test.must_pass and not cell.scores:
            yield _about(pair, "must_pass_unscored", " must pass and has no score")


def _rejected(pairs: Sequence[Pair]) -> Iterator[Finding]:
    for pair, cell in _current(pairs):
        if pair.status is Status.REJECTED and cell.refusal is not None:
            words = Quoted(cell.refusal[:SERVER_WORDS_LIMIT])
            yield _about(pair, "rejected", " was scored in the baseline, now the server refuses the request: ", words)


def _min_score(pairs: Sequence[Pair], min_score: float | None) -> Iterator[Finding]:
    if min_score is None:
        return
    for model in sorted({pair.key[0] for pair in pairs}):
        means = scored_means(pair for pair in pairs if pair.key[0] == model)
        value = mean(means)
        if value is not None and value < min_score - EXACT:
            below, limit = apart(value, min_score)
            words = f" has mean {below} over {count(len(means), 'test')}, below min_score {limit}"
            yield Finding("min_score", (Quoted(model), words), model)


def _max_drop(models: Sequence[ComparedRow], max_drop: float | None) -> Iterator[Finding]:
    if max_drop is None:
        return
    for row in models:
        if row.delta is None or row.baseline is None or row.current is None or row.model is None:
            continue
        if -row.delta > max_drop + EXACT:
            drop, limit = apart(-row.delta, max_drop)
            before, now = apart(row.baseline.mean or 0.0, row.current.mean or 0.0)
            words = f" dropped by {drop} ({before} → {now}) over {count(row.current.n, 'test')}, max_drop is {limit}"
            yield Finding("max_drop", (Quoted(row.model), words), row.model)


def _slower(latency: Mapping[str, Change], most: float | None) -> Iterator[Finding]:
    if most is None:
        return
    for model, change in sorted(latency.items()):
        if not change.before or change.now is None:
            continue
        increase = change.now / change.before - 1
        if increase > most + EXACT:
            words = (
                f" answers {percent(increase)} slower ({change.before:.0f} → {change.now:.0f} ms, median),"
                f" max_latency_increase is {percent(most)}"
            )
            yield Finding("max_latency_increase", (Quoted(model), words), model)


def _coverage(model: str, cells: Sequence[Cell], least: float) -> Iterator[Finding]:
    scored = sum(bool(cell.scores) for cell in cells)
    if scored / len(cells) < least - EXACT:
        words = (
            f": {scored} of {count(len(cells), 'test')} scored"
            f" ({percent(scored / len(cells))}, at least {percent(least)} needed)"
        )
        yield Finding("coverage", (Quoted(model), words), model)


def _errors(model: str, cells: Sequence[Cell], most: float) -> Iterator[Finding]:
    attempts = sum(cell.attempts for cell in cells)
    errors = sum(cell.errors for cell in cells)
    if attempts and errors / attempts > most + EXACT:
        words = (
            f": {errors} of {count(attempts, 'attempt')} ended in an error"
            f" ({percent(errors / attempts)}, at most {percent(most)} allowed)"
        )
        yield Finding("errors", (Quoted(model), words), model)


def _current(pairs: Sequence[Pair]) -> Iterator[tuple[Pair, Cell]]:
    """What was asked now and may break a rule."""
    for pair in pairs:
        if pair.current is not None and pair.gated:
            yield pair, pair.current


def _gated_cells(pairs: Sequence[Pair]) -> dict[str, list[Cell]]:
    by_model: dict[str, list[Cell]] = {}
    for pair, cell in _current(pairs):
        by_model.setdefault(pair.key[0], []).append(cell)
    return by_model


def _about(pair: Pair, code: str, *words: str | Quoted) -> Finding:
    model, test_id = pair.key
    return Finding(code, (Quoted(test_id), " on ", Quoted(model), *words), model, test_id)
