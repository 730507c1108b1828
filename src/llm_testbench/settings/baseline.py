"""What a run is compared with: releases, recorded runs, a branch, an artifact's path, in order of preference."""

from __future__ import annotations

import re

from llm_testbench.github.wanted import LIVE, REF
from llm_testbench.settings.kinds import BadValueError, Kind, expected, shown, split_list, words

_NONE = "none"
_ALONE = (_NONE, LIVE)
_BRANCH = re.compile(r"(?!.*\.\.)[A-Za-z0-9_][A-Za-z0-9_./-]*")


def baseline() -> Kind[tuple[str, ...]]:
    """Sources by comma or line; `none` is no source. A file that is called like a word of ours is `./release`."""
    what = "release, base, ref:BRANCH, the path of an artifact, live or none"
    several = words(what, at_least=1)

    def checked(sources: tuple[str, ...]) -> tuple[str, ...]:
        if sources == (_NONE,):
            return ()
        for index, source in enumerate(sources):
            if source in _ALONE and len(sources) > 1:
                raise BadValueError(f"{source} stands alone: remove it, or the other sources")
            if source.startswith(REF) and not _BRANCH.fullmatch(source.removeprefix(REF)):
                raise expected("ref:BRANCH", source)
            if source in sources[:index]:
                raise BadValueError(f"{shown(source)} stands twice")
        return sources

    def parse(value: str) -> tuple[str, ...]:
        return checked(split_list(value) if value.strip() else several.from_text(value))

    return Kind("LIST", parse, lambda value: checked(several.from_json(value)), several.schema, is_list=True)
