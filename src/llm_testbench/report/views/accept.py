"""How to accept a drop that is wanted: the entries to paste, and the command that writes them."""

from __future__ import annotations

from shlex import quote

from llm_testbench.compare.accepted_form import to_yaml
from llm_testbench.compare.model import Comparison
from llm_testbench.report.document import BLOCK_LIMIT, Block, Code, Heading, Mono, Paragraph, text
from llm_testbench.untrusted import Untrusted

WRITTEN = "llm-testbench-results/comparison.json"
ONLY_FURTHER = "Then only a further drop fails."


def accept_blocks(comparison: Comparison, accepted: str = "accepted.yaml", written: str = WRITTEN) -> list[Block]:
    """Nothing where no drop can be accepted.

    `accepted`, `written`: paths of the accepted drops and of this comparison, as a person in the repository types them.
    """
    entries = comparison.accept
    if not entries:
        return []
    one = len(entries) == 1
    title = Heading(3, text(f"If you want {'this drop, accept it' if one else 'these drops, accept them'}"))
    file = Mono(Untrusted(accepted))
    # `./`: a path that begins with a dash would be read as a flag.
    operand = quote(written if not written.startswith("-") else f"./{written}")
    command = Code(Untrusted(f"llmtest accept {operand} --reason '…'"), "sh")
    pasted = to_yaml(entries).removesuffix("\n")
    if len(pasted) > BLOCK_LIMIT:
        return [title, Paragraph(text("This writes the scores of this run to ", file, f". {ONLY_FURTHER}")), command]
    which = "this entry" if one else "these entries"
    return [
        title,
        Paragraph(text(f"Put {which} into ", file, f", in place of an older one of the same name. {ONLY_FURTHER}")),
        Code(Untrusted(pasted), "yaml"),
        Paragraph(text("Or let the files of this run do it:")),
        command,
    ]
