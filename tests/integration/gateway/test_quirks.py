"""The corpus: 65 things that gateways do otherwise than documented, as raw bytes, and what must come of each."""

from __future__ import annotations

import pytest
from tests.quirks.corpus import Case, Response, cases, corpus
from tests.quirks.ours import play

from llm_testbench.answer.model import Completion
from llm_testbench.gateway.body import Body
from llm_testbench.gateway.chunked import ChunkDecoder
from llm_testbench.gateway.model import Failure


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.id)
def test_the_gateway_survives(case: Case) -> None:
    expected, seen = play(case)

    assert seen == expected


BODIES = {
    f"{case.id}-{place}": response
    for case in cases()
    for place, response in enumerate(case.responses)
    if response.status is not None and not response.endless
}


@pytest.mark.parametrize("response", BODIES.values(), ids=BODIES.keys())
def test_the_same_bytes_in_pieces_give_the_same_answer(response: Response) -> None:
    whole = read(response, len(response.raw))

    assert [read(response, size) for size in (1, 2, 3, 7, 64)] == [whole] * 5


def read(response: Response, size: int) -> Completion | Failure:
    body, chunks = Body(response.status or 0), ChunkDecoder()
    for at in range(0, len(response.body), size):
        piece = response.body[at : at + size]
        body.feed(chunks.feed(piece) if response.is_chunked else piece)
    return body.result()


def test_the_corpus_is_whole() -> None:
    assert [quirk.number for quirk in corpus()] == list(range(1, 66))
    for quirk in corpus():
        assert quirk.cases, quirk.name
        assert all(case.responses for case in quirk.cases), quirk.name
    # Without a thread stands only what was measured.
    assert [quirk.name for quirk in corpus() if not quirk.threads] == ["bom"]
