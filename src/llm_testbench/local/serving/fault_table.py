"""The oddities of real gateways that can be asked for by name, with the threads in which people met them.

Cheap to import. What each does to an answer: effects.py. Source: the reports that are named, as `owner/repository#n`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """One oddity. `summary` is a sentence without its full stop; `threads` is empty for what was found by measuring."""

    number: int
    name: str
    summary: str
    threads: tuple[str, ...]


FAULTS: tuple[Fault, ...] = (
    Fault(
        1,
        "sse-comments",
        "Comment lines stand between the events of a stream; a plain answer begins with blank lines",
        ("deepnoodle-ai/dive#206", "brainlid/langchain#568", "mnfst/llm-gateway#2053"),
    ),
    Fault(
        2,
        "keep-alive-as-data",
        "Keep-alive comments come wrapped as data, `data: : keepalive`",
        ("anomalyco/opencode#50871", "mnfst/llm-gateway#2053"),
    ),
    Fault(
        3,
        "empty-data",
        "Events without data, and ids without an event, stand between the others",
        (
            "openai/openai-python#2722",
            "theopenco/llmgateway#2334",
            "openai/openai-go#651",
            "netease-lcap/wave-agent#1326",
        ),
    ),
    Fault(
        4,
        "no-space-after-data",
        "`data:` is followed by no space",
        ("openai/openai-python#498", "sgl-project/genai-bench#159", "odysseus-dev/odysseus#1701"),
    ),
    Fault(
        5,
        "crlf",
        "Lines end with CR LF, and the bytes are cut between the two",
        ("kubernetes-sigs/inference-perf#781", "Routstr/routstr-core#543", "miruamel/xuan#194"),
    ),
    Fault(
        6,
        "no-final-blank-line",
        "The stream ends after its last chunk, without a line end and without [DONE]",
        (
            "openai/openai-node#2725",
            "openai/openai-node#2726",
            "google-gemini/gemini-cli#29059",
            "agentjido/req_llm#462",
        ),
    ),
    Fault(
        7,
        "split-character",
        "Bytes are cut inside characters, and the header names another charset",
        ("librefang/librefang#3448", "xberg-io/liter-llm#152", "mrpulor-gh/nuphus#41", "ggml-org/llama.cpp#28926"),
    ),
    Fault(8, "bom", "A byte order mark stands before the body", ()),
    Fault(
        9,
        "several-data-lines",
        "The JSON of an event is spread over several data lines",
        ("Routstr/routstr-core#543", "kubernetes-sigs/inference-perf#781"),
    ),
    Fault(
        10,
        "stream-flag-ignored",
        "A stream where none was asked for, and none where one was",
        ("kaito-project/kaito#1880", "unslothai/unsloth#6570", "decolua/9router#3492", "BerriAI/litellm#34095"),
    ),
    Fault(11, "html-page", "A login page with status 200", ("acheong08/ChatGPT#447",)),
    Fault(
        12,
        "proxy-cut",
        "The 524 of a proxy that waited too long",
        (
            "misospace/pr-reviewer-action#23",
            "QuantumNous/new-api#4972",
            "danny-avila/LibreChat#6081",
            "open-webui/open-webui#10316",
        ),
    ),
    Fault(13, "no-done", "The stream ends without [DONE]", ("earendil-works/pi#7441", "lidge-jun/opencodex#1170")),
    Fault(14, "open-after-done", "The connection stays open behind [DONE]", ("ltmoerdani/opencode-copilot-chat#170",)),
    Fault(
        15,
        "no-finish-reason",
        "The answer ends without finish_reason, and a stream without [DONE]",
        (
            "vercel/ai#19165",
            "NVIDIA/TensorRT-LLM#18289",
            "NousResearch/hermes-agent#102766",
            "apache/maka#2297",
            "justrach/codegraff#146",
        ),
    ),
    Fault(
        16,
        "chunked-cut",
        "The connection is closed inside a chunk, half of the answer sent",
        ("chatchat-space/Langchain-Chatchat#3780", "Tencent/AI-Infra-Guard#191"),
    ),
    Fault(
        17,
        "wrong-content-encoding",
        "The header says gzip, the body is plain",
        ("open-webui/open-webui#23876", "qualixar/superlocalmemory#79", "sseshachala/conductai#1320"),
    ),
    Fault(
        18,
        "connection-reset",
        "The connection is reset before a byte was sent",
        ("github/copilot-cli#2421", "linode/linodego#283"),
    ),
    Fault(19, "endless-event", "A line that does not end, up to 64 MiB", ("mnfst/llm-gateway#2716",)),
    Fault(
        20,
        "error-in-200",
        "An error object with status 200",
        (
            "BerriAI/litellm#21755",
            "SWE-agent/mini-swe-agent#902",
            "open-jarvis/OpenJarvis#970",
            "pydantic/pydantic-ai#2323",
        ),
    ),
    Fault(
        21,
        "error-in-choice",
        "A choice whose finish_reason is error",
        ("nodetool-ai/nodetool#5755", "pydantic/pydantic-ai#2844"),
    ),
    Fault(
        22, "warming-up", "Status 200 and no choices, as while a model is loaded", ("UKGovernmentBEIS/inspect_ai#1534",)
    ),
    Fault(
        23,
        "error-mid-stream",
        "An error in the middle of a stream",
        ("diegosouzapw/OmniRoute#8210", "bayesimpact/bayes-platform#669"),
    ),
    Fault(
        24,
        "empty-body",
        "Status 200 and nothing in it; a stream of comments alone",
        ("preloop/preloop#121", "coder/coder#26005"),
    ),
    Fault(
        25,
        "error-as-string",
        "Status 500 with an error that is text, `detail` or `message`, in turns",
        (
            "microsoft/autogen#757",
            "use-agent-os/agent-os#3182",
            "openai/openai-python#610",
            "antropia-studio/linguito#21",
        ),
    ),
    Fault(
        26,
        "overloaded",
        "Status 529",
        (
            "anthropics/anthropic-sdk-typescript#791",
            "headroomlabs-ai/headroom#1495",
            "macanderson/stella#2742",
            "anthony-chaudhary/fak#1361",
        ),
    ),
    Fault(
        27,
        "retry-after",
        "Status 429 and how long to wait: in milliseconds, seconds, as a duration or a date, in turns",
        ("openai/openai-python#3555", "earendil-works/pi#4486", "productdevbook/misina#61"),
    ),
    Fault(
        28, "daily-quota", "Status 429 and ten hours to wait", ("promptfoo/promptfoo#7727", "openai/openai-python#3555")
    ),
    Fault(
        29,
        "stacked-retries",
        "The answer says that the gateway tried again by itself",
        ("BerriAI/litellm#25285", "BerriAI/litellm#14801", "BerriAI/litellm-docs#734"),
    ),
    Fault(30, "permanent-4xx", "Status 404 for the model, as often as it is asked", ("LMCache/LMCache#2588",)),
    Fault(
        31,
        "context-overflow",
        "Status 400: the prompt is longer than the context",
        (
            "ggml-org/llama.cpp#17284",
            "ollama/ollama#17889",
            "ollama/ollama#3839",
            "lmstudio-ai/lmstudio-bug-tracker#2339",
        ),
    ),
    Fault(
        32,
        "content-filter",
        "Status 400: a content filter refused the prompt",
        (
            "experientiallabs/experiential#967",
            "stanford-crfm/helm#3327",
            "openai/openai-agents-python#4188",
            "BerriAI/litellm#24287",
            "promptfoo/promptfoo#5859",
        ),
    ),
    Fault(
        33,
        "usage-only-chunk",
        "The last chunk holds the usage and no choices, asked for or not",
        ("Arthur-Ficial/apfel#100", "ROCm/ATOM#1711", "Portkey-AI/gateway#1629", "BerriAI/litellm#8751"),
    ),
    Fault(
        34,
        "prompt-filter-chunk",
        "The first chunk holds the filter's results and no choice",
        ("AbanteAI/archive-old-cli-mentat#429",),
    ),
    Fault(
        35,
        "usage-on-every-chunk",
        "Every chunk holds the usage so far, zeros first",
        (
            "open-webui/open-webui#29064",
            "cline/cline#11304",
            "router-for-me/CLIProxyAPI#3077",
            "odysseus-dev/odysseus#1703",
        ),
    ),
    Fault(
        36,
        "empty-finish-reason",
        "finish_reason is an empty text in every chunk but the last",
        ("ollama/ollama#4357", "aaif-goose/goose#10258", "BerriAI/litellm#20732"),
    ),
    Fault(
        37,
        "unknown-finish-reason",
        "finish_reason is eos_token",
        ("pydantic/pydantic-ai#2844", "pydantic/pydantic-ai#7816"),
    ),
    Fault(
        38,
        "stop-with-tool-calls",
        "finish_reason is stop though tools are called",
        ("BerriAI/litellm#21041", "BerriAI/litellm#35663", "BerriAI/litellm#22900", "BerriAI/litellm#12481"),
    ),
    Fault(
        39, "text-with-finish-reason", "The last text and finish_reason come in one chunk", ("vllm-project/vllm#36944",)
    ),
    Fault(
        40,
        "missing-labels",
        "id, object, created and index are null or missing",
        ("mpfaffenberger/code_puppy#750", "pydantic/pydantic-ai#2996", "pydantic/pydantic-ai#3581"),
    ),
    Fault(41, "two-choices", "Tool calls come in a second choice", ("SecretiveShell/MCP-Bridge#48",)),
    Fault(
        42,
        "content-parts",
        "The content is a list of parts, thinking among them",
        (
            "mistralai/client-python#621",
            "microsoft/agent-framework#6978",
            "simonw/llm-mistral#39",
            "agentjido/req_llm#742",
        ),
    ),
    Fault(
        43,
        "reasoning-fields",
        "Reasoning comes in three fields at once, with the same words",
        ("vllm-project/vllm#50624", "strands-agents/harness-sdk#2191", "BerriAI/litellm#20821"),
    ),
    Fault(
        44,
        "think-tags",
        "Reasoning stands before the text, between tags; every second time only the closing one is there",
        ("0xBakeer/inference-atlas#32", "open-webui/open-webui#9808", "kekzl/imp#509", "QwenLM/qwen-code#6033"),
    ),
    Fault(
        45,
        "budget-exhausted",
        "All tokens went to reasoning, where the limit is below 16384",
        ("EleutherAI/lm-evaluation-harness#3244", "lmstudio-ai/lmstudio-bug-tracker#1602", "EuroEval/EuroEval#1256"),
    ),
    Fault(
        46,
        "reasoning-in-front",
        "Reasoning that names a wrong answer comes before the right one, in a field of its own",
        ("promptfoo/promptfoo#5283", "promptfoo/promptfoo#5262", "promptfoo/promptfoo#5116"),
    ),
    Fault(
        47,
        "index-always-zero",
        "Every tool call has index 0",
        ("ollama/ollama#15457", "vercel/ai#14277", "apache/maka#1976", "ai-dynamo/dynamo#4723"),
    ),
    Fault(48, "index-missing", "Tool calls have no index", ("openai/openai-python#3246", "SamSaffron/term-llm#314")),
    Fault(
        49,
        "empty-id-on-continuation",
        "Fragments of a tool call repeat its id and name as empty text or null",
        ("anomalyco/opencode#37841", "langchain-ai/langchain#39331", "sgl-project/sglang#35542"),
    ),
    Fault(
        50,
        "any-order",
        "The arguments of a tool call come before its id and name",
        ("vercel/ai#14722", "vercel/ai#16507", "pipecat-ai/pipecat#5023"),
    ),
    Fault(51, "repeated-name", "Every fragment of a tool call holds its whole name", ("mcowger/plexus#722",)),
    Fault(
        52,
        "arguments-as-object",
        "The arguments of a tool call are an object, not the text of one",
        ("ggml-org/llama.cpp#20198", "can1357/oh-my-pi#1779"),
    ),
    Fault(
        53,
        "empty-arguments-first",
        "The first arguments of a tool call are an empty object, then the right ones follow",
        ("ogx-ai/ogx#5462",),
    ),
    Fault(
        54,
        "text-after-arguments",
        "Text stands behind the arguments of a tool call",
        ("UKGovernmentBEIS/inspect_ai#4822",),
    ),
    Fault(55, "tool-call-in-text", "Tool calls are printed as text", ("lmstudio-ai/lmstudio-bug-tracker#2115",)),
    Fault(
        56,
        "tool-choice-rejected",
        "Status 400 for tool_choice in the form of an object",
        ("lmstudio-ai/lmstudio-bug-tracker#670", "vectorize-io/hindsight#520"),
    ),
    Fault(
        57,
        "max-tokens-rejected",
        "Status 400 for max_tokens, which is called max_completion_tokens here",
        ("decolua/9router#560", "microsoft/sample-app-aoai-chatGPT#1260"),
    ),
    Fault(
        58,
        "temperature-rejected",
        "Status 400 for a temperature other than 1",
        ("OpenHands/OpenHands#4131", "microsoft/vscode#255504"),
    ),
    Fault(
        59,
        "seed-rejected",
        "Status 400 for seed",
        (
            "langchain-ai/langchain-azure#82",
            "mcpchecker/mcpchecker#188",
            "BerriAI/litellm#3923",
            "HabanaAI/vllm-fork#773",
        ),
    ),
    Fault(
        60,
        "stream-options-rejected",
        "Status 400 for stream_options",
        ("BerriAI/litellm#11696", "FlowiseAI/Flowise#2866", "openai/openai-python#2296"),
    ),
    Fault(
        61,
        "parallel-tool-calls-rejected",
        "Status 400 for parallel_tool_calls",
        ("langchain-ai/langchain#29416", "run-llama/llama_index#20865", "BerriAI/litellm#8980"),
    ),
    Fault(
        62,
        "response-format-rejected",
        "Status 400 for response_format text or json_object",
        ("lmstudio-ai/lmstudio-bug-tracker#307", "lmstudio-ai/lmstudio-bug-tracker#189"),
    ),
    Fault(
        63,
        "nondeterministic",
        "The same request gets the text in capital letters, or another fingerprint, about every second time",
        ("vllm-project/vllm#23138", "ollama/ollama#5274", "hiyouga/LlamaFactory#7807"),
    ),
    Fault(
        64,
        "fallback-model",
        "Another model answered, and the headers say so",
        ("BerriAI/litellm#31722", "BerriAI/litellm#28241", "BerriAI/litellm#25503", "stanfordnlp/dspy#1948"),
    ),
    Fault(65, "cached-repeats", "The same request gets the same answer with the same id", ("BerriAI/litellm#3199",)),
)

NAMES = tuple(fault.name for fault in FAULTS)
