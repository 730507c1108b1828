"""What servers say when they refuse a parameter, and what is changed for it. The words are those of real servers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from llm_testbench.gateway.adapt import adapted
from llm_testbench.gateway.failures import failure_of_error, failure_of_status, parameter_of
from llm_testbench.gateway.habit import Habit
from llm_testbench.gateway.model import ChatRequest, ModelOptions

MODEL = ModelOptions("m", "m", "http://host/v1", max_tokens=32_000, temperature=0.0, seed=7, stream=True)
REQUEST = ChatRequest(
    ({"role": "user", "content": "What is the weather?"},),
    ({"type": "function", "function": {"name": "get_weather", "parameters": {}}},),
    {"tool_choice": {"type": "function", "function": {"name": "get_weather"}}},
)
CHANGED_KEY = Habit(max_tokens_key="max_completion_tokens")
NO_TEMPERATURE = Habit(omitted=frozenset({"temperature"}))
NO_SEED = Habit(omitted=frozenset({"seed"}))
NO_STREAM_OPTIONS = Habit(omitted=frozenset({"stream_options"}))
REQUIRED = Habit(tool_choice_required=True)


def at_most(tokens: int) -> Habit:
    return Habit(token_limit=tokens)


def fitted(window: int, prompt: int) -> Habit:
    return Habit(context_window=window, prompt_tokens=prompt)


def openai(message: str, param: str | None = None, code: str | None = None) -> dict[str, Any]:
    return {"error": {"message": message, "type": "invalid_request_error", "param": param, "code": code}}


def said(message: str) -> dict[str, Any]:
    """The words alone, as a gateway hands them on."""
    return {"error": {"message": message}}


def forbidden(*where: str) -> dict[str, Any]:
    detail = [{"type": "extra_forbidden", "loc": ["body", *where], "msg": "Extra inputs are not permitted", "input": 1}]
    return {"detail": detail}


def learned(status: int, body: object, model: ModelOptions = MODEL, request: ChatRequest = REQUEST) -> Habit | None:
    return adapted(model, request, Habit(), failure_of_status(status, body))


USE_OTHER = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
ONLY_ONE = (
    "Unsupported value: 'temperature' does not support 0.0 with this model. Only the default (1) value is supported."
)
NO_STREAM = "The 'stream_options' parameter is only allowed when 'stream' is enabled."
TOO_LARGE = (
    "max_tokens is too large: 32000. This model supports at most 16384 completion tokens, whereas you provided 32000."
)
DROP = "To drop these, set `litellm.drop_params=True` or for proxy:\n\n`litellm_settings:\n drop_params: true`\n"


@pytest.mark.parametrize(
    ("status", "body", "habit"),
    [
        pytest.param(400, openai(USE_OTHER, "max_tokens", "unsupported_parameter"), CHANGED_KEY, id="OpenAI, Azure"),
        pytest.param(400, said(USE_OTHER), CHANGED_KEY, id="Copilot: caozhiyuan/copilot-api#164"),
        pytest.param(
            400,
            said(f"litellm.BadRequestError: OpenAIException - {USE_OTHER}"),
            CHANGED_KEY,
            id="LiteLLM before OpenAI",
        ),
        pytest.param(
            400,
            said(f'[openai/gpt-5.4] [400]: {{\n "error": {{\n "message": "{USE_OTHER}"}}}} (reset after 30s)'),
            CHANGED_KEY,
            id="decolua/9router#846",
        ),
        pytest.param(
            400,
            {
                "error": {
                    "message": "Provider returned error",
                    "code": 400,
                    "metadata": {"raw": f'{{"error": {{"message": "{USE_OTHER}"}}}}'},
                }
            },
            CHANGED_KEY,
            id="OpenRouter before OpenAI",
        ),
        pytest.param(422, forbidden("max_tokens"), CHANGED_KEY, id="FastAPI: the key"),
        # The temperature
        pytest.param(
            400, openai(ONLY_ONE, "temperature", "unsupported_value"), NO_TEMPERATURE, id="o1: OpenHands#4131"
        ),
        pytest.param(400, said(ONLY_ONE), NO_TEMPERATURE, id="langchaingo#1355"),
        pytest.param(
            400,
            said("Github [400]: [400]: Unsupported parameter: 'temperature' is not supported with this model."),
            NO_TEMPERATURE,
            id="decolua/9router#536",
        ),
        pytest.param(
            400, said("invalid temperature: only 1 is allowed for this model"), NO_TEMPERATURE, id="Kimi: only 1"
        ),
        pytest.param(
            422,
            {"status": 422, "message": "Invalid params: temperature must be in range (0, +inf)"},
            NO_TEMPERATURE,
            id="GigaChat: ai-forever/gigachain#237",
        ),
        pytest.param(
            400,
            said("`temperature` and `top_p` cannot both be specified for this model. Please use only one."),
            NO_TEMPERATURE,
            id="Bedrock, Sonnet 4.6: skydiscover#15",
        ),
        pytest.param(
            400,
            said("temperature and top_p cannot both be specified for this model."),
            NO_TEMPERATURE,
            id="langfuse#9882",
        ),
        pytest.param(
            400,
            said("`temperature` may only be set to 1 when thinking is enabled."),
            NO_TEMPERATURE,
            id="Anthropic: thinking",
        ),
        pytest.param(
            400, said("`temperature` is deprecated for this model."), NO_TEMPERATURE, id="Anthropic: deprecated"
        ),
        pytest.param(
            422, said("Input validation error: `temperature` must be strictly positive"), NO_TEMPERATURE, id="TGI"
        ),
        pytest.param(
            400,
            said(
                f"litellm.UnsupportedParamsError: gpt-5 models (including gpt-5-codex) don't support temperature=0.0. {DROP}"
            ),
            NO_TEMPERATURE,
            id="LiteLLM: gpt-5",
        ),
        # The seed
        pytest.param(422, forbidden("seed"), NO_SEED, id="Azure AI, Mistral: langchain-azure#82"),
        pytest.param(
            422,
            {"object": "error", "message": forbidden("seed"), "type": "invalid_request_error", "param": None},
            NO_SEED,
            id="Mistral: ChatterUI#143",
        ),
        pytest.param(
            400,
            {
                "object": "error",
                "message": "[{'type': 'extra_forbidden', 'loc': ('body', 'seed'), 'msg': 'Extra inputs are not permitted', 'input': 7}]",
                "param": None,
            },
            NO_SEED,
            id="vLLM: 1Panel-dev/MaxKB#2912",
        ),
        pytest.param(
            500,
            {
                "error": {
                    "message": f"ollama does not support parameters: {{'seed': 1}}, for model=llama3. {DROP}",
                    "param": None,
                    "code": 500,
                }
            },
            NO_SEED,
            id="LiteLLM before Ollama: BerriAI/litellm#3923",
        ),
        pytest.param(
            400,
            said(
                f"litellm.UnsupportedParamsError: anthropic does not support parameters: ['top_k', 'seed'], for model=c. {DROP}"
            ),
            NO_SEED,
            id="LiteLLM before Anthropic: kaiko-ai/eva#895",
        ),
        pytest.param(400, said("property 'seed' is unsupported"), NO_SEED, id="Groq"),
        pytest.param(400, said("seed: Extra inputs are not permitted"), NO_SEED, id="Anthropic"),
        pytest.param(
            400,
            {
                "message": "Malformed input request: #: extraneous key [seed] is not permitted, please reformat your input"
            },
            NO_SEED,
            id="Bedrock",
        ),
        pytest.param(400, said("Torch XLA does not support per-request seed."), NO_SEED, id="vLLM on TPU: vllm#16172"),
        pytest.param(
            500, "TypeError: create() got an unexpected keyword argument 'seed'", NO_SEED, id="a crash that names it"
        ),
        pytest.param(500, {"detail": "KeyError: 'seed'"}, NO_SEED, id="another crash"),
        pytest.param(
            400, said("Additional properties are not allowed ('seed' was unexpected)"), NO_SEED, id="a JSON schema"
        ),
        pytest.param(400, {"error": 'json: unknown field "seed"'}, NO_SEED, id="Go"),
        # What a stream adds
        pytest.param(
            400, openai(NO_STREAM, "stream_options"), NO_STREAM_OPTIONS, id="a stream is faked: BerriAI/litellm#5803"
        ),
        pytest.param(
            400,
            openai("Unknown parameter: 'stream_options'. (request id: 2024)", "stream_options", "unknown_parameter"),
            NO_STREAM_OPTIONS,
            id="new-api#418",
        ),
        pytest.param(
            422, forbidden("stream_options", "include_usage"), NO_STREAM_OPTIONS, id="Mistral: openai-agents-python#442"
        ),
        pytest.param(
            400,
            said("property 'stream_options' is unsupported, did you mean 'stream'?"),
            NO_STREAM_OPTIONS,
            id="Groq: vercel/ai#1578",
        ),
        pytest.param(
            400,
            said("Unrecognized request argument supplied: stream_options"),
            NO_STREAM_OPTIONS,
            id="Azure: FlowiseAI/Flowise#2866",
        ),
        pytest.param(
            400,
            said("Unrecognized request arguments supplied: seed, stream_options"),
            Habit(omitted=frozenset({"seed", "stream_options"})),
            id="two at once",
        ),
        # The choice of a tool
        pytest.param(
            400,
            {"error": "Invalid tool_choice type: 'object'. Supported string values: none, auto, required"},
            REQUIRED,
            id="LM Studio: lmstudio-bug-tracker#670",
        ),
        pytest.param(
            404,
            {
                "error": {
                    "message": "No endpoints found that support the provided 'tool_choice' value. To learn more …",
                    "code": 404,
                }
            },
            REQUIRED,
            id="OpenRouter: zed-industries/zed#36094",
        ),
        pytest.param(
            400,
            openai("Invalid value: 'object'. Supported values are: 'none' and 'auto'.", "tool_choice"),
            REQUIRED,
            id="in param",
        ),
        pytest.param(422, forbidden("tool_choice", "function"), REQUIRED, id="FastAPI: a part of it"),
        pytest.param(
            400, said("Invalid tool_choice: a choice for function 'get_weather'"), REQUIRED, id="it speaks of functions"
        ),
        pytest.param(400, openai("Not taken", "body.tool_choice"), REQUIRED, id="param has the path"),
        pytest.param(400, openai("Unknown parameter: 'seed'.", "None"), NO_SEED, id="param is the word None"),
        # A token limit below ours
        pytest.param(400, openai(TOO_LARGE, "max_tokens"), at_most(16_384), id="OpenAI: NextChat#3195"),
        pytest.param(
            400,
            said(f"litellm.BadRequestError: OpenAIException - {TOO_LARGE}"),
            at_most(16_384),
            id="ExtractThinker#346",
        ),
        pytest.param(
            400, openai("Param Incorrect", TOO_LARGE, "400"), at_most(16_384), id="the words stand in param: AQBot#93"
        ),
        pytest.param(
            400,
            said(
                "max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens for claude-3-5-sonnet"
            ),
            at_most(8192),
            id="Anthropic",
        ),
        pytest.param(
            400,
            said("<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 8192]"),
            at_most(8192),
            id="DashScope: open-webui#10507",
        ),
        pytest.param(
            400,
            openai("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]"),
            at_most(8192),
            id="DeepSeek: DeepSeek-V3#69",
        ),
        pytest.param(
            400,
            openai("max_tokens for `llama-3.1-8b-instant` must be less than or equal to 8000"),
            at_most(8000),
            id="Groq: groq-moa#8",
        ),
        pytest.param(
            400,
            openai(
                "`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the `context_window` for this model",
                "max_tokens",
            ),
            at_most(8192),
            id="Groq, which names the context too",
        ),
        pytest.param(
            400,
            {
                "code": 400,
                "reason": "INVALID_REQUEST_BODY",
                "message": "max_tokens (current value: 32000) must be between 0 and 4000 ",
            },
            at_most(4000),
            id="KeywordGacha#111",
        ),
        pytest.param(
            400,
            openai(
                "The parameter `max_tokens` specified in the request are not valid: integer above maximum value, expected a value <= 12288, but got 32000 instead. Request id: 02",
                "max_tokens",
            ),
            at_most(12_288),
            id="Volcengine: openclaude#331",
        ),
        pytest.param(
            400,
            {
                "message": "The maximum tokens you requested exceeds the model limit of 4096. Try again with a maximum tokens value that is lower than 4096."
            },
            at_most(4096),
            id="Bedrock: vercel/ai#2772",
        ),
        pytest.param(
            400,
            {"message": "The maximum tokens you requested exceeds the model limit of 16,384"},
            at_most(16_384),
            id="Bedrock, with a comma",
        ),
        pytest.param(
            400,
            said(
                "Unable to submit request because it has a maxOutputTokens value of 32000 but the supported range is from 1 (inclusive) to 8193 (exclusive). Update the value and try again."
            ),
            at_most(8192),
            id="Vertex AI",
        ),
        pytest.param(400, said("Requests with max_tokens > 4096 must have stream=true"), at_most(4096), id="Fireworks"),
        pytest.param(
            422,
            {
                "detail": [
                    {
                        "type": "less_than_equal",
                        "loc": ["body", "max_tokens"],
                        "msg": "Input should be less than or equal to 4096",
                        "input": 32000,
                        "ctx": {"le": 4096},
                    }
                ]
            },
            at_most(4096),
            id="FastAPI: NIM",
        ),
        pytest.param(
            416, said("max_completion_tokens is limited to 8192 for this model"), at_most(8192), id="Scaleway"
        ),
        # Prompt and answer together
        pytest.param(
            400,
            openai(
                "This model's maximum context length is 8192 tokens. However, you requested 32064 tokens (64 in the messages, 32000 in the completion). Please reduce the length of the messages or completion.",
                "messages",
                "context_length_exceeded",
            ),
            fitted(8192, 64),
            id="OpenAI, vLLM, DeepSeek: NextChat#3195",
        ),
        pytest.param(
            400,
            openai(
                "This model's maximum context length is 4097 tokens, however you requested 35860 tokens (3860 in your prompt; 32000 for the completion). Please reduce your prompt; or completion length."
            ),
            fitted(4097, 3860),
            id="OpenAI, older: llama_index#948",
        ),
        pytest.param(
            400,
            openai(
                "'max_tokens' or 'max_completion_tokens' is too large: 32000. This model's maximum context length is      32001 tokens and your request has 24235 input tokens (32000 > 32001 - 24235). None"
            ),
            fitted(32_001, 24_235),
            id="vLLM: claude-code-best#272",
        ),
        pytest.param(
            400,
            {
                "message": "This model's maximum context length is 4096 tokens. However, you requested 32000 output tokens and your prompt contains 404 input tokens, for a total of 32404 tokens."
            },
            fitted(4096, 404),
            id="vLLM of 2026",
        ),
        pytest.param(
            400,
            said(
                "Requested token count exceeds the model's maximum context length of 202752 tokens. You requested a total of 202941 tokens: 170941 tokens from the input messages and 32000 tokens for the completion. Please reduce the number of tokens in the input messages or the completion to fit within the limit."
            ),
            fitted(202_752, 170_941),
            id="SGLang: opencode#25230",
        ),
        pytest.param(
            400,
            said(
                "input length and `max_tokens` exceed context limit: 174167 + 32000 > 200000, decrease input length or `max_tokens` and try again"
            ),
            fitted(200_000, 174_167),
            id="Anthropic: kortix-ai/suna#172",
        ),
        pytest.param(
            422,
            {
                "error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 2048. Given: 1244 `inputs` tokens and 32000 `max_new_tokens`",
                "error_type": "validation",
            },
            fitted(2048, 1244),
            id="TGI: text-generation-inference#628",
        ),
        pytest.param(
            400,
            {
                "error": {
                    "message": 'This endpoint\'s maximum context length is 131072 tokens. However, you requested about 142535 tokens (110535 of text input, 32000 in the output). Please reduce the length of either one, or use the "middle-out" transform',
                    "code": 400,
                }
            },
            fitted(131_072, 110_535),
            id="OpenRouter: aider#3721",
        ),
    ],
)
def test_a_refusal_that_names_a_parameter_changes_just_that(status: int, body: object, habit: Habit) -> None:
    assert learned(status, body) == habit


@pytest.mark.parametrize(
    ("status", "body"),
    [
        # It is about something else, and has a word like ours.
        pytest.param(
            400, said("Your prompt about body temperature is not allowed by our content policy."), id="a policy"
        ),
        pytest.param(400, said("The request was flagged: 'temperature' is not permitted."), id="a moderation"),
        pytest.param(
            400, said("Questions about temperature are not supported in your region"), id="the topic of a prompt"
        ),
        pytest.param(400, said("Planting seed is not allowed"), id="the topic, seed"),
        pytest.param(
            400,
            openai(
                "Invalid schema for function 'grow': In context=('properties', 'seed'), 'type' is not permitted.",
                "tools[0].function.parameters",
            ),
            id="a property of a tool",
        ),
        pytest.param(
            400, openai("Unknown parameter: 'tools[0].function.parameters.properties.seed'."), id="a path to a property"
        ),
        pytest.param(
            422, forbidden("tools", "0", "function", "parameters", "properties", "seed"), id="a path of FastAPI"
        ),
        pytest.param(
            400,
            said("tools.0.custom.input_schema.properties.seed: Extra inputs are not permitted"),
            id="Anthropic's path",
        ),
        pytest.param(
            400,
            openai("Invalid parameter: 'seed' is not supported in json_schema", "response_format"),
            id="a response format",
        ),
        pytest.param(
            400, openai("'temperature' is not supported", "messages"), id="the message blames another than param"
        ),
        pytest.param(
            400, openai("Unsupported parameter: 'top_p' is not supported with this model.", "top_p"), id="top_p"
        ),
        pytest.param(400, openai("Invalid 'messages[1].content': unknown field 'seed'."), id="in a message"),
        pytest.param(400, said("Unknown field: seed_value"), id="a longer name"),
        pytest.param(400, said("Unsupported parameter: 'temperature_curve'"), id="a longer name, quoted"),
        pytest.param(
            400,
            said(
                'Invalid JSON payload received. Unknown name "messages": Cannot find field. Unknown name "temperature": Cannot find field.'
            ),
            id="no chat endpoint at all",
        ),
        # A limit that is not the model's.
        pytest.param(
            402,
            said(
                "This request requires more credits, or fewer max_tokens. You requested up to 32000 tokens, but can only afford 2048."
            ),
            id="OpenRouter: no money",
        ),
        pytest.param(
            429,
            said(
                "Request too large for gpt-4 on tokens per min (TPM): Limit 10000, Requested 32404. max_tokens must be less than or equal to 9000"
            ),
            id="a rate limit",
        ),
        pytest.param(
            400,
            said("Invalid 'tools': array too long. Expected an array with maximum length 128; max_tokens was 32000."),
            id="another number",
        ),
        pytest.param(400, said("max_tokens must be at least 64000"), id="a limit from below"),
        pytest.param(400, said("max_tokens must be less than or equal to 64000"), id="a limit above ours"),
        pytest.param(
            400,
            said("Flagged by moderation: 'max_tokens must be less than or equal to 9'"),
            id="a moderation that quotes a limit",
        ),
        pytest.param(400, said("max_tokens must be less than or equal to 0"), id="a limit of nothing"),
        pytest.param(400, said("max_tokens is too large."), id="too large, and not by how much"),
        pytest.param(400, openai("The max_tokens you gave may not be what you want.", None), id="a remark"),
        # The prompt alone is too long.
        pytest.param(
            400,
            openai(
                "This model's maximum context length is 128000 tokens. However, your messages resulted in 204308 tokens. Please reduce the length of the messages.",
                "messages",
                "context_length_exceeded",
            ),
            id="the prompt: wtm2#579",
        ),
        pytest.param(
            400,
            openai(
                "This model's maximum context length is 8192 tokens. However, you requested 42000 tokens (10000 in the messages, 32000 in the completion).",
                "messages",
            ),
            id="the prompt, with our limit",
        ),
        pytest.param(
            400,
            {
                "error": {
                    "message": "This endpoint's maximum context length is 16384 tokens. However, you requested about 94307 tokens (94307 of text input).",
                    "code": 400,
                }
            },
            id="the prompt: cognee#1061",
        ),
        pytest.param(
            400,
            {
                "error": {
                    "code": 400,
                    "message": "the request exceeds the available context size, try increasing it",
                    "type": "exceed_context_size_error",
                    "n_prompt_tokens": 5000,
                    "n_ctx": 4096,
                }
            },
            id="llama.cpp",
        ),
        pytest.param(
            400,
            said("The input (61709 tokens) is longer than the model's context length (40960 tokens)."),
            id="SGLang: Qwen3#1321",
        ),
        pytest.param(
            400,
            said("This model's maximum context length is 8192 tokens. Reduce max_tokens."),
            id="no length of the prompt",
        ),
        # Not refused by the server's rules.
        pytest.param(401, openai(ONLY_ONE, "temperature"), id="a wrong key"),
        pytest.param(500, said("the seed server is not available"), id="a crash that mentions a word"),
        pytest.param(503, said("overloaded"), id="a busy server"),
        pytest.param(
            500,
            {"error": {"message": "bad response status code 500", "param": "500"}},
            id="param is a number: vllm-fork#773",
        ),
        pytest.param(
            400,
            said("'auto' tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set"),
            id="how vLLM was started",
        ),
        pytest.param(
            400, openai("Invalid value for 'response_format'", "response_format"), id="a response format is the test's"
        ),
        pytest.param(
            400,
            openai("Unsupported parameter: 'parallel_tool_calls'", "parallel_tool_calls"),
            id="so are parallel calls",
        ),
        pytest.param(400, "", id="nothing said"),
    ],
)
def test_a_refusal_that_does_not_name_one_changes_nothing(status: int, body: object) -> None:
    assert learned(status, body) is None


def test_a_lower_bound_of_the_prompt_is_not_taken_for_its_length() -> None:
    body = said(
        "This model's maximum context length is 4096 tokens. However, you requested 3900 output tokens and your prompt contains at least 197 input tokens, for a total of at least 4097 tokens."
    )
    assert learned(400, body, replace(MODEL, max_tokens=3900)) == fitted(4096, 2 * (4096 - 3900))


def test_a_lower_bound_never_takes_all_that_is_left() -> None:
    body = said(
        "This model's maximum context length is 4096 tokens. However, you requested 1000 output tokens and your prompt contains at least 3097 input tokens, for a total of at least 4097 tokens."
    )
    assert learned(400, body, replace(MODEL, max_tokens=1000)) == fitted(4096, (3097 + 4096) // 2)


def test_an_error_inside_an_answer_with_a_good_status_is_heeded_too() -> None:
    failure = failure_of_error({"error": {"message": USE_OTHER, "param": "max_tokens", "code": 400}}, 200)
    assert adapted(MODEL, REQUEST, Habit(), failure) == CHANGED_KEY


def test_what_only_the_prompt_says_proves_nothing() -> None:
    trap = ChatRequest(({"role": "user", "content": "Translate: Unsupported parameter: 'seed'"},))
    body = said("cannot process: Translate: Unsupported parameter: 'seed'")
    assert (learned(400, body), learned(400, body, request=trap)) == (NO_SEED, None)


@pytest.mark.parametrize(
    ("body", "parameter"),
    [
        (openai("x", "seed"), "seed"),
        (openai("x"), None),
        (forbidden("stream_options", "include_usage"), "stream_options.include_usage"),
        ({"object": "error", "message": forbidden("seed"), "param": None}, "seed"),
        ({"message": '{"detail":[{"loc":["body","seed"],"msg":"no"}]}', "param": None}, "seed"),
        ({"error": {"message": "x", "metadata": {"raw": '{"error": {"param": "seed"}}'}}}, "seed"),
        ({"error": {"message": "x", "metadata": {"raw": "{"}}}, None),
        ({"error": "seed"}, None),
        ({"detail": [{"loc": ["body"]}]}, None),
        ({"detail": []}, None),
        ([{"param": "seed"}], "seed"),
        ("seed", None),
        (None, None),
        ({"error": {"param": 7}}, None),
    ],
)
def test_the_parameter_is_found_where_servers_put_it(body: object, parameter: str | None) -> None:
    assert parameter_of(body) == parameter
