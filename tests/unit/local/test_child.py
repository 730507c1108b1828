"""What the child process asks of the engine."""

from __future__ import annotations

import pytest

from llm_testbench.local.child import ServerOptions, parameters
from llm_testbench.local.weights import available

OPTIONS = ServerOptions(weights="/models/ü 1.gguf", model_id="small", parallel=3, context=512, threads=4)


def test_options_survive_the_command_line() -> None:
    assert ServerOptions.from_argument(OPTIONS.to_argument()) == OPTIONS


@pytest.mark.skipif(not available(), reason="the embedded model is not installed")
class TestParameters:
    @pytest.fixture
    def chosen(self) -> object:
        import xllamacpp  # noqa: PLC0415  # not installed everywhere

        return parameters(xllamacpp, OPTIONS)

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            pytest.param("hostnames", ["127.0.0.1"], id="loopback only"),
            pytest.param("port", 0, id="a free port"),
            pytest.param("offline", True, id="no download"),
            pytest.param("n_parallel", 3, id="a slot for each parallel request"),
            pytest.param("n_ctx", 3 * 512, id="the context of all slots"),
            pytest.param("model_alias", {"small"}, id="its id and not its path"),
            pytest.param("cache_prompt", False, id="no answer depends on the one before"),
            pytest.param("ui", False, id="no web page"),
            pytest.param("endpoint_slots", False, id="prompts of others are not shown"),
            pytest.param("cors_origins", "", id="no web page may read"),
        ],
    )
    def test_the_server_is_deterministic_private_and_offline(self, chosen: object, name: str, value: object) -> None:
        assert getattr(chosen, name) == value

    def test_both_phases_use_the_given_threads(self, chosen: object) -> None:
        phases = (chosen.cpuparams, chosen.cpuparams_batch)  # type: ignore[attr-defined]  # xllamacpp has no types
        assert [phase.n_threads for phase in phases] == [4, 4]
