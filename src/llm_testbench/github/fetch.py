"""One file from GitHub that may be a baseline."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from llm_testbench.artifact.model import Artifact
from llm_testbench.artifact.read import MAX_PACKED
from llm_testbench.github.api import BINARY_TYPE, GitHub, GitHubError, OversizedAnswerError
from llm_testbench.github.one_file import ArchiveError
from llm_testbench.github.usable import Unusable, judged

MAX_DOWNLOADS = 10  # a source, unless a window of several baselines wants more
_GONE = frozenset({404, 410})


def _as_it_is(data: bytes) -> bytes:
    return data


def fetched(
    github: GitHub,
    path: str,
    *,
    needs: str,
    recorded: bool,
    params: Mapping[str, str] = MappingProxyType({}),
    accept: str = BINARY_TYPE,
    size: int = 0,
    unpack: Callable[[bytes], bytes] = _as_it_is,
) -> Artifact | Unusable:
    """Downloads and judges a file of at most MAX_PACKED bytes. `size`: what GitHub says that it has, 0: nothing.

    `recorded`: see `judged`. `unpack` may raise ArchiveError. GitHubError when GitHub is in trouble, which says
    nothing about the file.
    """
    too_large = Unusable(f"is larger than {MAX_PACKED >> 20} MiB", broken=True)
    if size > MAX_PACKED:
        return too_large
    try:
        data = unpack(github.download(path, MAX_PACKED, accept, needs=needs, **params))
    except OversizedAnswerError:
        return too_large
    except ArchiveError as error:
        return Unusable(str(error), broken=True)
    except GitHubError as error:
        if error.status not in _GONE:
            raise
        return Unusable(f"its file is gone: {error}", broken=True, gone=True)
    return judged(data, path, recorded=recorded)
