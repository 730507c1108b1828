"""A release from commits to moved tags, on a real git repository and a server that plays GitHub."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from tests.integration.github.baselines import measured
from tests.integration.release.checkout import CODE_DIGEST, DIGEST, Checkout
from tests.servers.github import Release
from tests.unit.artifact.samples import document

NAME = "ghcr.io/octo/shop"
TREE = ("CHANGELOG.md", "action.yml", "code/action.yml", "src/llm_testbench/__init__.py")


def page(checkout: Checkout, tag: str) -> Release:
    (found,) = (one for one in checkout.fake.releases.values() if one.tag == tag)
    return found


def assets(checkout: Checkout, tag: str) -> dict[str, bytes]:
    return {one.name: one.data for one in page(checkout, tag).assets}


def test_the_first_release_is_whole(checkout: Checkout) -> None:
    main = checkout.commit("feat: a tool", "A tool.")

    assert checkout.whole() == "1.0.0"

    fake = checkout.fake
    commit = fake.git.commits[fake.git.tags["v1.0.0"]]
    assert fake.git.tags == dict.fromkeys(["v1.0.0", "v1", "v1.0"], commit.sha)
    assert (commit.parents, commit.message) == ((main,), "chore(release): 1.0.0")
    assert fake.tip == main
    files = {path: fake.git.blobs[sha].decode() for path, sha in fake.git.files(commit.sha).items()}
    assert files.keys() == {*TREE, "README.md", "schemas/suite.schema.json"}
    assert '__version__ = "1.0.0"' in files["src/llm_testbench/__init__.py"]
    assert files["CHANGELOG.md"] == "# Changelog\n\n## 1.0.0 (2026-12-03)\n\n- A tool.\n"
    assert f"image: docker://{NAME}:1.0.0@{DIGEST}\n" in files["action.yml"]
    assert f"image: docker://{NAME}:1.0.0-code@{CODE_DIGEST}\n" in files["code/action.yml"]
    made = page(checkout, "v1.0.0")
    assert (made.draft, made.body, made.name) == (False, "- A tool.", "v1.0.0")
    found = assets(checkout, "v1.0.0")
    assert found.keys() == {
        "llm_testbench-1.0.0-py3-none-any.whl",
        "llm_testbench-1.0.0.tar.gz",
        "suite.schema.json",
        "llm-testbench-baseline.json.gz",
        "SHA256SUMS",
    }
    sums = dict(line.split("  ")[::-1] for line in found.pop("SHA256SUMS").decode().splitlines())
    assert sums == {name: hashlib.sha256(data).hexdigest() for name, data in found.items()}


def test_a_release_is_seen_only_when_it_is_whole(checkout: Checkout) -> None:
    checkout.commit("feat: a tool", "A tool.")
    checkout.whole()

    writes = [one for one in checkout.fake.requests if one.method not in ("GET", "DELETE")]
    order = [(one.method, one.path.removeprefix("/uploads").removeprefix("/repos/octo/shop")) for one in writes]
    published = next(n for n, one in enumerate(writes) if isinstance(one.body, dict) and one.body.get("draft") is False)
    uploads = [n for n, (method, path) in enumerate(order) if method == "POST" and path.endswith("/assets")]
    moved = [n for n, one in enumerate(writes) if isinstance(one.body, dict) and one.body.get("ref") == "refs/tags/v1"]
    tagged = [
        n for n, one in enumerate(writes) if isinstance(one.body, dict) and one.body.get("ref") == "refs/tags/v1.0.0"
    ]
    assert max(tagged) < min(uploads)
    assert "/SHA256SUMS." in f"/{writes[uploads[-1]].query['name']}"
    assert max(uploads) < published < min(moved)


def test_releases_follow_each_other_without_a_change_of_main(checkout: Checkout) -> None:
    checkout.commit("feat: a tool", "A tool.")
    checkout.whole()
    checkout.commit("fix: a fault", "A fault.")
    assert checkout.whole() == "1.0.1"
    checkout.commit("feat: a page", "A page.")
    assert checkout.whole() == "1.1.0"
    checkout.commit("feat!: a name", "A name.")
    assert checkout.whole() == "2.0.0"

    tags = checkout.fake.git.tags
    by_version = {tag: tags[tag] for tag in ("v1.0.1", "v1.1.0", "v2.0.0")}
    assert {tag: tags[tag] for tag in ("v1.0", "v1.1", "v1", "v2", "v2.0")} == {
        "v1.0": by_version["v1.0.1"],
        "v1.1": by_version["v1.1.0"],
        "v1": by_version["v1.1.0"],
        "v2": by_version["v2.0.0"],
        "v2.0": by_version["v2.0.0"],
    }
    log = checkout.git("show", "v2.0.0:CHANGELOG.md")
    assert [line for line in log.splitlines() if line.startswith(("- ", "## "))] == [
        *("## 2.0.0 (2026-12-03)", "- A name.", "## 1.1.0 (2026-12-03)", "- A page."),
        *("## 1.0.1 (2026-12-03)", "- A fault.", "## 1.0.0 (2026-12-03)", "- A tool."),
    ]


@pytest.mark.parametrize("subject", ["docs: a page", "chore: a tool", "Merge branch 'x'"])
def test_nothing_to_release_ends_cleanly(checkout: Checkout, subject: str) -> None:
    checkout.commit("feat: a tool", "A tool.")
    checkout.whole()
    checkout.commit(subject)

    assert checkout.release("plan") == 0
    assert (checkout.outputs["state"], checkout.outputs["version"]) == ("none", "")
    assert checkout.said[0].startswith("none: no release (nothing to release: 1 ")


BROKEN_AT = [
    pytest.param("POST", r"/git/trees$", id="tree"),
    pytest.param("POST", r"/git/commits$", id="commit"),
    pytest.param("POST", r"/git/refs$", id="tag"),
    pytest.param("POST", r"/releases$", id="draft"),
    pytest.param("POST", r"/uploads/.*/assets$", id="an asset"),
    pytest.param("PATCH", r"/releases/assets/\d+$", id="an asset's name"),
    pytest.param("PATCH", r"/releases/\d+$", id="publication"),
]


@pytest.mark.parametrize("after", [False, True], ids=["refused", "answer lost"])
@pytest.mark.parametrize(("method", "path"), BROKEN_AT)
def test_a_run_after_a_failure_goes_on_where_it_ended(checkout: Checkout, method: str, path: str, after: bool) -> None:
    checkout.commit("feat: a tool", "A tool.")
    checkout.release("plan")
    checkout.prepare()
    checkout.build("1.0.0")
    checkout.fake.fail(method, path, 403, after=after, body={"message": "no"}, times=9)
    failed = checkout.publish("1.0.0")
    checkout.fake._faults.clear()
    assert failed == (0 if after and "refs" in path else 2), checkout.said
    assert failed == 0 or after or all(one.draft for one in checkout.fake.releases.values())

    # As a whole new run, which plans anew.
    checkout.fetch()
    assert checkout.whole() == "1.0.0"

    assert set(checkout.fake.git.tags) == {"v1.0.0", "v1", "v1.0"}
    assert len(set(checkout.fake.git.tags.values())) == 1
    assert len(checkout.fake.releases) == 1
    assert not page(checkout, "v1.0.0").draft
    assert len(assets(checkout, "v1.0.0")) == 5


def test_a_published_release_is_not_touched_again(checkout: Checkout) -> None:
    checkout.commit("feat: a tool", "A tool.")
    checkout.whole()
    before = (dict(checkout.fake.git.tags), assets(checkout, "v1.0.0"))
    checkout.fake.requests.clear()

    assert checkout.release("plan") == 0
    assert (checkout.outputs["state"], checkout.outputs["digest"]) == ("again", DIGEST)
    assert checkout.outputs["code_digest"] == CODE_DIGEST
    checkout.prepare()
    checkout.build("1.0.0")
    (checkout.root.parent / "dist/llm_testbench-1.0.0.tar.gz").write_bytes(b"another")
    assert checkout.publish("1.0.0") == 0

    assert "the release is published: its files stay as they are" in checkout.said
    assert {one.method for one in checkout.fake.requests} == {"GET"}
    assert (dict(checkout.fake.git.tags), assets(checkout, "v1.0.0")) == before


def test_a_release_that_was_left_behind_is_passed_over_and_what_it_had_is_told(checkout: Checkout) -> None:
    checkout.commit("feat: a tool", "A tool.")
    checkout.whole()
    checkout.commit("fix: a fault", "A fault.")
    checkout.release("plan")
    checkout.prepare()
    checkout.build("1.0.1")
    checkout.fake.fail("PATCH", r"/releases/\d+$", 404)
    assert checkout.publish("1.0.1") == 2
    assert "if main's workflows have changed since" in checkout.said[-1]
    checkout.fetch()
    checkout.commit("fix: another", "Another.")

    assert checkout.whole() == "1.0.2"

    assert page(checkout, "v1.0.2").body == "- A fault.\n- Another."
    assert page(checkout, "v1.0.1").draft
    assert checkout.fake.git.tags["v1"] == checkout.fake.git.tags["v1.0.2"]


def test_a_tag_that_somebody_made_of_other_files_is_refused(checkout: Checkout) -> None:
    head = checkout.commit("feat: a tool", "A tool.")
    checkout.release("plan")
    checkout.prepare()
    checkout.build("1.0.0")
    checkout.fake.git.tags["v1.0.0"] = head
    checkout.fake.git.commits[head] = checkout.fake.git.add_commit(
        checkout.fake.git.add_tree({path: checkout.fake.git.add_blob(b"x") for path in TREE}), [], "m"
    )

    assert checkout.publish("1.0.0") == 2
    assert checkout.said[-1].startswith("release: the tag v1.0.0 stands already, with another ")
    assert checkout.fake.releases == {}


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("src/llm_testbench/__init__.py", "1.0.0", "1.0.1"),
        ("CHANGELOG.md", "1.0.0", "1.0.1"),
        ("action.yml", ":1.0.0@", ":1.0.1@"),
        ("action.yml", "1" * 64, "3" * 64),
        ("code/action.yml", ":1.0.0-code@", ":1.0.0@"),
    ],
)
def test_what_disagrees_is_refused_before_anything_is_written(
    checkout: Checkout, path: str, old: str, new: str
) -> None:
    checkout.commit("feat: a tool", "A tool.")
    checkout.release("plan")
    checkout.prepare()
    checkout.build("1.0.0")
    file = checkout.root / path
    file.write_text(file.read_text().replace(old, new))
    checkout.fake.requests.clear()

    assert checkout.publish("1.0.0") == 1
    assert checkout.said[0].startswith(f"refused: {path}: ")
    assert checkout.fake.requests == []


def test_a_tag_of_another_name_is_refused(checkout: Checkout) -> None:
    checkout.commit("feat: a tool", "A tool.")
    checkout.release("plan")
    checkout.prepare()
    assert checkout.release("check", "--version", "1.0.0", "--tag", "v1.0.1") == 1
    assert checkout.said == ["refused: git tag: v1.0.1, expected v1.0.0"]
    assert checkout.release("check", "--version", "v1.0.0") == 0


@pytest.mark.parametrize(
    ("artifact", "said"),
    [
        (measured(role="gate"), "it was not recorded as one"),
        (measured(interrupted=True), "its run was interrupted"),
        (None, "cannot be read"),
    ],
    ids=["of a gate", "interrupted", "no artifact"],
)
def test_what_is_no_baseline_is_refused_before_anything_is_written(
    checkout: Checkout, artifact: object, said: str
) -> None:
    checkout.commit("feat: a tool", "A tool.")
    checkout.release("plan")
    checkout.prepare()
    checkout.build("1.0.0")
    checkout.record(document(artifact) if artifact is not None else "x")  # type: ignore[arg-type]
    checkout.fake.requests.clear()

    assert checkout.publish("1.0.0") == 2
    assert said in checkout.said[-1]
    assert checkout.fake.requests == []


def test_a_wheel_that_was_not_built_is_told(checkout: Checkout) -> None:
    checkout.commit("feat: a tool", "A tool.")
    checkout.release("plan")
    checkout.prepare()
    checkout.build("1.0.0")
    (checkout.root.parent / "dist/llm_testbench-1.0.0.tar.gz").unlink()
    assert checkout.publish("1.0.0") == 2
    assert checkout.said[-1].endswith("No such file or directory: build the wheel and the sdist first")


def test_a_checkout_without_its_history_is_refused(checkout: Checkout, tmp_path: Path) -> None:
    checkout.commit("feat: a tool", "A tool.")
    checkout.commit("feat: a page", "A page.")
    shallow = tmp_path / "shallow"
    checkout.git("clone", "--quiet", "--depth", "1", checkout.root.as_uri(), str(shallow))
    checkout.root = shallow
    assert checkout.release("plan") == 2
    assert checkout.said == [
        "release: the checkout lacks commits: fetch the whole history and all tags (fetch-depth: 0)"
    ]


def test_images_follow_only_a_published_version(checkout: Checkout) -> None:
    checkout.commit("feat: a tool", "A tool.")
    assert checkout.release("tag-images", "--version", "1.0.0") == 2
    assert (checkout.said, checkout.ran) == (
        ["release: v1.0.0 is not published yet: its images keep their own tags"],
        [],
    )
    checkout.whole()

    assert checkout.release("tag-images", "--version", "1.0.0") == 0

    create = ["docker", "buildx", "imagetools", "create"]
    assert checkout.ran == [
        [*create, *(w for t in ("1", "1.0", "latest") for w in ("--tag", f"{NAME}:{t}")), f"{NAME}:1.0.0"],
        [*create, *(w for t in ("1-code", "1.0-code", "code") for w in ("--tag", f"{NAME}:{t}")), f"{NAME}:1.0.0-code"],
        [
            *create,
            *(w for t in ("1-local", "1.0-local", "local") for w in ("--tag", f"{NAME}:{t}")),
            f"{NAME}:1.0.0-local",
        ],
    ]


def pushed(version: str) -> str:
    label = {"config": {"Labels": {"org.opencontainers.image.version": version}}}
    return json.dumps({"linux/amd64": label, "linux/arm64": label})


@pytest.mark.parametrize(("docker", "code"), [(pushed("1.0.0"), 0), (pushed("1.0.1"), 1), ("{}", 1), ("no JSON", 1)])
def test_a_pushed_image_says_its_version_on_each_platform(checkout: Checkout, docker: str, code: int) -> None:
    checkout.docker = docker
    images = [f"{target}={DIGEST}" for target in ("default", "code", "local")]
    assert checkout.release("check-images", "--version", "1.0.0", *images) == code
    assert len(checkout.said) == 6 * code
    assert [command[4] for command in checkout.ran] == [
        f"{NAME}:1.0.0@{DIGEST}",
        f"{NAME}:1.0.0-code@{DIGEST}",
        f"{NAME}:1.0.0-local@{DIGEST}",
    ]


@pytest.mark.parametrize("images", [["default=x"], ["default"], [f"{t}=latest" for t in ("default", "code", "local")]])
def test_what_is_no_image_is_refused(checkout: Checkout, images: list[str]) -> None:
    assert checkout.release("check-images", "--version", "1.0.0", *images) == 2
    assert checkout.ran == []


def test_a_dry_run_tells_all_and_touches_nothing(checkout: Checkout) -> None:
    checkout.commit("feat: a tool", "A tool.")
    checkout.whole()
    checkout.commit("fix: a fault", "A fault.")
    checkout.fake.requests.clear()
    before = (checkout.git("status", "--porcelain"), checkout.git("for-each-ref"))

    assert checkout.release("dry-run") == 0

    said = "\n".join(checkout.said)
    for words in (
        "plan: new (patch: 1 fix since v1.0.0)",
        "version: 1.0.1",
        "- A fault.\n",
        "git tags: v1.0.1, then v1, v1.0",
        f"image: {NAME}:1.0.1-code (linux/amd64, linux/arm64), then 1-code, 1.0-code, code",
        "assets: llm-testbench-baseline.json.gz, llm_testbench-1.0.1-py3-none-any.whl",
        "checks: all agree on 1.0.1",
    ):
        assert words in said
    assert "A tool." not in said
    assert checkout.fake.requests == []
    assert (checkout.git("status", "--porcelain"), checkout.git("for-each-ref")) == before


def test_a_dry_run_of_nothing_says_so(checkout: Checkout) -> None:
    checkout.commit("docs: a page")
    assert checkout.release("dry-run") == 0
    assert checkout.said == ["plan: none (nothing to release: 1 docs in the whole history)"]
