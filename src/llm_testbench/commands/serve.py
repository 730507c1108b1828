"""`llmtest serve`: a gateway on this machine, until it is interrupted."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from llm_testbench.commands.edges import Edges
from llm_testbench.commands.output import Output, plain_output, pretty, read_current
from llm_testbench.commands.selection import selected
from llm_testbench.compare.numbers import count
from llm_testbench.errors import InputError, Place
from llm_testbench.local.serving.answers import Answers
from llm_testbench.local.serving.desk import Desk
from llm_testbench.local.serving.fault_table import FAULTS
from llm_testbench.local.serving.from_examples import Examples, lacking
from llm_testbench.local.serving.recorded import Recording
from llm_testbench.local.serving.relayed import Relayed
from llm_testbench.local.serving.server import Entry, Serving
from llm_testbench.report.document import Document, Mono, table, text
from llm_testbench.settings.model import Settings
from llm_testbench.settings.resolve import resolve
from llm_testbench.settings.serving import FAULT, HELP
from llm_testbench.untrusted import Untrusted

_LOGGED = 100  # characters of a foreign name in the log


def _for_ever() -> None:
    # A shell has SIGINT ignored by what it starts in the background; this one is meant to be ended by it there, too.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Event().wait()


def main(
    flags: Mapping[str, str | None],
    _arguments: Sequence[str],
    edges: Edges,
    *,
    wait: Callable[[], object] = _for_ever,
) -> int:
    """0 when it was interrupted: that is how it is meant to end. `wait` returns, or raises, when that happens."""
    if flags.get(FAULT.name) == HELP:
        settings = resolve("serve", {**flags, FAULT.name: None}, edges.environ, edges.cwd)
        plain_output(settings, edges).print(_faults_report(), lambda: pretty([fault.name for fault in FAULTS]))
        return 0
    settings = resolve("serve", flags, edges.environ, edges.cwd)
    output = plain_output(settings, edges)
    options = settings.serving
    log = (lambda entry: None) if settings.quiet else _log(output)
    try:
        with (
            _answers(settings, output) as answers,
            Serving(
                Desk(answers, options.faults, options.latency, options.seed, time.time),
                port=options.port,
                max_in_flight=options.max_in_flight,
                on_request=log,
                clock=edges.clock,
            ) as serving,
        ):
            edges.stdout.write(f"endpoint: {serving.endpoint}\n")
            edges.stdout.flush()
            wait()
    except KeyboardInterrupt:
        return 0
    return 0


@contextmanager
def _answers(settings: Settings, output: Output) -> Iterator[Answers]:
    options = settings.serving
    if options.replay is not None:
        yield _recording(options.replay, output)
    elif options.examples:
        tests = selected(settings, output.edges).tests
        for line in lacking(tests, options.right):
            output.log(f"warning: {line}")
        yield Examples(tests, options.right, options.seed)
    else:
        # Imported late: only this needs processes of its own.
        from llm_testbench.local.server import EmbeddedGateway  # noqa: PLC0415

        with EmbeddedGateway.start() as gateway:
            yield Relayed(gateway.endpoint, gateway.model_id)


def _recording(path: Path, output: Output) -> Recording:
    try:
        recording = Recording(read_current(path, output))
    except InputError as error:
        raise error if error.place else InputError(error.message, Place(output.shown(path))) from None
    if recording.unstored:
        missing = count(recording.unstored, "answer is", "answers are")
        output.log(f"warning: {missing} not in the recording and get status 400: record with store_responses: all")
    return recording


def _log(output: Output) -> Callable[[Entry], None]:
    def log(entry: Entry) -> None:
        model = f" model={Untrusted(entry.model).log_line(_LOGGED)}" if entry.model else ""
        about = f" ({Untrusted(entry.about).log_line(_LOGGED)})" if entry.about else ""
        faults = f" faults: {', '.join(entry.faults)}" if entry.faults else ""
        path = Untrusted(entry.path).log_line(_LOGGED)
        status = entry.status or "reset"
        method = Untrusted(entry.method).log_line(10)
        output.log(f"{method} {path}{model}{about} {status} {entry.milliseconds:.0f} ms{faults}")

    return log


def _faults_report() -> Document:
    rows = [[text(str(fault.number)), text(Mono(fault.name)), text(fault.summary)] for fault in FAULTS]
    return Document((table([("number", "right"), ("name", "left"), ("what it does", "left")], rows),))
