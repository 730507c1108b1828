"""Which models are asked, where, with which key and limits."""

from __future__ import annotations

from pathlib import Path

import pytest

from llm_testbench.errors import InputError
from llm_testbench.gateway.model import ModelOptions
from llm_testbench.settings.embedded import EMBEDDED, embedded
from llm_testbench.settings.model import Settings
from llm_testbench.settings.resolve import resolve

KEY = "key-of-the-gateway"
HOST = "endpoint: https://g.example/v1\n"
CHAT = "{name: chat, id: org/b, timeout: 45m, concurrency: 1, max_tokens: null, temperature: null}"


def ask(
    folder: Path, config: str = "", environ: dict[str, str] | None = None, flags: dict[str, str | None] | None = None
) -> Settings:
    (folder / "llm-testbench.yaml").write_text(config, "utf-8")
    return resolve("run", flags or {}, environ or {}, folder)


def test_a_string_is_name_and_id_with_every_default_filled_in(tmp_path: Path) -> None:
    settings = ask(tmp_path, HOST + "models: [org/a]\n")
    assert settings.models == (ModelOptions("org/a", "org/a", "https://g.example/v1"),)
    assert settings.endpoint == "https://g.example/v1"


def test_a_mapping_wins_over_the_options_and_a_null_is_not_an_absent_key(tmp_path: Path) -> None:
    config = HOST + f"models: [{CHAT}, plain]\ntemperature: 0.5\nmax_tokens_default: 99\nrequest_timeout: 1m\n"
    chat, plain = ask(tmp_path, config).models
    assert (chat.name, chat.id, chat.request_timeout, chat.concurrency) == ("chat", "org/b", 2700.0, 1)
    assert (chat.max_tokens, chat.temperature) == (None, None)
    assert (plain.max_tokens, plain.temperature, plain.request_timeout) == (99, 0.5, 60.0)


def test_every_way_of_asking_reaches_the_model(tmp_path: Path) -> None:
    flags: dict[str, str | None] = {
        "connect_timeout": "1s",
        "idle_timeout": "2s",
        "stream": "true",
        "max_retries": "0",
        "retry_timeouts": "false",
        "seed": "7",
    }
    config = HOST + "models: [{id: a, max_tokens_key: max_completion_tokens, extra_body: {top_k: 1}}]\n"
    (model,) = ask(tmp_path, config, flags=flags).models
    assert (model.connect_timeout, model.idle_timeout, model.stream) == (1.0, 2.0, True)
    assert (model.max_retries, model.retry_timeouts, model.seed) == (0, False, 7)
    assert (model.max_tokens_key, model.extra_body) == ("max_completion_tokens", {"top_k": 1})


def test_what_a_model_does_not_take_is_set_by_hand(tmp_path: Path) -> None:
    entry = "seed: null, stream: false, stream_options: false, tool_choice: required, max_tokens_limit: 9000"
    config = HOST + f"models: [{{id: a, temperature: null, {entry}}}, b]\nseed: 7\nstream: true\n"
    by_hand, plain = ask(tmp_path, config).models

    assert (by_hand.temperature, by_hand.seed, by_hand.stream, by_hand.token_limit) == (None, None, False, 9000)
    assert by_hand.omitted == {"temperature", "stream_options"}
    assert by_hand.tool_choice_required
    assert (plain.seed, plain.stream, plain.token_limit, plain.omitted) == (7, True, None, frozenset())
    assert not plain.tool_choice_required


def test_no_temperature_for_all_models_leaves_a_suite_its_own(tmp_path: Path) -> None:
    (model,) = ask(tmp_path, HOST + "models: [{id: a, stream_options: true}]\ntemperature: null\n").models
    assert (model.temperature, model.omitted) == (None, frozenset())


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("max_token_limit: 5", "did you mean 'max_tokens_limit'?"),
        ("max_tokens_limit: 0", "max_tokens_limit: expected a whole number"),
        ("tool_choice: auto", "tool_choice: expected required"),
        ("stream_options: {include_usage: true}", "stream_options: expected"),
        ("seed: -1", "seed: expected"),
    ],
)
def test_a_key_by_hand_that_is_wrong_is_refused(tmp_path: Path, written: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        ask(tmp_path, HOST + f"models: [{{id: a, {written}}}]\n")
    assert said in str(caught.value)


def test_limits_by_name_reach_the_model_unless_it_has_its_own(tmp_path: Path) -> None:
    config = HOST + f"models: [{CHAT}, b]\nmodel_timeouts: {{chat: 1s, b: 2s}}\nmodel_concurrency: {{chat: 7, b: 8}}\n"
    chat, b = ask(tmp_path, config).models
    assert (chat.request_timeout, chat.concurrency) == (2700.0, 1)
    assert (b.request_timeout, b.concurrency) == (2.0, 8)


def test_a_limit_for_an_unknown_model_is_worth_a_note(tmp_path: Path) -> None:
    config = HOST + "models: [chat, other]\nmodel_timeouts: {chta: 1s, other: 1s}\n"
    settings = ask(tmp_path, config, flags={"models": "chat"})
    assert settings.notes == ("model_timeouts: no model is called \"chta\"; did you mean 'chat'?",)


def test_a_name_on_the_command_line_picks_the_model_that_the_file_describes(tmp_path: Path) -> None:
    settings = ask(tmp_path, HOST + f"models: [{CHAT}, b]\n", flags={"models": "chat,new"})
    assert [(model.name, model.id) for model in settings.models] == [("chat", "org/b"), ("new", "new")]


@pytest.mark.parametrize(
    ("config", "flags", "message"),
    [
        ("", {}, "no endpoint is given: use --endpoint, LLMTB_ENDPOINT or `endpoint:` in llm-testbench.yaml;"),
        ("", {"models": "a"}, 'no endpoint is given for the model "a": use --endpoint or its own `endpoint:`'),
        (HOST, {}, "no model is named: use --models, LLMTB_MODELS or `models:` in llm-testbench.yaml;"),
    ],
    ids=["nothing", "no endpoint", "no models"],
)
def test_what_is_missing_is_named_with_the_ways_to_give_it(
    tmp_path: Path, config: str, flags: dict[str, str | None], message: str
) -> None:
    with pytest.raises(InputError) as caught:
        ask(tmp_path, config, flags=flags)
    assert str(caught.value).startswith(message)


CEILINGS = [
    ("", "a", None),
    ("max_tokens_limit: 500\n", "a", 500),
    ("max_tokens_limit: 500\n", "{id: a, max_tokens_limit: 900}", 500),
    ("max_tokens_limit: 500\n", "{id: a, max_tokens_limit: 90}", 90),
]


@pytest.mark.parametrize(("given", "model", "limit"), CEILINGS)
def test_no_limit_of_a_model_is_above_that_of_the_run(
    given: str, model: str, limit: int | None, tmp_path: Path
) -> None:
    settings = ask(tmp_path, f"{HOST}{given}models: [{model}]\n", {})
    assert settings.models[0].token_limit == limit


def test_nor_is_one_of_a_models_other_side(tmp_path: Path) -> None:
    side = "gate: {baseline: live, against: {a: {id: old, max_tokens_limit: 900}}}\n"
    (tmp_path / "llm-testbench.yaml").write_text(f"{HOST}max_tokens_limit: 500\nmodels: [a]\n{side}", "utf-8")
    settings = resolve("gate", {}, {}, tmp_path)
    assert settings.against["a"].token_limit == 500


class TestKeys:
    def test_go_to_every_model_on_the_host_of_the_endpoint(self, tmp_path: Path) -> None:
        config = HOST + 'models: [a, {id: b, endpoint: "https://g.example:443/v2"}]\n'
        settings = ask(tmp_path, config, {"LLMTB_API_KEY": KEY})
        assert [model.api_key for model in settings.models] == [KEY, KEY]

    def test_never_go_to_another_host(self, tmp_path: Path) -> None:
        config = HOST + 'models: [a, {id: b, endpoint: "https://other.example/v1"}]\n'
        settings = ask(tmp_path, config, {"LLMTB_API_KEY": KEY})
        assert [model.api_key for model in settings.models] == [KEY, None]
        assert settings.notes == ('the model "b" is on another host and gets no key; `api_key_env` names one',)

    @pytest.mark.parametrize(
        ("second", "keys"), [("https://x.example", [KEY, KEY]), ("https://y.example", [None, None])]
    )
    def test_belong_to_the_models_own_host_when_there_is_one_only(
        self, tmp_path: Path, second: str, keys: list[str | None]
    ) -> None:
        config = f'models: [{{id: a, endpoint: "https://x.example/v1"}}, {{id: b, endpoint: "{second}"}}]\n'
        assert [model.api_key for model in ask(tmp_path, config, {"LLMTB_API_KEY": KEY}).models] == keys

    def test_of_a_model_come_from_its_variable(self, tmp_path: Path) -> None:
        config = HOST + "models: [{id: a, api_key_env: B_KEY}]\n"
        settings = ask(tmp_path, config, {"LLMTB_API_KEY": KEY, "B_KEY": "its-own-key\n"})
        assert settings.models[0].api_key == "its-own-key"
        assert set(settings.secrets) == {KEY, "its-own-key"}

    def test_that_are_not_set_are_noted_and_not_replaced_by_the_common_one(self, tmp_path: Path) -> None:
        settings = ask(tmp_path, HOST + "models: [{id: a, api_key_env: B_KEY}]\n", {"LLMTB_API_KEY": KEY})
        assert settings.models[0].api_key is None
        assert settings.notes == ('the model "a" has no key: B_KEY is not set',)

    def test_that_no_header_can_hold_name_the_variable_and_not_the_value(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match=r"^B_KEY: expected a key: visible ASCII characters on one line$"):
            ask(tmp_path, HOST + "models: [{id: a, api_key_env: B_KEY}]\n", {"B_KEY": "two\nlines"})


class TestLocal:
    def test_implies_the_embedded_model_and_a_small_budget(self, tmp_path: Path) -> None:
        settings = ask(tmp_path, flags={"endpoint": "local"})
        (model,) = settings.models
        assert (model.name, model.id, model.endpoint, model.max_tokens) == (EMBEDDED.name, EMBEDDED.id, "local", 256)
        assert settings.max_tokens_default == 256
        assert settings.local

    def test_leaves_a_budget_that_somebody_set(self, tmp_path: Path) -> None:
        settings = ask(tmp_path, "max_tokens_default: 4096\n", flags={"endpoint": "local"})
        assert settings.models[0].max_tokens == 4096

    def test_never_sees_a_key(self, tmp_path: Path) -> None:
        settings = ask(tmp_path, environ={"OPENAI_API_KEY": KEY}, flags={"endpoint": "local"})
        assert (settings.models[0].api_key, settings.notes) == (None, ())

    def test_on_the_command_line_is_not_asked_in_the_name_of_the_files_models(self, tmp_path: Path) -> None:
        settings = ask(tmp_path, HOST + "models: [big]\n", flags={"endpoint": "local"})
        assert [model.name for model in settings.models] == [EMBEDDED.name]
        assert settings.notes == ("the embedded model is asked, not the models in llm-testbench.yaml:2:1",)

    def test_keeps_names_that_an_equally_strong_source_gives(self, tmp_path: Path) -> None:
        settings = ask(tmp_path, flags={"endpoint": "local", "models": "chat"})
        assert [model.name for model in settings.models] == ["chat"]

    def test_can_stand_beside_a_gateway(self, tmp_path: Path) -> None:
        settings = ask(tmp_path, HOST + "models: [a, {name: small, endpoint: local}]\n", {"LLMTB_API_KEY": KEY})
        assert [(m.name, m.max_tokens, m.api_key) for m in settings.models] == [("a", 4096, KEY), ("small", 256, None)]
        started = [embedded(model, "http://127.0.0.1:9/v1", "the-real-id", 2) for model in settings.models]
        assert [(m.name, m.id, m.endpoint, m.concurrency) for m in started] == [
            ("a", "a", "https://g.example/v1", None),
            ("small", "the-real-id", "http://127.0.0.1:9/v1", 2),
        ]
