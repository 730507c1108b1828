"""Settings of one command from flags, action inputs, environment, config file and defaults (design 5.2)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from llm_testbench.compare.options import Role
from llm_testbench.errors import InputError
from llm_testbench.github.event import NO_EVENT, read_event
from llm_testbench.github.role import role_of
from llm_testbench.redaction import proxy_secrets
from llm_testbench.runner.job import RunOptions
from llm_testbench.settings import config_file, doctor, options
from llm_testbench.settings.config_file import NO_CONFIG, ConfigFile
from llm_testbench.settings.embedded import EMBEDDED
from llm_testbench.settings.endpoint import LOCAL
from llm_testbench.settings.model import GitHubOptions, Settings
from llm_testbench.settings.resolve_gate import baseline_options, check_live, gate_options
from llm_testbench.settings.resolve_models import resolve_models
from llm_testbench.settings.resolve_serving import serving_options
from llm_testbench.settings.values import Given, Values, parsed, texts, unknown_variables
from llm_testbench.suite.select import Filters

ACCEPTED_NAME = "accepted.yaml"
"""The file with the accepted drops, beside the config file."""


def resolve(command: str, flags: Mapping[str, str | None], environ: Mapping[str, str], cwd: Path) -> Settings:
    """The settings of `command`; InputError (one line with its place) for the first thing that is wrong.

    `flags`: texts by option name; an unset flag is absent or None, a switch is `true` or `false`.
    `cwd` must be absolute.
    """
    config = read_config(command, flags, environ, cwd)
    values = Values(command, Given(flags, environ, config, cwd))
    asked = resolve_models(values, environ, required=_asks(command, values))
    check_live(command, values, asked.models, asked.against)
    event = read_event(environ) if options.TOKEN in options.options_of(command) else NO_EVENT
    role = role_of(event, values.get(options.ROLE)) if command in options.ROLE.commands else "gate"
    token = values.get(options.TOKEN)
    sandbox, unheard = _sandbox(values, environ)
    return Settings(
        command=command,
        config_file=config.path,
        sources=values.sources,
        suites=values.get(options.SUITES),
        suites_base=values.sources[options.SUITES.name].base,
        filters=Filters(
            category=values.get(options.CATEGORY),
            subcategory=values.get(options.SUBCATEGORY),
            tests=values.get(options.TESTS),
            tags=values.get(options.TAGS),
        ),
        shard=values.get(options.SHARD),
        models=asked.models,
        expected=_expected(command, values),
        against=asked.against,
        endpoint=asked.endpoint,
        seed=values.get(options.SEED),
        temperature=values.get(options.TEMPERATURE),
        max_tokens_default=asked.max_tokens_default,
        repeat=_repeat(values, role),
        run=_run_options(values),
        gate=gate_options(values, role),
        baseline=baseline_options(values),
        github=GitHubOptions(
            event=event,
            token=token,
            comment=values.get(options.COMMENT),
            comment_key=values.get(options.COMMENT_KEY),
            comment_progress=values.get(options.COMMENT_PROGRESS),
            summary=values.get(options.SUMMARY),
            annotations=values.get(options.ANNOTATIONS),
            check_run=values.get(options.CHECK_RUN),
            release=values.get(options.RELEASE),
        ),
        current=values.optional_path(options.CURRENT),
        sandbox=sandbox,
        out=values.optional_path(options.OUT),
        output_dir=values.path(options.OUTPUT_DIR),
        html=values.get(options.HTML),
        junit=values.get(options.JUNIT),
        accepted_file=(config.path.parent if config.path is not None else cwd) / ACCEPTED_NAME,
        reason=values.get(options.REASON),
        until=values.get(options.UNTIL),
        ca_bundle=_authorities(values),
        prices=values.get(options.PRICES),
        format=values.get(options.FORMAT),
        write=values.get(doctor.WRITE),
        try_sandbox=values.get(doctor.TRY_SANDBOX),
        evaluators=values.get(options.EVALUATORS),
        plan=values.get(options.PLAN),
        resume=values.get(options.RESUME),
        quiet=values.get(options.QUIET),
        serving=serving_options(values),
        secrets=(*asked.secrets, *values.every_text(options.TOKEN), *proxy_secrets(environ)),
        key_variables=asked.key_variables,
        unset_keys=asked.unset_keys,
        notes=(
            *_file_notes(config, cwd),
            *unknown_variables(environ),
            *asked.notes,
            *unheard,
            *((event.trouble,) if event.trouble else ()),
        ),
    )


def read_config(command: str, flags: Mapping[str, str | None], environ: Mapping[str, str], cwd: Path) -> ConfigFile:
    """The config file that `command` reads; InputError for the first fault in it."""
    if command not in options.CONFIG.commands:
        return NO_CONFIG
    path = config_file.find(cwd)
    place = None
    for _, place, text in texts(options.CONFIG, command, Given(flags, environ, NO_CONFIG, cwd)):
        named = parsed(options.CONFIG, text, place)
        path = None if named is None else cwd / named
        break
    if path is None:
        return NO_CONFIG
    if place is not None and not path.is_file():
        raise InputError(f"there is no config file {str(path)!r}", place)
    config = config_file.read(path, cwd)
    if config.faults:
        raise _first_of(config.faults)
    return config


def _first_of(faults: tuple[InputError, ...]) -> InputError:
    further = len(faults) - 1
    if not further:
        return faults[0]
    lines = ", ".join(str(fault.place.line) for fault in faults[1:4] if fault.place is not None)
    more = f"{lines}, …" if further > 3 else lines
    return InputError(f"{faults[0].message} ({further} more in this file: line {more})", faults[0].place)


def _asks(command: str, values: Values) -> bool:
    if command == doctor.COMMAND:
        # Without a name it takes those that the endpoint lists.
        return values.get(options.MODELS) is not None or values.get(options.ENDPOINT) == LOCAL
    return command in options.ASKING and values.get(options.CURRENT) is None


def _expected(command: str, values: Values) -> tuple[str, ...]:
    """Of a run that was made elsewhere, the models that the config names; `endpoint: local` implies one."""
    if command != options.PUBLISH:
        return ()
    named = tuple(entry.name for entry in values.get(options.MODELS) or ())
    local = values.in_config(options.ENDPOINT) == LOCAL
    return named or ((EMBEDDED.name,) if local else ())


def _run_options(values: Values) -> RunOptions:
    return RunOptions(
        concurrency=values.get(options.CONCURRENCY),
        max_requests=values.get(options.MAX_REQUESTS),
        max_planned_tokens=values.get(options.MAX_PLANNED_TOKENS),
        max_duration=values.get(options.MAX_DURATION),
        store_responses=values.get(options.STORE_RESPONSES),
    )


def _repeat(values: Values, role: Role) -> int:
    """A recording is compared with again and again: by default it takes more attempts."""
    repeat = values.get(options.REPEAT)
    return options.REPEAT.default_value("record") if role == "record" and values.is_default(options.REPEAT) else repeat


def _sandbox(values: Values, environ: Mapping[str, str]) -> tuple[Literal["require", "prefer", "off"], tuple[str, ...]]:
    """The mode, and a note where the config file's is not heard: whoever sent a pull request may have written that."""
    wanted = values.get(options.SANDBOX)
    source = values.sources[options.SANDBOX.name]
    if wanted == "require" or source.kind != "config" or not read_event(environ).from_outside:
        return wanted, ()
    why = f"{source.place}: sandbox: {wanted} is not heard in a pull request from outside; the action's input is"
    return "require", (why,)


def _authorities(values: Values) -> Path | None:
    path = values.optional_path(options.CA_BUNDLE)
    if path is None:
        return None
    place = values.sources[options.CA_BUNDLE.name].place
    if not path.is_file():
        raise InputError(f"there is no file {str(path)!r}", place)
    # Imported late: nothing else that reads settings needs TLS.
    from llm_testbench.gateway.surroundings import holds_authorities  # noqa: PLC0415

    if not holds_authorities(path):
        raise InputError(f"{str(path)!r} holds no certificate that can be read: name a PEM file of authorities", place)
    return path


def _file_notes(config: ConfigFile, cwd: Path) -> tuple[str, ...]:
    """A config file under a name that nobody reads is worth a word."""
    if config.path is not None:
        return ()
    wrong = [name.removesuffix("yaml") + "yml" for name in config_file.NAMES]
    return tuple(f"{name} is not read: the name is {name[:-3]}yaml" for name in wrong if (cwd / name).is_file())
