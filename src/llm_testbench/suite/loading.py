"""What the readers of one suite share: its faults, the text still allowed, the case, the files it names."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field

from llm_testbench import json_value, yaml12
from llm_testbench.errors import InputError, Place
from llm_testbench.json_value import JSON
from llm_testbench.suite import files
from llm_testbench.suite.fields import Faults, Spot, got
from llm_testbench.suite.limits import MAX_TEXT
from llm_testbench.suite.rules import NOT_YAML, UNREADABLE
from llm_testbench.suite.sources import SuiteFile
from llm_testbench.untrusted import Untrusted
from llm_testbench.yaml12 import YamlDocument


@dataclass
class Allowance:
    """How many characters files and cases may still add to one load."""

    left: int = MAX_TEXT

    def spend(self, size: int, place: Place) -> None:
        """InputError once the allowance is used up: ten thousand cases of a long prompt would fill the memory."""
        self.left -= size
        if self.left < 0:
            raise InputError(f"the suites hold more than {MAX_TEXT} characters in files and filled-in cases", place)


@dataclass
class Loading:
    """The state of reading one suite file."""

    file: SuiteFile
    faults: Faults = field(default_factory=Faults)
    allowance: Allowance = field(default_factory=Allowance)

    def named_text(self, spot: Spot) -> tuple[str, str] | None:
        """The text, LF line ends, of the file named at `spot`, and its path from the base; None with a fault."""
        if not isinstance(spot.value, str):
            self.faults.add(spot, f"expected the path of a file, got {got(spot.value)}")
            return None
        try:
            parts = files.resolve(self.file.parts[:-1], spot.value)
            content = files.read(self.file.root, parts)
            text = content.decode("utf-8-sig")
        except files.RefusedError as error:
            self.faults.add(spot, f"{got(spot.value)}: {error}", UNREADABLE)
            return None
        except UnicodeDecodeError as error:
            self.faults.add(spot, f"{got(spot.value)}: not UTF-8 (byte {error.start})", UNREADABLE)
            return None
        self.allowance.spend(len(text), spot.place)
        # A checkout with autocrlf must not turn a prompt into another one.
        shown = posixpath.normpath(posixpath.join(posixpath.dirname(self.file.shown), spot.value))
        return text.replace("\r\n", "\n"), Untrusted(shown).terminal()

    def named_data(self, spot: Spot) -> Spot | None:
        """The data of the JSON or YAML file whose name stands at `spot`, places kept for YAML; None with a fault."""
        read = self.named_text(spot)
        if read is None:
            return None
        text, shown = read
        try:
            if shown.endswith(".json"):
                return Spot(parsed_json(text), YamlDocument(None, shown, {}))
            document = yaml12.read(text, shown)
        except ValueError as error:
            self.faults.add(spot, f"{got(spot.value)}: not JSON: {' '.join(str(error).split())}", NOT_YAML)
            return None
        except InputError as error:
            self.faults.add_error(error)
            return None
        return Spot(document.value, document)


def parsed_json(text: str) -> JSON:
    """Strict JSON whose strings can be sent as UTF-8; ValueError for anything else."""
    value = json_value.parse(text)
    if "\\u" in text:
        try:
            json_value.canonical(value).encode()
        except UnicodeEncodeError:
            raise ValueError("a string holds half a surrogate pair, which is no character") from None
    return value
