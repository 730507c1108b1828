"""`llmtest init`: a first suite, a config file and, when asked for, a workflow; nothing that exists is touched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from llm_testbench import schemas
from llm_testbench.commands.edges import Edges
from llm_testbench.errors import InconclusiveError, InputError, Place
from llm_testbench.settings import config_file

SUITE = "evals/first.yaml"
SCHEMA = "evals/suite.schema.json"
CONFIG = config_file.NAMES[0]
WORKFLOW = ".github/workflows/llm-testbench.yml"

_TEMPLATES = Path(__file__).parent / "scaffold"
_BASELINE = "baseline.json.gz"


def main(flags: Mapping[str, str | None], _arguments: Sequence[str], edges: Edges) -> int:
    """0, also when all of it was there already."""
    configured = config_file.find(edges.cwd)
    contents = {SUITE: _template("first.yaml"), SCHEMA: schemas.text("suite")}
    if configured is None:
        contents[CONFIG] = _template(CONFIG)
    if flags.get("workflow") == "true":
        contents[WORKFLOW] = _template("workflow.yml")
    lines = [_written(name, content, edges.cwd) for name, content in contents.items()]
    if configured is not None:
        lines.append(_kept(configured.relative_to(edges.cwd).as_posix()))
    edges.stdout.write("\n".join((*lines, "", *_next(own_config=configured is not None), "")))
    edges.stdout.flush()
    return 0


def _template(name: str) -> str:
    return (_TEMPLATES / name).read_text("utf-8")


def _kept(name: str) -> str:
    return f"kept   {name}: it exists already"


def _written(name: str, content: str, cwd: Path) -> str:
    """Writes a file, unless there is one of its name, and says so."""
    path = cwd / name
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # "x" follows no link either: what is there, stays.
        file = path.open("x", encoding="utf-8", newline="\n")
    except FileExistsError:
        if not path.parent.is_dir():
            raise InputError("a file stands where a folder is needed", Place(str(Path(name).parent))) from None
        return _kept(name)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", Place(name)) from None
    try:
        with file:
            file.write(content)
    except OSError as error:
        # Half a file would be kept by the next try.
        path.unlink(missing_ok=True)
        raise InconclusiveError(f"cannot be written: {error.strerror or error}", Place(name)) from None
    return f"wrote  {name}"


def _next(*, own_config: bool) -> tuple[str, ...]:
    """What to type next. A config file that was there already may name other suites."""
    suites = f" --suites {SUITE}" if own_config else ""
    ask = () if own_config else (f"These ask the embedded model. For your gateway, change endpoint in {CONFIG}.",)
    return (
        "Next:",
        f"  llmtest validate {SUITE}",
        f"  llmtest run{suites} --out {_BASELINE}",
        f"  llmtest gate{suites} --baseline {_BASELINE}",
        *ask,
    )
