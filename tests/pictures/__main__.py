"""`python -m tests.pictures FOLDER [SCENE…]`: reports of all scenes, or of those that are named."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.pictures.page import page, photograph
from tests.pictures.scenes import SCENES, report


def main(folder: Path, *names: str) -> None:
    """Writes NAME.md and NAME.png of each scene."""
    folder.mkdir(parents=True, exist_ok=True)
    for scene in SCENES:
        if scene.name in names or not names:
            said = report(scene)
            (folder / f"{scene.name}.md").write_text(said, "utf-8")
            photograph(page(said), folder / f"{scene.name}.png", scene.most)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
