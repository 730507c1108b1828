"""What is sent otherwise than asked for, because a model takes it no other way."""

from __future__ import annotations

from dataclasses import dataclass

BUDGET_FACTOR = 4  # design 5.5: budget_exhausted is asked once more with four times the budget
BUDGET_CEILING = 40_960  # tokens: the most that a budget is raised to


@dataclass(frozen=True)
class Habit:
    """What the server has taught about one model. Tokens throughout.

    `max_tokens_key`: the request key that carries the token limit; None: the model's own.
    `token_limit`: the most that one answer may have. `context_window`: the most for prompt and answer together.
    `prompt_tokens`: how long the server says that the prompt of this request is, the only value that is not
    of the model as a whole. `raised`: the budget is BUDGET_FACTOR times what was asked for.
    `omitted`: keys that are not sent, but where the suite itself or `extra_body` sets them.
    `tool_choice_required`: a tool that is chosen by name is sent as the only tool, with `required`.
    """

    max_tokens_key: str | None = None
    token_limit: int | None = None
    context_window: int | None = None
    prompt_tokens: int | None = None
    raised: bool = False
    omitted: frozenset[str] = frozenset()
    tool_choice_required: bool = False

    def described(self) -> tuple[str, ...]:
        """One short phrase each, sorted. The same for runs that were adapted alike, whichever test came first."""
        phrases = [f"{key} is not sent" for key in self.omitted]
        if self.max_tokens_key is not None:
            phrases.append(f"the token limit is sent as {self.max_tokens_key}")
        if self.token_limit is not None:
            phrases.append(f"at most {self.token_limit} tokens an answer")
        if self.context_window is not None:
            phrases.append(f"prompt and answer fit into {self.context_window} tokens")
        if self.raised:
            phrases.append(f"the token limit is {BUDGET_FACTOR} times as high, at most {BUDGET_CEILING}")
        if self.tool_choice_required:
            phrases.append("a named tool is sent as the only one, with tool_choice required")
        return tuple(sorted(phrases))
