"""`python -m tests.sandbox.corpus`: runs the hostile programs in one configuration, and prints what came of it.

Standard library and the tool only: it runs in the image, too.
"""

from __future__ import annotations

import argparse
import fnmatch
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.sandbox import as_user, each_rule, naive, table
from tests.sandbox.attack import Attack, HeaderError, attacks, rules
from tests.sandbox.outcome import Outcome, Verdict, read_lines, to_line
from tests.sandbox.perform import Ground, perform

from llm_testbench.sandbox.launching import Launchers
from llm_testbench.sandbox.model import Layer

_AT_ONCE = 2
_NEWEST = 99  # of Landlock: whatever the kernel has
_ALL = tuple(layer.value for layer in Layer)

Told = Callable[[Outcome], None]


def main(arguments: Sequence[str] | None = None) -> int:
    """0: nothing succeeded in the sandbox but what is known to; 1: something did; 2: the question makes no sense."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.table:
        print(table.document(read_lines(options.table)))
        return 0
    if options.as_user and os.geteuid() != 0:
        parser.error("--as-user needs root: without it you are an ordinary user already")
    try:
        chosen = [one for one in attacks() if any(fnmatch.fnmatch(one.name, only) for only in options.only or ["*"])]
    except HeaderError as error:
        parser.error(str(error))
    if unknown := sorted(set(options.without) - {*rules(), "all"}):
        parser.error(f"--without: `{unknown[0]}` is no layer and no rule")
    if not chosen:
        parser.error(f"no attack is called {' or '.join(options.only)}")
    with ExitStack() as stack:
        results = Path(options.json or stack.enter_context(tempfile.NamedTemporaryFile()).name)
        path, go_seed = _toolchains(options)
        if options.as_user or (options.each_rule and os.geteuid() == 0 and not options.here_only):
            code = _as_user(options, path, go_seed, results)
            if options.as_user:
                return code
        ground = _Grounds(
            options.place or _place(), path, go_seed, stack.enter_context(_standard_input()), options.landlock
        )
        with results.open("a", encoding="ascii") as file:

            def tell(outcome: Outcome) -> None:
                file.write(to_line(outcome) + "\n")
                file.flush()
                if options.verbose:
                    print(_line(outcome), flush=True)

            if options.each_rule:
                _each_rule(chosen, ground, tell)
            elif options.each_layer:
                for layer in ground.layers():
                    ground.run(chosen, (layer,), 1, tell)
            elif options.naive:
                run(chosen, ground.naive(), 1, tell)
            else:
                without = ("all",) if "all" in options.without else tuple(sorted(options.without))
                ground.run(chosen, without, options.repeat, tell)
        outcomes = read_lines([results])
    return _concluded(chosen, outcomes, each_rule_taken=options.each_rule and not options.here_only)


def run(chosen: Sequence[Attack], ground: Ground, repeat: int, tell: Told) -> None:
    """Each once, the polled ones `repeat` times: first two at a time, then those that want to be alone."""
    turns = [attack for attack in chosen for _ in range(repeat if attack.polled else 1)]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for done in as_completed([pool.submit(perform, attack, ground) for attack in turns if not attack.alone]):
            tell(done.result())
    for attack in turns:
        if attack.alone:
            tell(perform(attack, ground))


class _Grounds:
    """Opens the configurations of one place."""

    def __init__(self, place: str, path: str, go_seed: str | None, secret: str, landlock: int) -> None:
        self._place = place
        self._landlock = landlock
        self._path = path
        self._go_seed = go_seed
        self._secrets = frozenset([secret])

    def naive(self) -> Ground:
        """No sandbox at all."""
        return Ground(self._place, None, (), self._path, self._go_seed, self._secrets)

    @contextmanager
    def opened(self, without: tuple[str, ...]) -> Iterator[Ground]:
        """The sandbox without these layers and rules."""
        left_out = frozenset(_ALL if "all" in without else without)
        with Launchers(at_once=_AT_ONCE, without=left_out, newest_landlock=self._landlock) as launchers:
            yield Ground(self._place, launchers, without, self._path, self._go_seed, self._secrets)
            # What an attack kept from being removed; nothing runs there any more.
            for folder in Path(launchers._base).iterdir():
                naive.force(folder)

    def layers(self) -> list[str]:
        """Those that are there."""
        with Launchers(at_once=1, newest_landlock=self._landlock) as launchers:
            return [layer.value for layer, state in launchers.layers.items() if state.active]

    def run(self, chosen: Sequence[Attack], without: tuple[str, ...], repeat: int, tell: Told) -> None:
        """These attacks in the sandbox without that."""
        with self.opened(without) as ground:
            run(chosen, ground, repeat, tell)

    def trials(self, chosen: Sequence[Attack]) -> list[each_rule.Trial]:
        """What is to be taken away here."""
        with Launchers(at_once=1, newest_landlock=self._landlock) as launchers:
            return each_rule.trials(chosen, launchers.layers)


def _each_rule(chosen: Sequence[Attack], ground: _Grounds, tell: Told) -> None:
    for trial in ground.trials(chosen):
        ground.run(trial.attacks, tuple(sorted(trial.without)), 1, tell)


def _as_user(options: argparse.Namespace, path: str, go_seed: str | None, results: Path) -> int:
    arguments = ["--path", path, "--place", options.place or "host user", "--repeat", str(options.repeat)]
    arguments += ["--landlock", str(options.landlock)]
    arguments += ["--go-seed", go_seed] if go_seed is not None else []
    for name in ("naive", "each_rule", "each_layer", "verbose"):
        arguments += [f"--{name.replace('_', '-')}"] if getattr(options, name) else []
    arguments += ["--here-only"] if options.each_rule else []
    for name in ("only", "without"):
        for value in getattr(options, name) or ():
            arguments += [f"--{name}", value]
    return as_user.run(arguments, results)


def _concluded(chosen: Sequence[Attack], outcomes: Sequence[Outcome], *, each_rule_taken: bool) -> int:
    if each_rule_taken:
        lines, missing = each_rule.report(outcomes)
        print("\n".join([*lines, *each_rule.untrue(chosen, outcomes)]))
        return 1 if missing else 0
    print(table.text(table.by_category(outcomes)))
    for name, found in table.succeeded(outcomes, naive=False).items():
        print(f"\nsucceeded, {name}:")
        print("\n".join(f"  {attack}: {ascii(evidence)[1:-1]}" for attack, evidence in sorted(found.items())))
    for name, held in table.held_naively(outcomes).items():
        print(f"\ndid not succeed, {name}:")
        print("\n".join(f"  {attack}" for attack in held))
    if rows := table.polled(outcomes):
        print("\n" + table.text(rows))
    if left := table.without_control(outcomes):
        print("\nno positive control, counted out:")
        print("\n".join(f"  {attack}: {reason}" for attack, reason in sorted(left.items())))
    return 1 if any(map(unexpected, outcomes)) else 0


def unexpected(outcome: Outcome) -> bool:
    """Whether it succeeded in the whole sandbox, and nobody knew that it does."""
    whole = outcome.mode == "sandbox" and not outcome.without
    return whole and outcome.verdict is Verdict.SUCCEEDED and outcome.residual is None


def _line(outcome: Outcome) -> str:
    words = [
        outcome.verdict.value.ljust(14),
        outcome.attack.ljust(36),
        f"{outcome.seconds:5.1f} s",
        outcome.ended.ljust(16),
    ]
    if outcome.without:
        words.append("without " + " + ".join(outcome.without))
    if outcome.evidence:
        words.append(ascii(outcome.evidence)[1:-1])
    if outcome.peak is not None:
        words.append(f"peak {outcome.peak:.2f}")
    words.append("| " + ascii(outcome.said.strip()[-160:])[1:-1])
    return " ".join(words)


def _place() -> str:
    return "host root" if os.geteuid() == 0 else "host user"


def _toolchains(options: argparse.Namespace) -> tuple[str, str | None]:
    """Where to look for compilers: as told, else as the tests have them."""
    if options.path is not None:
        return options.path, options.go_seed
    try:
        from tests.sandbox.toolchains import go_seed, toolchain_path  # noqa: PLC0415 -- not in the image
    except ImportError:
        return os.environ.get("PATH", ""), options.go_seed
    return toolchain_path(), options.go_seed or go_seed()


@contextmanager
def _standard_input() -> Iterator[str]:
    """This process' stdin holds a secret from now on, as that of a tool might."""
    secret = f"stdin-{os.urandom(12).hex()}"
    with tempfile.TemporaryFile() as file:
        file.write(secret.encode())
        file.flush()
        os.dup2(file.fileno(), 0)
        yield secret


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.sandbox.corpus", description=__doc__)
    parser.add_argument("--naive", action="store_true", help="without a sandbox: proves that the attacks are real")
    parser.add_argument("--as-user", action="store_true", help="from root: as an ordinary user")
    parser.add_argument("--without", action="append", default=[], metavar="NAME", help="a layer, a rule, or `all`")
    parser.add_argument("--each-layer", action="store_true", help="all attacks without each layer in turn")
    parser.add_argument(
        "--each-rule", action="store_true", help="every layer and rule taken away once; fails if none shows"
    )
    parser.add_argument("--here-only", action="store_true", help="with --each-rule: not as an ordinary user, too")
    parser.add_argument("--only", action="append", metavar="GLOB", help="attacks by name, such as files/*")
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help="times that attacks on polled limits run")
    parser.add_argument("--json", metavar="FILE", help="adds the outcomes to it, a line each")
    parser.add_argument("--landlock", type=int, default=_NEWEST, metavar="N", help="as if the kernel had this version")
    parser.add_argument("--place", metavar="NAME", help="what this place is called in the table")
    parser.add_argument("--path", metavar="PATH", help="where compilers are looked for")
    parser.add_argument("--go-seed", metavar="FOLDER", help="Go's standard library, built already")
    parser.add_argument("--verbose", action="store_true", help="a line for each attack")
    parser.add_argument("--table", nargs="+", type=Path, metavar="FILE", help="joins such files to one table")
    return parser


if __name__ == "__main__":
    sys.exit(main())
