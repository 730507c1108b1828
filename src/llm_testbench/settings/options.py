"""The one table of options: it generates the flags, the config schema, docs/configuration.md and the action's inputs.

Cheap to import: `llmtest --help` needs it.
"""

from __future__ import annotations

from typing import Literal

from llm_testbench.github.wanted import KEPT
from llm_testbench.settings import advanced, doctor, kinds, serving
from llm_testbench.settings.baseline import baseline
from llm_testbench.settings.endpoint import endpoint
from llm_testbench.settings.kinds import nullable
from llm_testbench.settings.model_entry import against, models
from llm_testbench.settings.option import ALL_SOURCES, Option, Section, SourceKind
from llm_testbench.settings.prices import prices
from llm_testbench.settings.shard import shard

ASKING = ("run", "gate")
"""Commands that ask models."""
_ENDPOINTS = (*ASKING, doctor.COMMAND)
PUBLISH = "publish"
_GATING = ("gate", PUBLISH)
_JUDGING = (*_GATING, "compare")
_SELECTING = ("run", "gate", "publish", "list", "validate", serving.COMMAND)

_NO_INPUT = ALL_SOURCES - {"input"}  # what action.yml does not declare
_CONFIG = frozenset[SourceKind]({"config"})
_FLAG = frozenset[SourceKind]({"flag"})
_SECRET = ALL_SOURCES - {"flag"}  # a flag would show it in the list of processes


CONFIG = Option(
    "config",
    nullable(kinds.path()),
    "The config file, where it is neither llm-testbench.yaml nor .github/llm-testbench.yaml",
    "General",
    (*_SELECTING, "compare", "rescore", "accept", "baseline fetch", "baseline push", doctor.COMMAND),
    default="none",
    sources=ALL_SOURCES - {"config"},
)
ENDPOINT = Option(
    "endpoint",
    nullable(endpoint()),
    "Base URL of an OpenAI-compatible gateway, or `local`: the embedded model",
    "Models",
    _ENDPOINTS,
    default="none",
)
MODELS = Option(
    "models",
    nullable(models()),
    "Models to ask. A name that the config file describes keeps that description",
    "Models",
    (*_ENDPOINTS, PUBLISH),
    default="none",
)
API_KEY = Option(
    "api_key",
    nullable(kinds.secret("a key")),
    "The gateway's key",
    "Models",
    _ENDPOINTS,
    default="none",
    sources=_SECRET,
    also_env=("OPENAI_API_KEY",),
)
CA_BUNDLE = Option(
    "ca_bundle",
    nullable(kinds.path()),
    "A PEM file with the authorities to trust, instead of the usual ones, for gateway and GitHub",
    "Models",
    (*_ENDPOINTS, PUBLISH, "baseline fetch", "baseline push"),
    default="none",
)
SUITES = Option(
    "suites",
    kinds.words("at least one suite: a file, a glob or builtin:NAME", at_least=1),
    "Suites: files, globs, `builtin:NAME`; `builtin` is the whole catalog",
    "Tests",
    (*_SELECTING, "rescore"),
    default="builtin:smoke",
)
CATEGORY = Option(
    "category", kinds.words("categories"), "Only these categories (globs with `*` and `?`)", "Tests", _SELECTING, ""
)
SUBCATEGORY = Option(
    "subcategory", kinds.words("subcategories"), "Only these subcategories (globs)", "Tests", _SELECTING, ""
)
TESTS = Option(
    "tests",
    kinds.words("test ids"),
    "Only tests with these ids (globs)",
    "Tests",
    (*_SELECTING, "accept"),
    default="",
    flag_alone=("accept",),
)
TAGS = Option("tags", kinds.words("tags"), "Only tests with one of these tags (globs)", "Tests", _SELECTING, "")
EVALUATORS = Option(
    "evaluators",
    kinds.switch(),
    "List the evaluators instead of the tests: those of packages that are installed, too",
    "Tests",
    ("list",),
    default="false",
    sources=_FLAG,
)
SHARD = Option(
    "shard",
    nullable(shard()),
    "Only a part of the tests that all other options select, for one of several machines: 2/8 is the second of eight."
    " `llmtest merge` joins what all of them measured",
    "Tests",
    ("run",),
    default="none",
    sources=_FLAG,
)
REPEAT = Option(
    "repeat",
    kinds.integer(1, 1000),
    "Attempts of each test on each model",
    "Requests",
    ASKING,
    default="1",
    defaults={"gate": "3", "record": "10"},
)
CONCURRENCY = Option("concurrency", kinds.integer(1, 4096), "Requests at a time", "Requests", ASKING, "8")
STREAM = Option("stream", kinds.switch(), "Ask for streamed answers", "Requests", _ENDPOINTS, "false")
CONNECT_TIMEOUT = Option(
    "connect_timeout", kinds.duration(), "Longest wait for a connection", "Requests", _ENDPOINTS, "10s", _NO_INPUT
)
REQUEST_TIMEOUT = Option(
    "request_timeout", kinds.duration(), "Hard ceiling of one try", "Requests", _ENDPOINTS, "300s", _NO_INPUT
)
IDLE_TIMEOUT = Option(
    "idle_timeout", kinds.duration(), "Longest silence in a stream", "Requests", ASKING, "5m", _NO_INPUT
)
MAX_RETRIES = Option(
    "max_retries", kinds.integer(0, 20), "Further tries after the first", "Requests", ASKING, "2", _NO_INPUT
)
RETRY_TIMEOUTS = Option(
    "retry_timeouts", kinds.switch(), "Try again after a timeout", "Requests", ASKING, "true", _NO_INPUT
)
LOCAL_MAX_TOKENS = 256
"""The default of `max_tokens_default` for the embedded model, which runs on a CPU."""
MAX_TOKENS_DEFAULT = Option(
    "max_tokens_default",
    nullable(kinds.integer(1, 10_000_000)),
    f"Token limit; a floor that a test may only raise; null sends none (for `local`: {LOCAL_MAX_TOKENS})",
    "Requests",
    _ENDPOINTS,
    default="4096",
    sources=_NO_INPUT,
)
MAX_TOKENS_LIMIT = Option(
    "max_tokens_limit",
    nullable(kinds.integer(1, 10_000_000)),
    "More tokens are never asked for in an answer, even by a test's `max_tokens` or a model's own limit",
    "Requests",
    ASKING,
    default="none",
    sources=_NO_INPUT,
)
TEMPERATURE = Option(
    "temperature",
    nullable(kinds.number(0, 10)),
    "Sampling temperature; null sends none",
    "Requests",
    _ENDPOINTS,
    default="0",
    sources=_NO_INPUT,
)
SEED = Option(
    "seed",
    nullable(kinds.integer(0, 2**53 - 1)),
    "Attempt i sends seed + i; null sends none. Of `serve`: what its choices follow from",
    "Requests",
    (*_ENDPOINTS, serving.COMMAND),
    default="none",
    sources=_NO_INPUT,
)
MODEL_TIMEOUTS = Option(
    "model_timeouts",
    kinds.by_name("NAME=TIME for each model", kinds.duration(), "NAME=TIME"),
    "`request_timeout` by model name; a model's own `timeout` wins",
    "Requests",
    _ENDPOINTS,
    default="",
    sources=_NO_INPUT,
)
MODEL_CONCURRENCY = Option(
    "model_concurrency",
    kinds.by_name("NAME=N for each model", kinds.integer(1, 4096), "NAME=N"),
    "Requests at a time by model name; a model's own `concurrency` wins",
    "Requests",
    ASKING,
    default="",
    sources=_NO_INPUT,
)
MAX_REQUESTS = Option(
    "max_requests",
    kinds.integer(1, 100_000_000),
    "More planned requests than this end the command before the first call",
    "Requests",
    ASKING,
    default="20000",
    sources=_NO_INPUT,
)
MAX_PLANNED_TOKENS = Option(
    "max_planned_tokens",
    nullable(kinds.integer(1, 1_000_000_000_000)),
    "More planned tokens than this end the command before the first call: of prompts a guess (characters ÷ 4), of"
    " answers the most that is asked for. What is asked again comes on top",
    "Requests",
    ASKING,
    default="none",
    sources=_NO_INPUT,
)
MAX_DURATION = Option(
    "max_duration",
    nullable(kinds.duration()),
    "Stop then, save, and call the run inconclusive",
    "Requests",
    ASKING,
    default="2h",
    sources=_NO_INPUT,
)
PRICES = Option(
    "prices",
    prices(),
    "By model name: {input, output}, per million tokens; then cost is shown",
    "Requests",
    (*ASKING, PUBLISH, "rescore"),
    default="",
    sources=_CONFIG,
)
ROLE: Option[Literal["auto", "gate", "record"]] = Option(
    "role",
    kinds.choice("auto", "gate", "record"),
    "Judge this run, or keep it as a baseline. `auto` on GitHub: record on a push to the default branch, schedule,"
    " workflow_dispatch and release; everywhere else gate",
    "Gate",
    ("gate",),
    default="auto",
    section="gate",
)
_BASELINE_COMMANDS = (*_GATING, "baseline fetch")
BASELINE = Option(
    "baseline",
    baseline(),
    "What to compare with, in order: `release` (the newest that carries a baseline), `base` (the newest recorded run"
    " before this change; on the branch of `record_to` where that is set), `ref:BRANCH` (recordings on a branch), the"
    " path of an artifact. Alone: `live` (the `against` side, asked in the same run), `none`",
    "Gate",
    _BASELINE_COMMANDS,
    default="release, base",
    section="gate",
)
BASELINE_TAG = Option(
    "baseline_tag",
    kinds.text("a release's tag, or a glob"),
    "Only releases with this tag (a glob with `*` and `?`)",
    "Gate",
    _BASELINE_COMMANDS,
    default="*",
    section="gate",
)
BASELINE_ASSET = Option(
    "baseline_asset",
    kinds.text("the name of a file", "NAME", r"[A-Za-z0-9_][A-Za-z0-9_.-]*\.json(?:\.gz)?"),
    "The name of the baseline among a release's files; ends in .json or .json.gz",
    "Gate",
    (*_BASELINE_COMMANDS, "baseline push"),
    default="llm-testbench-baseline.json.gz",
    section="gate",
)
BASELINE_PRERELEASES = Option(
    "baseline_prereleases",
    kinds.switch(),
    "Take prereleases as a baseline, too",
    "Gate",
    _BASELINE_COMMANDS,
    default="false",
    sources=_NO_INPUT,
    section="gate",
)
RECORD_TO = Option(
    "record_to",
    nullable(kinds.text("ref:BRANCH", "ref:BRANCH", r"ref:(?!.*\.\.)[A-Za-z0-9_][A-Za-z0-9_./-]*")),
    f"Keep the newest {KEPT} recordings on this branch of the repository, which holds nothing else, and look for `base`"
    " there. Needs `contents: write` where it records",
    "Gate",
    _BASELINE_COMMANDS,
    default="none",
    sources=_NO_INPUT,
    section="gate",
)
BASELINE_MISSING: Option[Literal["warn", "fail"]] = Option(
    "baseline_missing",
    kinds.choice("warn", "fail"),
    "A baseline that is not there: pass with a warning, or end inconclusive",
    "Gate",
    _GATING,
    default="warn",
    section="gate",
)
AGAINST = Option(
    "against",
    against(),
    "The other side of a model, by its name: {endpoint, id, …}, any key of a model but `name`; what is not given is as"
    " in the model. A key, or a header, goes to another host only if it is given here",
    "Gate",
    ("gate",),
    default="",
    sources=_CONFIG,
    section="gate",
)
CURRENT = Option(
    "current",
    nullable(kinds.path()),
    "Judge this artifact instead of asking the models",
    "Gate",
    ("gate",),
    default="none",
    sources=_FLAG,
)
FAIL_ON: Option[Literal["regression", "suspected", "never"]] = Option(
    "fail_on",
    kinds.choice("regression", "suspected", "never"),
    "What makes the command end with exit code 1: `regression` (a drop that is proven, or a broken rule), `suspected`"
    " (also a drop that looks real and is not proven), `never` (nothing)",
    "Gate",
    _JUDGING,
    default="regression",
    section="gate",
    defaults={"compare": "never"},
    flag_alone=("compare",),
)
MIN_SCORE = Option(
    "min_score",
    nullable(kinds.number(0, 1)),
    "Fail when a model's mean score is below this, from 0 to 1",
    "Gate",
    _JUDGING,
    default="none",
    section="gate",
)
MAX_DROP = Option(
    "max_drop",
    nullable(kinds.number(0, 1)),
    "Fail when a model's mean score falls by more than this",
    "Gate",
    _JUDGING,
    default="none",
    section="gate",
)
MAX_LATENCY_INCREASE = Option(
    "max_latency_increase",
    nullable(kinds.number(0, 1000)),
    "Fail when a model's median response time rises by more than this share; 0.5 is half as long again",
    "Gate",
    _JUDGING,
    default="none",
    section="gate",
)
ON_INCONCLUSIVE: Option[Literal["fail", "warn"]] = Option(
    "on_inconclusive",
    kinds.choice("fail", "warn"),
    "Whether an inconclusive verdict ends with exit code 3 or 0",
    "Gate",
    _JUDGING,
    default="fail",
    section="gate",
)
REASON = Option(
    "reason",
    nullable(kinds.text("a reason on one line")),
    "Why the drop is accepted; the entry keeps it",
    "Gate",
    ("accept",),
    default="none",
    sources=_FLAG,
)
UNTIL = Option(
    "until",
    nullable(kinds.day()),
    "The last day on which it is accepted, as YYYY-MM-DD",
    "Gate",
    ("accept",),
    default="none",
    sources=_FLAG,
)
COMMENT: Option[Literal["always", "changes", "failure", "never"]] = Option(
    "comment",
    kinds.choice("always", "changes", "failure", "never"),
    "When to comment on the pull request. One comment is kept up to date; with `failure` and `changes` it is created"
    " when there is something to say",
    "GitHub",
    _GATING,
    default="always",
    section="gate",
)
COMMENT_KEY = Option(
    "comment_key",
    kinds.text("a short word", "WORD", r"[A-Za-z0-9_.-]{1,64}"),
    "Which comment is this run's, where one pull request has several gates",
    "GitHub",
    _GATING,
    default="default",
    section="gate",
)
COMMENT_PROGRESS = Option(
    "comment_progress",
    kinds.switch(),
    "Say in the comment how far the run is while it goes on",
    "GitHub",
    ("gate",),
    "false",
    sources=_NO_INPUT,
    section="gate",
)
SUMMARY = Option(
    "summary", kinds.switch(), "Write the report to the job's summary", "GitHub", _GATING, "true", section="gate"
)
ANNOTATIONS = Option(
    "annotations",
    kinds.switch(),
    "In a job of GitHub, mark lines: each fault (`validate`), each test that got worse or broke a rule (`gate`)",
    "GitHub",
    ("gate", "validate"),
    "true",
    section="gate",
)
CHECK_RUN = Option(
    "check_run",
    kinds.switch(),
    "Leave a check run on the commit, with the verdict, the report and the marked lines; takes `checks: write`",
    "GitHub",
    _GATING,
    "false",
    section="gate",
)
RELEASE = Option(
    "release",
    nullable(kinds.text("a release's tag", "TAG")),
    "The release to attach the baseline to",
    "GitHub",
    ("baseline push",),
    default="none",
    sources=_FLAG,
)
TOKEN = Option(
    "token",
    nullable(kinds.secret("a token")),
    "GitHub's token: to comment, and to get and keep baselines",
    "GitHub",
    (*_BASELINE_COMMANDS, "baseline push", doctor.COMMAND),
    default="none",
    sources=_SECRET,
    also_env=("GITHUB_TOKEN",),
)
SANDBOX: Option[Literal["require", "prefer", "off"]] = Option(
    "sandbox",
    kinds.choice("require", "prefer", "off"),
    "Where the sandbox cannot keep all its promises, tests that run programs are skipped (`require`), or run in what"
    " there is of it (`prefer`). `off` runs them without; only flag and input may say so, and for a pull request from"
    " a fork only they may say `prefer`",
    "Tests",
    (*ASKING, "rescore", "validate"),
    default="require",
    refused={"off": frozenset({"env", "config"})},
)
OUTPUT_DIR = Option(
    "output_dir",
    kinds.path(),
    "Folder for artifact and reports",
    "Output",
    (*_GATING, doctor.COMMAND),
    "llm-testbench-results",
)
HTML = Option("html", kinds.switch(), "Write report.html, too: one file with pictures", "Output", _GATING, "false")
JUNIT = Option(
    "junit",
    kinds.switch(),
    "Write junit.xml, too: the tests as other CI systems read them",
    "Output",
    _GATING,
    "false",
)
STORE_RESPONSES: Option[Literal["all", "failed", "none"]] = Option(
    "store_responses",
    kinds.choice("all", "failed", "none"),
    "Which answers the artifact keeps",
    "Output",
    ASKING,
    default="all",
)
OUT = Option(
    "out",
    nullable(kinds.path()),
    "Write the artifact (`accept`: the accepted drops) to this file; an artifact's name that ends in .gz is compressed",
    "Output",
    ("run", "rescore", "merge", "accept", "baseline fetch"),
    default="none",
    sources=_FLAG,
    short="-o",
)
FORMAT: Option[Literal["terminal", "markdown", "json"]] = Option(
    "format",
    kinds.choice("terminal", "markdown", "json"),
    "Form of the report on stdout",
    "General",
    ("run", *_GATING, "compare", "health", "rescore", "merge", "list", "validate", doctor.COMMAND),
    default="terminal",
    sources=_FLAG,
)
PLAN = Option(
    "plan",
    kinds.switch(),
    "Print requests, tokens and minutes; ask nothing",
    "Requests",
    ("run",),
    default="false",
    sources=_FLAG,
)
WORKFLOW = Option(
    "workflow",
    kinds.switch(),
    "Write a workflow for GitHub, too",
    "General",
    ("init",),
    default="false",
    sources=_FLAG,
)
RESUME = Option(
    "resume",
    kinds.switch(),
    "Go on with an interrupted run: ask only what is missing or errored",
    "Requests",
    ASKING,
    default="false",
    sources=_FLAG,
)
QUIET = Option(
    "quiet",
    kinds.switch(),
    "No progress on stderr",
    "General",
    (*_ENDPOINTS, PUBLISH, serving.COMMAND),
    default="false",
    sources=_FLAG,
    short="-q",
)

# In the order in which help and documentation show them.
OPTIONS: tuple[Option[object], ...] = (
    ENDPOINT,
    MODELS,
    API_KEY,
    CA_BUNDLE,
    *doctor.OPTIONS,
    SUITES,
    CATEGORY,
    SUBCATEGORY,
    TESTS,
    TAGS,
    EVALUATORS,
    SHARD,
    SANDBOX,
    REPEAT,
    CONCURRENCY,
    PLAN,
    RESUME,
    STREAM,
    TEMPERATURE,
    SEED,
    MAX_TOKENS_DEFAULT,
    MAX_TOKENS_LIMIT,
    CONNECT_TIMEOUT,
    REQUEST_TIMEOUT,
    IDLE_TIMEOUT,
    MAX_RETRIES,
    RETRY_TIMEOUTS,
    MODEL_TIMEOUTS,
    MODEL_CONCURRENCY,
    MAX_REQUESTS,
    MAX_PLANNED_TOKENS,
    MAX_DURATION,
    PRICES,
    ROLE,
    BASELINE,
    BASELINE_TAG,
    BASELINE_ASSET,
    BASELINE_PRERELEASES,
    RECORD_TO,
    BASELINE_MISSING,
    AGAINST,
    CURRENT,
    FAIL_ON,
    MIN_SCORE,
    MAX_DROP,
    MAX_LATENCY_INCREASE,
    ON_INCONCLUSIVE,
    REASON,
    UNTIL,
    *advanced.OPTIONS,
    *serving.OPTIONS,
    COMMENT,
    COMMENT_KEY,
    COMMENT_PROGRESS,
    SUMMARY,
    ANNOTATIONS,
    CHECK_RUN,
    RELEASE,
    TOKEN,
    OUT,
    OUTPUT_DIR,
    HTML,
    JUNIT,
    STORE_RESPONSES,
    CONFIG,
    WORKFLOW,
    FORMAT,
    QUIET,
)


def options_of(command: str) -> tuple[Option[object], ...]:
    """The options that `command` has, in the table's order."""
    return tuple(option for option in OPTIONS if command in option.commands)


def config_options(section: Section) -> tuple[Option[object], ...]:
    """The options whose key stands in this mapping of the config file."""
    return tuple(option for option in OPTIONS if "config" in option.sources and option.section == section)
