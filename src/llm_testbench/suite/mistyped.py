"""Parameters of the request that nobody knows, and that look like one that is known.

A gateway may know any parameter, so that none is refused; and a mistyped one is often dropped without a word.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher

from llm_testbench.nearest import hint
from llm_testbench.suite.model import Test
from llm_testbench.suite.problem import Problem, problem
from llm_testbench.suite.rules import MISTYPED_PARAMETER

KNOWN = (
    # OpenAI's chat completions
    *("audio", "frequency_penalty", "function_call", "functions", "logit_bias", "logprobs", "metadata", "modalities"),
    *("parallel_tool_calls", "prediction", "presence_penalty", "prompt_cache_key", "reasoning_effort"),
    *("response_format", "safety_identifier", "service_tier", "stop", "store", "temperature", "tool_choice"),
    *("top_logprobs", "top_p", "user", "verbosity", "web_search_options"),
    # vLLM, SGLang, llama.cpp, Ollama, LiteLLM and others
    *("add_generation_prompt", "allowed_openai_params", "bad_words", "best_of", "cache_prompt", "chat_template"),
    *("chat_template_kwargs", "continue_final_message", "documents", "drop_params", "dry_multiplier", "echo"),
    *("enable_thinking", "extra_query", "format", "grammar", "guided_choice", "guided_grammar", "guided_json"),
    *("guided_regex", "ignore_eos", "include_reasoning", "include_stop_str_in_output", "json_schema", "keep_alive"),
    *("length_penalty", "min_p", "min_tokens", "mirostat", "num_ctx", "num_predict", "options", "priority"),
    *("provider", "reasoning", "reasoning_format", "reasoning_split", "repeat_penalty", "repetition_penalty"),
    *("samplers", "separate_reasoning", "skip_special_tokens", "spaces_between_special_tokens", "stop_token_ids"),
    *("structured_outputs", "thinking", "top_a", "top_k", "transforms", "truncate_prompt_tokens", "typical_p"),
    *("use_beam_search",),
)
_ALIKE = 0.85
"""`top_k` and `top_p` are 0.8 alike."""
_LONGEST = 40  # characters: comparing takes its time


def lint_parameters(test: Test) -> Iterator[Problem]:
    """A note on each key that is most likely another one."""
    for key in test.parameters:
        if (
            key not in KNOWN
            and len(key) <= _LONGEST
            and any(SequenceMatcher(None, key, known).ratio() >= _ALIKE for known in KNOWN)
        ):
            told = f"request.{key} is sent as it is written, and no gateway is known to read it{hint(key, KNOWN)}"
            yield problem(MISTYPED_PARAMETER, test, told, test.place)
