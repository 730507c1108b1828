"""Other answers than the one that was to be given."""

from __future__ import annotations

from dataclasses import replace

from llm_testbench.answer.model import Completion, Usage
from llm_testbench.local.serving.chance import chance
from llm_testbench.local.serving.effect import Occasion
from llm_testbench.local.serving.forms import printed
from llm_testbench.local.serving.refusing import ENOUGH_TOKENS

REASONING = "Let me think about what is asked here."
OTHER_MODEL = "another-model"


def with_think_tags(said: Completion, occasion: Occasion) -> Completion:
    """Where the opening tag stands in the prompt's template, only the closing one comes."""
    opening = "<think>\n" if occasion.turn % 2 == 0 else ""
    return replace(said, text=f"{opening}{REASONING}\n</think>\n\n{said.text}")


def with_reasoning_in_front(said: Completion, _: Occasion) -> Completion:
    """Who puts it before the text lets checks find the wrong answer."""
    return replace(said, reasoning="The answer may be 41? No, that is wrong.")


def without_budget(said: Completion, occasion: Occasion) -> Completion:
    """Reasoning up to the limit, where it is low."""
    limit = occasion.question.limit
    if limit is None or limit >= ENOUGH_TOKENS:
        return said
    counted = Usage(said.usage.prompt_tokens, limit, limit)
    return Completion("", reasoning=REASONING, finish_reason="length", usage=counted, served_model=said.served_model)


def printing_its_calls(said: Completion, _: Occasion) -> Completion:
    """Nothing but text, whatever was called."""
    if not said.tool_calls:
        return said
    text = "\n".join([*([said.text] if said.text else ()), *map(printed, said.tool_calls)])
    return replace(said, text=text, tool_calls=(), finish_reason="stop")


def varying(said: Completion, occasion: Occasion) -> Completion:
    """Another batch, another rounding."""
    question = occasion.question
    other = chance("varying", question.model, question.key, question.seed, occasion.turn) < 0.5
    if not other:
        return replace(said, fingerprint="fp_1")
    return replace(said, text=said.text.upper(), fingerprint="fp_2")


def by_another_model(said: Completion, _: Occasion) -> Completion:
    """What was asked for was not available."""
    return replace(said, served_model=OTHER_MODEL)


def from_cache(said: Completion, occasion: Occasion) -> Completion:
    """The id goes by the request alone."""
    return replace(said, response_id=f"chatcmpl-{occasion.question.key[:12]}")
