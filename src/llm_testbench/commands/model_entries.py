"""What the models need, as entries of the config file: shown, or put there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from llm_testbench.artifact.write import check_writable, replacing
from llm_testbench.errors import InputError, Place
from llm_testbench.gateway.probe_model import Probed
from llm_testbench.settings import config_file, options
from llm_testbench.settings.config_file import ConfigFile
from llm_testbench.settings.endpoint import LOCAL
from llm_testbench.settings.model import Settings
from llm_testbench.settings.model_edit import NoEditError, Wanted, edited, entries_yaml, new_file
from llm_testbench.settings.model_entry import ModelEntry


@dataclass(frozen=True)
class Written:
    """What became of the file. `lines`: for the user, may quote the file: untrusted. `trouble`: why it is as it was."""

    lines: tuple[str, ...] = ()
    changed: bool = False
    trouble: InputError | None = None


def entries(probed: Sequence[Probed]) -> str:
    """The models that need something, as YAML; "" when none does."""
    wanted = [one for one in _wanted(probed) if one.keys]
    return f"models:\n{entries_yaml(wanted)}" if wanted else ""


def check_target(settings: Settings, cwd: Path) -> None:
    """InputError, before anything is asked, when the file could not take the entries."""
    path = _path(settings, cwd)
    name = _name(path, cwd)
    try:
        check_writable(path)
    except OSError as error:
        raise InputError(f"cannot be written ({error.strerror or error})", Place(name)) from None
    written = _in_file(settings, cwd).values.get(options.ENDPOINT.name)
    if written is not None and written != settings.endpoint:
        message = f"another endpoint than in {name} is asked, whose models its entries are: leave it out to use --write"
        raise InputError(message, settings.sources[options.ENDPOINT.name].place)


def write_entries(settings: Settings, probed: Sequence[Probed], cwd: Path) -> Written:
    """Puts what the models that answer need into the config file, whole or not at all; InputError when it cannot."""
    path = _path(settings, cwd)
    name = _name(path, cwd)
    wanted = _wanted(probed)
    if not wanted or all(model.endpoint == LOCAL for model in settings.models):
        return Written((f"{name}: nothing to write",))
    before = _content(path, name)
    try:
        after = new_file(settings.endpoint, wanted) if before is None else edited(before, wanted)
    except NoEditError:
        raise InputError("its form cannot be changed in place: put the entries there by hand", Place(name)) from None
    if after == before:
        return Written((f"{name}: holds all that the models need",))
    told = _changed(before, wanted, settings, cwd)
    try:
        with replacing(path) as file:
            file.write(after.encode())
    except OSError as error:
        raise InputError(f"cannot be written ({error.strerror or error})", Place(name)) from None
    return Written(
        (f"{name}: {'created' if before is None else 'changed'}", *told),
        changed=True,
    )


def _changed(before: str | None, wanted: Sequence[Wanted], settings: Settings, cwd: Path) -> tuple[str, ...]:
    known = () if before is None else _named(_in_file(settings, cwd))
    return tuple(
        f"+{line[1:]}"
        for one in wanted
        if one.keys or one.name not in known
        for line in entries_yaml([one]).splitlines()
    )


def _wanted(probed: Sequence[Probed]) -> tuple[Wanted, ...]:
    """The models that can be asked; one that cannot has shown nothing about its entry."""
    return tuple(Wanted(one.model.name, one.keys) for one in probed if one.failure is None)


def _path(settings: Settings, cwd: Path) -> Path:
    return settings.config_file or cwd / config_file.NAMES[0]


def _name(path: Path, cwd: Path) -> str:
    return str(path.relative_to(cwd) if path.is_relative_to(cwd) else path)


def _in_file(settings: Settings, cwd: Path) -> ConfigFile:
    return config_file.NO_CONFIG if settings.config_file is None else config_file.read(settings.config_file, cwd)


def _named(config: ConfigFile) -> frozenset[str]:
    found = config.values.get(options.MODELS.name)
    return (
        frozenset(entry.name for entry in found if isinstance(entry, ModelEntry))
        if isinstance(found, tuple)
        else frozenset()
    )


def _content(path: Path, name: str) -> str | None:
    """What the file holds, with its own line ends; None where there is none."""
    try:
        return path.read_bytes().decode()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read ({error})", Place(name)) from None
