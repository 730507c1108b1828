"""What the real command line leaves in a job: a scripted gateway answers, and a local GitHub has the baseline."""

from __future__ import annotations

import gzip
import hashlib
import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.integration.commands.bench import Bench, bench
from tests.integration.commands.job import ASSET, job
from tests.pictures.shop import EDITED, ORDERS, Answerer, able, rough, scripted, sums
from tests.servers.gateway import Reply

IMAGE = "ghcr.io/org/llm-testbench@sha256:" + hashlib.sha256(b"a release").hexdigest()
GATEWAY = "https://gateway.example.com/v1"
SEED = "1000"
ORDERS_ONLY = {"evals/orders.yaml": ORDERS}
EDITED_ORDERS = {"evals/orders.yaml": EDITED}


@dataclass(frozen=True)
class Side:
    """One state of the world: the suite, what answers it, and how often each test is asked."""

    suite: Mapping[str, str] = field(default_factory=lambda: ORDERS_ONLY)
    answer: Answerer | None = field(default_factory=scripted)
    """None: the gateway refuses the key."""
    repeat: int = 3
    model: str = "org/shop-8b"


@dataclass(frozen=True)
class Scene:
    """A job. `before`: what the release recorded. `accepted`: a run between, whose drops were accepted.

    `most`: pixels from the top that its picture shows.
    """

    name: str
    now: Side = Side()
    before: Side | None = Side(repeat=10)
    accepted: Side | None = None
    payload: str = "pull_request"
    inputs: Mapping[str, str] = field(default_factory=dict)
    most: int | None = None


SHOP = sums(60) | ORDERS_ONLY
LARGE = sums(250)
ONE_ITEM = Side(answer=scripted(**{"List the items": "Two lamps."}), model="org/shop-3b")
NO_ITEM = replace(ONE_ITEM, answer=scripted(**{"List the items": "See the order."}))


def both(run: str, less: float = 0.0, shaky: float = 0.15) -> Answerer:
    """Answers the suite of orders as it should, and numbers as `able`."""
    orders, numbers = scripted(), able(run, less, shaky)
    return lambda body: said if (said := orders(body)) != "I do not know." else numbers(body)


SCENES = (
    # A prompt edit that broke one test: the stored prompt is asked again beside it.
    Scene("failing", Side(SHOP | EDITED_ORDERS, both("now")), Side(SHOP, both("before"), 10), most=1300),
    # A model exchanged under its name, a little worse everywhere.
    Scene(
        "exchanged",
        Side(LARGE, able("now", less=0.02), 10, "org/shop-8b-int4"),
        Side(LARGE, able("before"), 10),
    ),
    # The same model on a noisy suite: many tests move, and nothing changed.
    Scene("noisy", Side(LARGE, able("now", shaky=0.3)), Side(LARGE, able("before", shaky=0.3), 10)),
    # A drop that was accepted, and a further one below it.
    Scene("accepted", ONE_ITEM, accepted=ONE_ITEM),
    Scene("below-accepted", NO_ITEM, accepted=ONE_ITEM),
    # A baseline of one attempt: the first line says what could not be seen.
    Scene("one-attempt", Side(SHOP, both("now")), Side(SHOP, both("before"), 1)),
    Scene(
        "must-pass", Side(answer=scripted(carrier="The post."), model="org/shop-3b"), inputs={"INPUT_MIN_SCORE": "0.9"}
    ),
    Scene("first-run", Side(answer=scripted(late="It was.")), before=None),
    Scene("recording", Side(repeat=10), payload="push"),
    Scene("inconclusive", Side(answer=None)),
    # A server in trouble: limits, retries, cut answers, odd streams, a parameter that it takes no other way.
    Scene("rough", Side(SHOP, rough(both("now"))), Side(SHOP, both("before"), 10)),
    Scene("in-common", Side(answer=lambda _body: "The service is overloaded.")),
)


def report(scene: Scene) -> str:
    """What the job left in its summary; the comment says the same."""
    with tempfile.TemporaryDirectory() as folder, bench(Path(folder)) as world, job(world) as step:
        if scene.before is not None:
            step.github.add_release("v1.2.0", assets={ASSET: _recorded(world, scene.before)})
        for side, accepts in ((scene.accepted, True), (scene.now, False)):
            if side is None:
                continue
            _set(world, side)
            world.write("summary.md", "")
            asked = {
                "INPUT_API_KEY": "a key that nobody sees",
                "LLMTB_REPEAT": str(side.repeat),
                "LLMTB_SEED": SEED,
                "LLMTB_IMAGE": IMAGE,
            }
            world.llmtest("gate", environ=step.environ(scene.payload) | asked | dict(scene.inputs))
            if accepts:
                world.llmtest("accept", "llm-testbench-results/comparison.json", "--reason", "the list got shorter")
        return step.summary.replace(world.server.url, GATEWAY)


def _recorded(world: Bench, side: Side) -> bytes:
    """A baseline that is three days old by now."""
    _set(world, side)
    done = world.llmtest("run", "--repeat", str(side.repeat), "--seed", SEED, "--quiet", "--out", "made.json")
    assert done.code == 0, done.err
    made = world.json("made.json")
    then = datetime.now(UTC) - timedelta(days=3)
    made["meta"].update(role="record", finished_at=then.isoformat(timespec="seconds").replace("+00:00", "Z"))
    made["meta"]["git"] = {"repository": "octo/shop", "sha": hashlib.sha1(b"a commit").hexdigest()}
    return gzip.compress(json.dumps(made).encode(), mtime=0)


def _set(world: Bench, side: Side) -> None:
    for name, text in side.suite.items():
        world.write(name, text)
    world.write(
        "llm-testbench.yaml",
        f"endpoint: {world.server.url}\nmodels: [{{name: shop-chat, id: {side.model}}}]\nsuites: [evals/*.yaml]\n",
    )
    answer = side.answer
    if answer is None:
        world.server.answer = lambda _body: Reply({"error": {"message": "this key has expired"}}, 401)
    else:
        world.server.answer = answer
