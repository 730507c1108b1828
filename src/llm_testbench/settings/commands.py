"""The table of commands: what each is for, what it is given, and what the help says."""

from __future__ import annotations

from dataclasses import dataclass

from llm_testbench import schemas


@dataclass(frozen=True)
class Arguments:
    """Positional arguments: how many there must be (`most` None: any number), and which words they may be."""

    metavar: str = ""
    least: int = 0
    most: int | None = 0
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class Command:
    """A command. `about` is what its own help says after the summary."""

    name: str
    section: str
    summary: str
    about: str = ""
    arguments: Arguments = Arguments()


COMMANDS = (
    Command(
        "run",
        "Measure",
        "Run the tests and print a report.",
        "Asks every model every test and prints the scores. --out keeps them as an artifact, which a later"
        " gate can take as its baseline. The exit code is 0, or 3 when nothing could be measured.",
    ),
    Command(
        "gate",
        "Measure",
        "Run the tests, compare with a baseline, pass or fail.",
        "Asks every model every test, compares with --baseline, writes artifact and reports to --output-dir,"
        " and ends with the verdict as the exit code. On GitHub it comments on the pull request, writes the job's"
        " summary and the outputs, and records baselines.",
    ),
    Command(
        "compare",
        "Look at results",
        "Compare artifacts that exist already.",
        "The last artifact is compared with those before it. The exit code is 0 when all could be read,"
        " unless --fail-on asks for a verdict.",
        Arguments("BASE... CURRENT", least=2, most=None),
    ),
    Command(
        "accept",
        "Look at results",
        "Accept the drops that a gate found.",
        "Takes comparison.json out of the gate's output folder and writes its drops to accepted.yaml beside the config"
        " file. Later gates compare these tests with the accepted scores; a further drop still fails.",
        Arguments("COMPARISON", least=1, most=1),
    ),
    Command(
        "health",
        "Look at results",
        "Show which tests tell models apart and which do not.",
        "Names tests that every model passes, that say little, that are unstable or cut at the token limit.",
        Arguments("ARTIFACT...", least=1, most=None),
    ),
    Command(
        "rescore",
        "Look at results",
        "Score the stored answers again, with today's checks.",
        "Asks nothing. --suites takes the checks from suites instead of the artifact.",
        Arguments("ARTIFACT", least=1, most=1),
    ),
    Command(
        "merge",
        "Look at results",
        "Join the artifacts of a run that several machines shared.",
        "Takes all shards of one run (run --shard), or runs of different models that were asked the same tests, and"
        " writes to --out what one run would have. Anything else is refused.",
        Arguments("ARTIFACT...", least=1, most=None),
    ),
    Command(
        "publish",
        "Measure",
        "Judge what a fork's run measured, and comment on its pull request.",
        "The second of two stages: the first runs without any right, and this one trusts nothing that it left behind."
        " On a workflow_run event it finds the pull request by that run's commit and, without ARTIFACT, downloads the"
        " workflow artifact llm-testbench-results of it. Compares with --baseline by the checked-out config and suites;"
        " asks and runs nothing. The exit code is the verdict's; 2 also when the artifact is broken or the run may not"
        " be published, 0 when its pull request has moved on or is closed.",
        Arguments("[ARTIFACT]", most=1),
    ),
    Command(
        "baseline fetch",
        "Keep baselines",
        "Get the baseline that a gate would compare with.",
        "Looks where --baseline says and writes the first one that can be used to --out. The exit code is 3 when"
        " there is none. GITHUB_REPOSITORY names the repository, GITHUB_TOKEN opens it.",
    ),
    Command(
        "baseline push",
        "Keep baselines",
        "Attach an artifact to a release, as the baseline of later gates.",
        "Does nothing when the release carries it already, and replaces another one only when the new one is there."
        " GITHUB_REPOSITORY names the repository, GITHUB_TOKEN opens it; on a release event the release is known.",
        Arguments("ARTIFACT", least=1, most=1),
    ),
    Command(
        "list",
        "Write tests",
        "List the tests, or what a check may be.",
        "Shows the tests that a run would ask. --evaluators shows the evaluators that a check may name, with their"
        " parameters.",
    ),
    Command(
        "validate",
        "Write tests",
        "Check suites, the config file, accepted drops and artifacts.",
        "Every check in a suite must give each of its examples the score that the example states, and pass on no"
        " answer that a model need not think for. Without FILES: the suites that would run, the config file, and"
        " accepted.yaml beside it. The exit code is 2 when something is wrong; notes fail nothing.",
        Arguments("[FILES]...", most=None),
    ),
    Command(
        "init",
        "Write tests",
        "Write a first suite and a config file.",
        "Writes evals/first.yaml with the schema that editors complete it by, and llm-testbench.yaml, all of them"
        " ready to run on the embedded model; --workflow adds .github/workflows/llm-testbench.yml. What exists already"
        " is left as it is.",
    ),
    Command(
        "schema",
        "Write tests",
        "Print the JSON Schema of a file format.",
        arguments=Arguments(f"[{'|'.join(schemas.NAMES)}]", least=1, most=1, words=schemas.NAMES),
    ),
    Command(
        "doctor",
        "Other",
        "Find out what an endpoint, this machine and the token can do.",
        "Asks each model at most seven short questions: without --models the first models that the endpoint lists."
        " Prints what it takes and what to do. The exit code is 0 when every model can be asked, else 3."
        " --sandbox asks nobody: harmless attacks are run inside the sandbox. The exit code is 0 when it keeps all of"
        " its promises, 1 when it says so and one is broken, 3 when one is not kept on this machine.",
    ),
    Command(
        "serve",
        "Other",
        "Serve a gateway on this machine: recorded answers, examples, or the embedded model.",
        "For trying out a workflow without an account: prints the endpoint and serves until it is interrupted, which"
        " ends it with exit code 0. Any key is taken. Oddities of real gateways are put into its answers by --fault.",
    ),
    Command("version", "Other", "Print the version."),
)

OVERVIEW = """A quality gate for language models behind an OpenAI-compatible gateway.

Runs tests with deterministic checks against your models, compares the scores with an earlier run, and
fails when a drop is more than chance, or a rule of yours is broken.

\b
Start here, no account needed:
  llmtest run --endpoint local
Then your own gateway:
  llmtest run --endpoint https://gateway.example.com/v1 --models my-model --out base.json
  llmtest gate --endpoint https://gateway.example.com/v1 --models my-model --baseline base.json
"""

SETTINGS_HELP = (
    "A LIST is written by comma or line, or by repeating the flag. Most options can also stand in"
    " llm-testbench.yaml or in a variable LLMTB_<OPTION>. A gateway's key comes from LLMTB_API_KEY or"
    " OPENAI_API_KEY."
)

EXIT_CODES = """\b
Exit codes:
  0    pass, no baseline, or nothing to judge
  1    fail: a proven drop, or a broken rule (must_pass, min_score, max_drop, a refused request)
  2    what was given is wrong: usage, config, suite, artifact
  3    inconclusive: endpoint down, too many errors, disk full; or a bug in llmtest
  130  interrupted; what was measured is saved
"""
