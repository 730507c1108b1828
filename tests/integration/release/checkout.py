"""A repository with a history like this one's, and the fake GitHub that hosts it."""

from __future__ import annotations

import gzip
import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from scripts.release.__main__ import main
from scripts.release.edges import Edges
from tests.integration.github.baselines import measured
from tests.servers.github import FakeGitHub
from tests.unit.artifact.samples import document

ROOT = Path(__file__).parents[3]
DIGEST, CODE_DIGEST = f"sha256:{'1' * 64}", f"sha256:{'2' * 64}"
DATE = "2026-12-03"
FILES = {
    "src/llm_testbench/__init__.py": '"""A tool."""\n\n__version__ = "0.1.0"\n',
    "action.yml": "runs:\n  using: docker\n  image: Dockerfile\n",
    "code/action.yml": "runs:\n  using: docker\n  image: ../Dockerfile.code\n",
    "schemas/suite.schema.json": "{}\n",
    "README.md": "Read me.\n",
}


@dataclass
class Checkout:
    """A checkout of main; `said`: the lines of the last command; `ran`: what was asked of Docker."""

    root: Path
    fake: FakeGitHub
    docker: str = ""
    said: list[str] = field(default_factory=list)
    ran: list[list[str]] = field(default_factory=list)
    outputs: dict[str, str] = field(default_factory=dict)

    def commit(self, subject: str, *entries: str, body: str = "") -> str:
        """A commit on main, whose changelog has these entries more; its sha. GitHub has it too."""
        for path, text in FILES.items():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            if not (self.root / path).exists():
                (self.root / path).write_text(text)
        log = self.root / "CHANGELOG.md"
        text = log.read_text() if log.exists() else "# Changelog\n\n## Unreleased\n\n"
        log.write_text(text + "".join(f"- {one}\n" for one in entries))
        self.git("add", "--all")
        self.git("commit", "--allow-empty", "-m", f"{subject}\n\n{body}")
        sha = self.git("rev-parse", "HEAD")
        self.fake.ancestry.append(sha)
        files = {path: self.fake.git.add_blob((self.root / path).read_bytes()) for path in (*FILES, "CHANGELOG.md")}
        # The fake names trees as git does.
        assert self.fake.git.add_tree(files) == self.git("rev-parse", "HEAD^{tree}")
        return sha

    def git(self, *arguments: str) -> str:
        """What git prints."""
        settings = ["-c", "user.name=o", "-c", "user.email=o@example.com", "-c", "commit.gpgsign=false"]
        command = ["git", *settings, *arguments]
        return subprocess.run(command, cwd=self.root, check=True, capture_output=True, text=True).stdout.strip()

    def release(self, *arguments: str) -> int:
        """`python -m scripts.release …` in this checkout; its outputs are in `outputs`."""
        self.said.clear()
        output = self.root.parent / "output"
        output.write_text("")
        environ = {**self.fake.environ, "GITHUB_TOKEN": self.fake.token, "GITHUB_OUTPUT": str(output)}
        code = main(arguments, Edges(self.root, environ, self.said.append, lambda: DATE, self._docker))
        self.outputs = dict(line.split("=", 1) for line in output.read_text().splitlines())
        return code

    def _docker(self, command: Sequence[str]) -> str:
        self.ran.append(list(command))
        return self.docker

    def prepare(self) -> int:
        """As the workflow does, by the outputs of `plan`."""
        plan = self.outputs
        named = ["--version", plan["version"], "--previous", plan["previous"], "--date", plan["date"]]
        return self.release("prepare", *named, "--digest", DIGEST, "--code-digest", CODE_DIGEST)

    def build(self, version: str) -> None:
        """What the build would leave, and a recording."""
        dist = self.root.parent / "dist"
        dist.mkdir(exist_ok=True)
        (dist / f"llm_testbench-{version}-py3-none-any.whl").write_bytes(b"wheel")
        (dist / f"llm_testbench-{version}.tar.gz").write_bytes(b"sdist")
        self.record(document(measured()))

    def record(self, artifact: object) -> None:
        """The recording is this."""
        (self.root.parent / "artifact.json.gz").write_bytes(gzip.compress(json.dumps(artifact).encode(), mtime=0))

    def publish(self, version: str) -> int:
        """The workflow's last step but one."""
        folder = self.root.parent
        named = ["--version", version, "--digest", DIGEST, "--code-digest", CODE_DIGEST]
        files = ["--dist", str(folder / "dist"), "--baseline", str(folder / "artifact.json.gz")]
        return self.release("publish", *named, *files)

    def whole(self) -> str:
        """Plans, prepares and publishes, then is main again; the version."""
        assert self.release("plan") == 0, self.said
        version = self.outputs["version"]
        assert self.prepare() == 0, self.said
        self.build(version)
        assert self.publish(version) == 0, self.said
        self.fetch()
        return version

    def fetch(self) -> None:
        """Main as it was, with the tags that GitHub has."""
        self.git("checkout", "--force", "main")
        for name, sha in self.fake.git.tags.items():
            made = self.fake.git.commits[sha]
            for path, blob in self.fake.git.trees[made.tree].items():
                (self.root / path).write_bytes(self.fake.git.blobs[blob])
            self.git("add", "--all")
            tree = self.git("write-tree")
            mine = self.git("commit-tree", tree, "-p", made.parents[0], "-m", made.message)
            self.git("tag", "--force", name, mine)
            self.git("reset", "--hard", "HEAD")
