"""How to accept a drop that is wanted: the entries to paste, and the command that writes them."""

from __future__ import annotations

from shlex import quote

from llm_testbench.compare.accepted_form import to_yaml
from llm_testbench.compare.model import Comparison
from llm_testbench.report.document import BLOCK_LIMIT, Block, Code, Heading, Mono, Paragraph, text
from llm_testbench.report.rerun import Rerun
from llm_testbench.untrusted import Untrusted

ONLY_FURTHER = "Then only a further drop fails."
BLINDER = (
    " This run's attempts then stand in the baseline's place for all of its tests, and the gate sees less until"
    " a new baseline is recorded."
)


def accept_blocks(comparison: Comparison, around: Rerun) -> list[Block]:
    """Nothing where no drop can be accepted. `around` tells where the files are."""
    accepted, written = around.accepted, around.comparison
    entries = comparison.accept
    if not entries:
        return []
    one = len(entries) == 1
    then = ONLY_FURTHER + (BLINDER if any(entry.test is None for entry in entries) else "")
    title = Heading(3, text(f"If you want {'this drop, accept it' if one else 'these drops, accept them'}"))
    file = Mono(Untrusted(accepted))
    # `./`: a path that begins with a dash would be read as a flag.
    operand = quote(written if not written.startswith("-") else f"./{written}")
    command = Code(Untrusted(f"llmtest accept {operand} --reason '…'"), "sh")
    pasted = to_yaml(entries).removesuffix("\n")
    if len(pasted) > BLOCK_LIMIT:
        return [title, Paragraph(text("This writes the scores of this run to ", file, f". {then}")), command]
    which = "this entry" if one else "these entries"
    return [
        title,
        Paragraph(text(f"Put {which} into ", file, f", in place of an older one of the same name. {then}")),
        Code(Untrusted(pasted), "yaml"),
        Paragraph(text("Or let the files of this run do it:")),
        command,
    ]
