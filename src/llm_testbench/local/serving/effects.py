"""What each fault of the table does. Faults of one kind act in the order in which they stand here."""

from __future__ import annotations

from collections.abc import Mapping

from llm_testbench.local.serving import framing, refusing, saying, sending, shaping
from llm_testbench.local.serving.effect import Effect, Frames, Refuses, Says, Sends, Shapes, Swaps

EFFECTS: Mapping[str, tuple[Effect, ...]] = {
    "proxy-cut": (Refuses(refusing.proxy_cut),),
    "error-as-string": (Refuses(refusing.error_as_string),),
    "overloaded": (Refuses(refusing.overloaded),),
    "retry-after": (Refuses(refusing.retry_after),),
    "daily-quota": (Refuses(refusing.daily_quota),),
    "permanent-4xx": (Refuses(refusing.permanent_4xx),),
    "context-overflow": (Refuses(refusing.context_overflow),),
    "content-filter": (Refuses(refusing.content_filter),),
    "tool-choice-rejected": (Refuses(refusing.tool_choice_rejected),),
    "max-tokens-rejected": (Refuses(refusing.max_tokens_rejected),),
    "temperature-rejected": (Refuses(refusing.temperature_rejected),),
    "seed-rejected": (Refuses(refusing.seed_rejected),),
    "stream-options-rejected": (Refuses(refusing.stream_options_rejected),),
    "parallel-tool-calls-rejected": (Refuses(refusing.parallel_tool_calls_rejected),),
    "response-format-rejected": (Refuses(refusing.response_format_rejected),),
    "stream-flag-ignored": (Swaps(),),
    "nondeterministic": (Says(saying.varying),),
    "tool-call-in-text": (Says(saying.printing_its_calls),),
    "reasoning-in-front": (Says(saying.with_reasoning_in_front),),
    "think-tags": (Says(saying.with_think_tags),),
    "budget-exhausted": (Says(saying.without_budget),),
    "cached-repeats": (Says(saying.from_cache),),
    "fallback-model": (Says(saying.by_another_model), Sends(sending.fell_back)),
    "reasoning-fields": (Shapes(shaping.reasoning_in_body, shaping.reasoning_in_chunks),),
    "content-parts": (Shapes(shaping.parts_in_body, shaping.parts_in_chunks),),
    # Of fragments of calls: last those that take away what the others go by.
    "text-after-arguments": (Shapes(shaping.text_behind_arguments, shaping.text_behind_fragments),),
    "empty-arguments-first": (Shapes(chunks=shaping.empty_objects_first),),
    "arguments-as-object": (Shapes(shaping.objects_in_body, shaping.objects_in_chunks),),
    "empty-id-on-continuation": (Shapes(chunks=shaping.empty_ids),),
    "repeated-name": (Shapes(chunks=shaping.repeated_names),),
    "any-order": (Shapes(chunks=shaping.any_order),),
    "index-missing": (Shapes(chunks=shaping.indices_missing),),
    "index-always-zero": (Shapes(chunks=shaping.indices_zero),),
    "stop-with-tool-calls": (
        Shapes(
            shaping.finish_of_body("stop", only_of_calls=True), shaping.finish_of_chunks("stop", only_of_calls=True)
        ),
    ),
    "unknown-finish-reason": (Shapes(shaping.finish_of_body("eos_token"), shaping.finish_of_chunks("eos_token")),),
    "text-with-finish-reason": (Shapes(chunks=shaping.finish_with_last_piece),),
    "empty-finish-reason": (Shapes(chunks=shaping.empty_finish_reasons),),
    "no-finish-reason": (
        Shapes(shaping.finish_of_body(None), shaping.finish_of_chunks(None)),
        Frames(framing.no_done),
    ),
    "two-choices": (Shapes(shaping.calls_in_second_choice, shaping.calls_in_second_choices),),
    "usage-on-every-chunk": (Shapes(chunks=shaping.usage_everywhere),),
    "missing-labels": (Shapes(shaping.unlabelled_body, shaping.unlabelled_chunks),),
    "error-in-choice": (Shapes(shaping.error_in_choice, shaping.error_in_last_choice),),
    "usage-only-chunk": (Shapes(chunks=shaping.usage_without_choices),),
    "prompt-filter-chunk": (Shapes(shaping.with_prompt_filter, shaping.prompt_filter_first),),
    "error-mid-stream": (Shapes(chunks=shaping.error_mid_stream),),
    "warming-up": (Shapes(shaping.no_choices, shaping.one_chunk_without_choices),),
    "error-in-200": (Shapes(shaping.error_body, shaping.error_chunk),),
    "several-data-lines": (Frames(framing.several_lines),),
    "no-done": (Frames(framing.no_done),),
    "no-space-after-data": (Frames(framing.no_space),),
    "empty-data": (Frames(framing.empty_events),),
    "keep-alive-as-data": (Frames(framing.keep_alives),),
    "sse-comments": (Frames(framing.comments, framing.blank_lines),),
    "no-final-blank-line": (Frames(framing.no_final_blank_line),),
    "bom": (Frames(framing.stream_with_bom, framing.with_bom),),
    "split-character": (Frames(framing.cut_characters), Sends(sending.wrong_charset)),
    "crlf": (Frames(framing.crlf),),
    "stacked-retries": (Sends(sending.retried_before),),
    "empty-body": (Sends(sending.empty),),
    "html-page": (Sends(sending.html_page),),
    "wrong-content-encoding": (Sends(sending.wrong_encoding),),
    "open-after-done": (Sends(sending.left_open),),
    "chunked-cut": (Sends(sending.cut_in_chunk),),
    "endless-event": (Sends(sending.endless),),
    "connection-reset": (Sends(sending.reset),),
}
"""By name; every fault of fault_table.FAULTS has its line."""
