"""From the settings of a gate to the words of its report on how to run it again."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from llm_testbench.artifact.build import public_url
from llm_testbench.commands.edges import Edges
from llm_testbench.compare.model import BaselineRun
from llm_testbench.github.event import NO_EVENT, Event
from llm_testbench.github.wanted import RELEASE, is_path
from llm_testbench.report.rerun import Rerun
from llm_testbench.settings import options
from llm_testbench.settings.endpoint import LOCAL
from llm_testbench.settings.kinds import split_list
from llm_testbench.settings.model import Settings
from llm_testbench.settings.option import Option
from llm_testbench.settings.values import IMAGE_VARIABLE

_CHOOSING = (options.CATEGORY, options.SUBCATEGORY, options.TESTS, options.TAGS)
# What the report says in a place of its own, or what changes nothing in what is measured and judged.
_ELSEWHERE = frozenset(
    option.name
    for option in (
        *_CHOOSING,
        options.CONFIG,
        options.SUITES,
        options.MODELS,
        options.ROLE,
        options.BASELINE,
        options.BASELINE_TAG,
        options.OUTPUT_DIR,
        options.HTML,
        options.JUNIT,
        options.STORE_RESPONSES,
        options.COMMENT,
        options.COMMENT_KEY,
        options.COMMENT_PROGRESS,
        options.SUMMARY,
        options.CURRENT,
        options.RESUME,
        options.FORMAT,
        options.QUIET,
    )
)


def rerun(settings: Settings, edges: Edges, runs: Sequence[BaselineRun]) -> Rerun:
    """What was given by flag, input or variable; the config file speaks for itself."""
    return Rerun(
        on_github=edges.on_github,
        image=edges.environ.get(IMAGE_VARIABLE, ""),
        config=_text(settings, options.CONFIG),
        suites=settings.suites if _text(settings, options.SUITES) else (),
        models=tuple(model.name for model in settings.models),
        baseline=split_list(_text(settings, options.BASELINE)),
        options=_role(settings)
        + _given(settings, [option for option in options.options_of("gate") if option.name not in _ELSEWHERE]),
        chosen=_given(settings, _CHOOSING),
        environment=_environment(settings, runs),
        accepted=_typed(settings.accepted_file, edges.cwd),
        comparison=_typed(settings.output_dir / "comparison.json", edges.cwd),
    )


def _typed(path: Path, cwd: Path) -> str:
    """As a person in the folder types it; a report names no other folder of this machine."""
    return path.relative_to(cwd).as_posix() if path.is_relative_to(cwd) else path.name


def _given(settings: Settings, wanted: Collection[Option[object]]) -> tuple[tuple[str, str], ...]:
    flags: list[tuple[str, str]] = []
    for option in wanted:
        text = _text(settings, option)
        if not text:
            continue
        if option.kind.is_switch:
            switched_on = bool(option.kind.from_text(text))
            flags.append((option.flag if switched_on else f"--no-{option.flag[2:]}", ""))
        else:
            flags.append((option.flag, _shareable(text) if option is options.ENDPOINT else text))
    return tuple(flags)


def _role(settings: Settings) -> tuple[tuple[str, str], ...]:
    """A laptop has no event that would say so."""
    return ((options.ROLE.flag, "record"),) if settings.gate.role == "record" else ()


def _text(settings: Settings, option: Option[object]) -> str:
    source = settings.sources.get(option.name)
    return source.text if source is not None else ""


def _shareable(endpoint: str) -> str:
    return endpoint if endpoint == LOCAL else public_url(endpoint)


def _environment(settings: Settings, runs: Sequence[BaselineRun]) -> tuple[str, ...]:
    event = settings.github.event
    sources = [source for source in settings.baseline.sources if not is_path(source)]
    if not sources or not event.repository:
        return settings.key_variables
    used = [run for run in runs if run.used]
    # All but releases are looked for from a commit on.
    pinned = len(used) == 1 and bool(used[0].tag)
    start = (f"GITHUB_SHA={event.base_sha}",) if sources != [RELEASE] and event.base_sha and not pinned else ()
    where = _server(event)
    return (*settings.key_variables, "GITHUB_TOKEN", *where, f"GITHUB_REPOSITORY={event.repository}", *start)


def _server(event: Event) -> Iterator[str]:
    """Where GitHub is, of another server than github.com, which must not get that one's token."""
    if event.api_url != NO_EVENT.api_url:
        yield f"GITHUB_API_URL={event.api_url}"
        yield f"GITHUB_SERVER_URL={event.server_url}"
