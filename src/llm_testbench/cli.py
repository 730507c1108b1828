"""Parses the command line, calls one command, and turns every error into one line and an exit code.

Only click and the tables of commands and options are imported here: `llmtest --help` has to be quick.
A command's own modules are imported when it runs.
"""

from __future__ import annotations

import errno
import gc
import io
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, TypeAlias

import click

from llm_testbench import __version__
from llm_testbench.nearest import hint
from llm_testbench.settings.commands import COMMANDS, EXIT_CODES, OVERVIEW, SETTINGS_HELP, Command
from llm_testbench.settings.option import Option
from llm_testbench.settings.options import API_KEY, SUITES, TOKEN, options_of

if TYPE_CHECKING:
    from llm_testbench.commands.edges import Edges

PROGRAM = "llmtest"
USAGE_ERROR = 2
INTERNAL_ERROR = 3  # a bug must not look like a verdict on quality, which is 1
INTERRUPTED = 130
BROKEN_PIPE = 141  # 128 + SIGPIPE: whoever read the report went away

Main: TypeAlias = "Callable[[Mapping[str, str | None], Sequence[str], Edges], int]"
"""A command: flags by option name (None: not given), positional arguments, the world outside → exit code."""

_CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
_DEBUG = "--debug"


def main_of(name: str) -> Main:
    """`main` of the module `commands.<name>`; of `baseline push` it is `commands.baseline_push`."""
    # Four hundred modules leave no garbage, and looking for it takes a tenth of the time to import them.
    gc.disable()
    try:
        found: Main = import_module(f"llm_testbench.commands.{name.replace(' ', '_')}").main
    finally:
        gc.enable()
        gc.freeze()
    # Values that point at nothing but older ones are no garbage either, and artifacts are made of them.
    gc.set_threshold(50_000)
    return found


def main(
    arguments: Sequence[str] | None = None, *, edges: Edges | None = None, find: Callable[[str], Main] = main_of
) -> int:
    """Runs one command line and returns its exit code. `find` gives the function of a command by name."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        world = edges or _real_edges()
    except OSError as error:
        sys.stderr.write(f"error: the working directory cannot be read: {error.strerror}\n")
        return USAGE_ERROR
    try:
        # Not click's own main(): it ends a broken pipe with 1, which here says that quality dropped.
        with group(world, find).make_context(PROGRAM, list(words)) as context:
            code: int = context.command.invoke(context)
        world.stdout.flush()
    except click.exceptions.Exit as done:
        return done.exit_code
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except BrokenPipeError:
        _give_up(world.stdout)
        return BROKEN_PIPE
    except Exception as error:  # the one place that turns errors into a line and a code
        return _failed(error, world, debug=_DEBUG in words)
    return code


def _real_edges() -> Edges:
    from llm_testbench.commands.edges import Edges  # noqa: PLC0415 -- this module stays quick to import
    from llm_testbench.entry import shut, take_environment  # noqa: PLC0415

    # Started with `>&-` there is no stream at all, which is no reason to fail.
    sys.stdout = sys.stdout or _nowhere()
    sys.stderr = sys.stderr or _nowhere()
    for stream in (sys.stdout, sys.stderr):
        # A report holds ×, − and foreign text; no locale may turn that into a crash.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    # What a container's engine sends first. Process 1 would ignore it, and any other would end without a word.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    cwd = Path.cwd()
    environ = take_environment()
    shut()
    return Edges(environ=environ, cwd=cwd)


def _nowhere() -> TextIO:
    return os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")


def _failed(error: Exception, world: Edges, *, debug: bool) -> int:
    """Says what went wrong, without secrets and control characters, and gives the exit code."""
    from llm_testbench.errors import CommandError, FaultsError  # noqa: PLC0415
    from llm_testbench.redaction import Redactor, proxy_secrets  # noqa: PLC0415
    from llm_testbench.untrusted import Untrusted  # noqa: PLC0415

    names = (API_KEY.input, *API_KEY.env, TOKEN.input, *TOKEN.env)
    given = (world.environ.get(name, "").strip() for name in names)
    redactor = Redactor([*world.secrets, *given, *proxy_secrets(world.environ)])
    if isinstance(error, click.ClickException):
        line, code = f"error: {_usage(error)}", USAGE_ERROR
    elif isinstance(error, FaultsError):
        *others, line = (f"error: {fault}" for fault in error.faults)
        code = error.exit_code
        for other in others:
            _say(world.stderr, _error_line(redactor.text(other), world))
    elif isinstance(error, CommandError):
        line, code = f"error: {error}", error.exit_code
    elif isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        line, code = f"error: {error.filename or 'the report'} cannot be written: {error.strerror}", INTERNAL_ERROR
    else:
        more = "" if debug else f"; run again with {_DEBUG} for the trace"
        line, code = f"internal error: {type(error).__name__}: {error}{more}", INTERNAL_ERROR
        if debug:
            from traceback import format_exception  # noqa: PLC0415

            for trace in redactor.text("".join(format_exception(error))).splitlines():
                indent = trace[: len(trace) - len(trace.lstrip(" "))]
                _say(world.stderr, indent + Untrusted(trace).log_line())
    try:
        world.stdout.flush()
    except OSError:
        _give_up(world.stdout)
    _say(world.stderr, _error_line(redactor.text(line), world))
    return code


def _error_line(line: str, world: Edges) -> str:
    """The line as a log may hold it; in a job of GitHub it stands on the page of the run."""
    from llm_testbench.github.workflow_commands import command  # noqa: PLC0415
    from llm_testbench.untrusted import Untrusted  # noqa: PLC0415

    said = Untrusted(line).log_line()
    return command("error", said.removeprefix("error: "), title="llm-testbench") if world.on_github else said


def _usage(error: click.ClickException) -> str:
    context = error.ctx if isinstance(error, click.UsageError) else None
    message = error.format_message()
    if message.endswith(".") and not message.endswith(".."):
        message = message[:-1]
    if (
        message.startswith("Got unexpected extra argument")
        and context
        and SUITES in options_of(context.command_path.removeprefix(f"{PROGRAM} "))
    ):
        message += "; suites are named by --suites"
    return f"{message}; see {context.command_path if context else PROGRAM} --help"


def _say(stream: TextIO, line: str) -> None:
    try:
        stream.write(f"{line}\n")
        stream.flush()
    except OSError:  # nobody is left to tell
        _give_up(stream)


def _give_up(stream: TextIO) -> None:
    """Keeps the interpreter from failing once more, loudly, when it flushes the stream at its end."""
    try:
        target = stream.fileno()
    except (OSError, ValueError):
        return
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, target)
    os.close(devnull)


class _Flag(click.Option):
    """A flag that knows its section of the help."""

    def __init__(self, declarations: Sequence[str], section: str, **attributes: Any) -> None:
        super().__init__(declarations, **attributes)
        self.section = section


class _OneCommand(click.Command):
    """Shows its flags by section, and owns up to its usage errors."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            error.ctx = error.ctx or ctx  # the parser itself does not know the command
            raise

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                section = parameter.section if isinstance(parameter, _Flag) else "General"
                sections.setdefault(section, []).append(record)
        for section, records in sections.items():
            with formatter.section(section):
                formatter.write_dl(records)


class _Group(click.Group):
    """Builds a command when it is asked for, and shows all of them by section.

    `prefix` is what the names of its commands begin with: `baseline ` of `baseline push`.
    """

    def __init__(self, make: Callable[[Command], click.Command], prefix: str = "", **attributes: Any) -> None:
        super().__init__(**attributes)
        self._make = make
        self._prefix = prefix
        self._table = {c.name.removeprefix(prefix): c for c in COMMANDS if c.name.startswith(prefix)}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(dict.fromkeys(name.partition(" ")[0] for name in self._table))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in self._table:
            return self._make(self._table[cmd_name])
        if cmd_name in self.list_commands(ctx):
            return _Group(
                self._make,
                f"{self._prefix}{cmd_name} ",
                name=cmd_name,
                subcommand_metavar="COMMAND [ARGS]...",
                context_settings=_CONTEXT,
            )
        return None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        known = self.list_commands(ctx)
        if args[0] not in known:
            raise click.UsageError(f"no command {args[0]!r}{hint(args[0], known)}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for section in dict.fromkeys(command.section for command in self._table.values()):
            with formatter.section(section):
                formatter.write_dl(
                    [(name, c.summary.rstrip(".")) for name, c in self._table.items() if c.section == section]
                )


def group(world: Edges, find: Callable[[str], Main]) -> click.Group:
    """The command line as click knows it."""

    def without_command() -> int | None:
        context = click.get_current_context()
        if context.invoked_subcommand is not None:
            return None
        # Not 0: a CI step that forgot its command must not look like a pass.
        click.echo(context.get_help(), err=True)
        return USAGE_ERROR

    def show_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:  # noqa: FBT001 -- click's signature
        if wanted:
            click.echo(f"{PROGRAM} {__version__}")
            context.exit()

    return _Group(
        lambda command: _command(command, world, find),
        name=PROGRAM,
        callback=without_command,
        invoke_without_command=True,
        subcommand_metavar="COMMAND [ARGS]...",
        context_settings=_CONTEXT,
        help=OVERVIEW,
        epilog=EXIT_CODES,
        params=[
            _debug(),
            click.Option(
                ["--version"],
                is_flag=True,
                is_eager=True,
                expose_value=False,
                callback=show_version,
                help="Print the version.",
            ),
        ],
    )


def _command(command: Command, world: Edges, find: Callable[[str], Main]) -> click.Command:
    options = options_of(command.name)

    def run(**given: Any) -> int:
        arguments: tuple[str, ...] = given.pop("arguments", ())
        _count(command, arguments)
        flags = {option.name: _text(option, given[option.name]) for option in options if "flag" in option.sources}
        return find(command.name)(flags, arguments, world)

    arguments = command.arguments
    parameters: list[click.Parameter] = [_flag(option, command.name) for option in options if "flag" in option.sources]
    if arguments.metavar:
        parameters.append(click.Argument(["arguments"], nargs=-1, metavar=arguments.metavar))
    return _OneCommand(
        command.name.rpartition(" ")[2],
        callback=run,
        context_settings=_CONTEXT,
        help=f"{command.summary}\n\n{command.about}",
        short_help=command.summary,
        epilog=SETTINGS_HELP if options else None,
        params=[*parameters, _debug()],
    )


def _count(command: Command, given: Sequence[str]) -> None:
    expected = command.arguments
    if len(given) < expected.least:
        raise click.UsageError(f"missing argument: expected {expected.metavar}")
    if expected.most is not None and len(given) > expected.most:
        raise click.UsageError(f"unexpected argument {given[expected.most]!r}")
    for word in given if expected.words else ():
        if word not in expected.words:
            raise click.UsageError(f"expected {expected.metavar}, not {word!r}{hint(word, expected.words)}")


def _flag(option: Option[object], command: str) -> click.Option:
    """A flag whose value stays text: the settings parse every source alike."""
    kind = option.kind
    default = option.default_text(command)
    declared = option.flag
    if kind.is_switch and option.sources != {"flag"}:
        declared = f"{option.flag}/--no-{option.flag[2:]}"
        default = "yes" if default == "true" else "no"
    shown = "" if default in ("", "none", "false") else f" [default: {default}]"
    attributes: dict[str, Any] = {"is_flag": True} if kind.is_switch else {"type": str, "metavar": kind.metavar}
    return _Flag(
        [name for name in (option.short, declared, option.name) if name],
        option.group,
        help=f"{option.help.replace('`', chr(39))}.{shown}",
        default=None,
        multiple=kind.is_list,
        **attributes,
    )


def _text(option: Option[object], given: object) -> str | None:
    """What click collected, as the text that any other source would give."""
    if given is None or given == ():
        return None
    if isinstance(given, bool):
        return "true" if given else "false"
    return "\n".join(given) if isinstance(given, tuple) else str(given)


def _debug() -> click.Option:
    # main() looks for it itself, since it also has to work when the parsing fails.
    return _Flag([_DEBUG], "General", is_flag=True, expose_value=False, help="Show the trace of an internal error.")
