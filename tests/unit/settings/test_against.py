"""The other side of a model: what it takes over, which key it gets, and when `baseline: live` can be asked for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from llm_testbench.errors import InputError
from llm_testbench.gateway.model import ModelOptions
from llm_testbench.settings.model import Settings
from llm_testbench.settings.resolve import resolve

HOST = "endpoint: https://g.example/v1\n"
ELSEWHERE = "https://other.example/v1"
COMMON, OWN, OTHER = "key-of-the-gateway", "key-of-the-model", "key-of-the-other-side"
CHAT = (
    "{name: chat, id: org/b, endpoint: 'https://x.example/v1', api_key_env: OWN_KEY, timeout: 45m, concurrency: 1,"
    " max_tokens: 8000, max_tokens_key: max_completion_tokens, temperature: 0.5, extra_body: {top_k: 1},"
    " extra_headers: {X-Team: team-secret}}"
)


def ask(
    folder: Path,
    config: str,
    environ: dict[str, str] | None = None,
    command: str = "gate",
    flags: dict[str, str | None] | None = None,
) -> Settings:
    (folder / "llm-testbench.yaml").write_text(config, "utf-8")
    return resolve(command, flags or {}, environ or {}, folder)


def with_against(against: str, models: str = "[a, b]", more: str = "") -> str:
    return f"{HOST}models: {models}\ngate:\n  against: {against}\n{more}"


def refused(folder: Path, config: str, **flags: str) -> str:
    with pytest.raises(InputError) as caught:
        ask(folder, config, flags=dict(flags))
    assert caught.value.exit_code == 2
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_without_an_entry_a_model_has_no_other_side(tmp_path: Path) -> None:
    settings = ask(tmp_path, with_against("{b: {id: old}}"))
    assert list(settings.against) == ["b"]
    assert settings.sides == (*settings.models, settings.against["b"])
    assert ask(tmp_path, HOST + "models: [a]\n").against == {}


def test_what_an_entry_does_not_give_is_as_in_the_model(tmp_path: Path) -> None:
    settings = ask(tmp_path, with_against("{chat: {id: org/old}}", f"[{CHAT}]"), {"OWN_KEY": OWN})
    (model,) = settings.models
    assert model.api_key == OWN
    assert settings.against["chat"] == replace(model, id="org/old")


def test_limits_by_name_and_general_settings_hold_for_both(tmp_path: Path) -> None:
    more = "model_timeouts: {a: 7s}\nmax_retries: 5\nseed: 9\n"
    other = ask(tmp_path, with_against("{a: {id: old}}", more=more)).against["a"]
    assert (other.name, other.request_timeout, other.max_retries, other.seed) == ("a", 7.0, 5, 9)


def test_every_key_replaces_that_of_the_model(tmp_path: Path) -> None:
    entry = (
        f"{{chat: {{id: org/old, endpoint: '{ELSEWHERE}', api_key_env: OTHER_KEY, timeout: 1m, concurrency: 2,"
        " max_tokens: null, max_tokens_key: max_tokens, max_tokens_limit: 9000, temperature: null, seed: 3,"
        " stream: true, stream_options: false, tool_choice: required, extra_body: {}, extra_headers: {X-A: v}}}"
    )
    settings = ask(tmp_path, with_against(entry, f"[{CHAT}]"), {"OWN_KEY": OWN, "OTHER_KEY": OTHER})
    assert settings.against["chat"] == ModelOptions(
        name="chat",
        id="org/old",
        endpoint=ELSEWHERE,
        api_key=OTHER,
        extra_headers={"X-A": "v"},
        extra_body={},
        request_timeout=60.0,
        concurrency=2,
        max_tokens=None,
        max_tokens_key="max_tokens",
        token_limit=9000,
        temperature=None,
        seed=3,
        stream=True,
        omitted=frozenset({"temperature", "stream_options"}),
        tool_choice_required=True,
    )


def test_what_the_model_does_not_take_the_other_side_is_not_sent_unless_it_says_so(tmp_path: Path) -> None:
    model = (
        "{name: chat, temperature: null, seed: null, stream_options: false, tool_choice: required, max_tokens_limit: 9}"
    )
    (plain, own) = (
        ask(tmp_path, with_against(f"{{chat: {other}}}", f"[{model}]", "seed: 5\n")).against["chat"]
        for other in ("{id: old}", "{id: old, temperature: 1, seed: 4, stream_options: true, max_tokens_limit: 7}")
    )
    assert plain.omitted == {"temperature", "stream_options"}
    assert (plain.temperature, plain.seed, plain.tool_choice_required, plain.token_limit) == (None, None, True, 9)
    assert (own.omitted, own.temperature, own.seed, own.token_limit) == (frozenset(), 1, 4, 7)


def test_both_sides_keep_one_token_limit_though_one_is_the_embedded_model(tmp_path: Path) -> None:
    settings = ask(tmp_path, with_against("{a: {endpoint: local}}"), {"LLMTB_API_KEY": COMMON})
    assert settings.local
    assert (settings.against["a"].max_tokens, settings.against["a"].api_key) == (4096, None)
    assert settings.notes == ()


class TestTheKey:
    @pytest.mark.parametrize(
        ("address", "key"),
        [
            ("https://X.example:443/v2", OWN),
            ("https://x.example:8443/v1", None),
            ("http://x.example/v1", None),
            ("https://x.example.evil.example/v1", None),
            (ELSEWHERE, None),
            ("local", None),
        ],
    )
    def test_of_the_model_goes_to_its_own_origin_alone(self, tmp_path: Path, address: str, key: str | None) -> None:
        config = with_against(f"{{chat: {{endpoint: '{address}'}}}}", f"[{CHAT}]")
        settings = ask(tmp_path, config, {"OWN_KEY": OWN})
        assert settings.models[0].api_key == OWN
        assert settings.against["chat"].api_key == key

    def test_that_is_kept_back_is_worth_a_note(self, tmp_path: Path) -> None:
        config = with_against(f"{{chat: {{endpoint: '{ELSEWHERE}'}}}}", f"[{CHAT}]")
        notes = ask(tmp_path, config, {"OWN_KEY": OWN}).notes
        assert notes == (
            'the `against` side of "chat" is on another host and gets none of the model\'s extra_headers',
            'the `against` side of "chat" is on another host and gets no key; `api_key_env` names one',
        )

    def test_of_the_gateway_goes_to_the_gateway_and_nowhere_else(self, tmp_path: Path) -> None:
        at_home = with_against("{chat: {endpoint: 'https://g.example/v9'}}", f"[{CHAT}]")
        environ = {"OWN_KEY": OWN, "LLMTB_API_KEY": COMMON}
        assert ask(tmp_path, at_home, environ).against["chat"].api_key == COMMON
        away = with_against(f"{{a: {{endpoint: '{ELSEWHERE}'}}}}")
        settings = ask(tmp_path, away, environ)
        assert settings.against["a"].api_key is None
        assert settings.notes == (
            'the `against` side of "a" is on another host and gets no key; `api_key_env` names one',
        )

    def test_of_the_entry_goes_where_the_entry_says(self, tmp_path: Path) -> None:
        config = with_against(f"{{a: {{endpoint: '{ELSEWHERE}', api_key_env: OTHER_KEY}}}}")
        settings = ask(tmp_path, config, {"LLMTB_API_KEY": COMMON, "OTHER_KEY": OTHER})
        assert settings.against["a"].api_key == OTHER
        assert set(settings.secrets) == {COMMON, OTHER}
        assert settings.key_variables == ("LLMTB_API_KEY", "OTHER_KEY")

    def test_that_is_not_set_is_noted_and_no_other_is_sent(self, tmp_path: Path) -> None:
        config = with_against("{a: {id: old, api_key_env: OTHER_KEY}}")
        settings = ask(tmp_path, config, {"LLMTB_API_KEY": COMMON})
        assert settings.against["a"].api_key is None
        assert settings.notes == ('the `against` side of "a" has no key: OTHER_KEY is not set',)


class TestTheHeaders:
    @pytest.mark.parametrize(
        ("entry", "headers"),
        [
            ("{id: old}", {"X-Team": "team-secret"}),
            ("{endpoint: 'https://x.example/v2'}", {"X-Team": "team-secret"}),
            (f"{{endpoint: '{ELSEWHERE}'}}", {}),
            ("{endpoint: local}", {}),
            (f"{{endpoint: '{ELSEWHERE}', extra_headers: {{X-B: b-secret}}}}", {"X-B": "b-secret"}),
        ],
    )
    def test_stay_on_the_host_that_they_were_given_for(
        self, tmp_path: Path, entry: str, headers: dict[str, str]
    ) -> None:
        settings = ask(tmp_path, with_against(f"{{chat: {entry}}}", f"[{CHAT}]"), {"OWN_KEY": OWN})
        assert settings.against["chat"].extra_headers == headers

    def test_need_no_word_where_the_embedded_model_could_not_use_them(self, tmp_path: Path) -> None:
        assert ask(tmp_path, with_against("{chat: {endpoint: local}}", f"[{CHAT}]"), {"OWN_KEY": OWN}).notes == ()

    def test_of_both_sides_are_secrets_and_show_in_no_repr(self, tmp_path: Path) -> None:
        config = with_against("{chat: {id: old, extra_headers: {X-B: b-secret}}}", f"[{CHAT}]")
        settings = ask(tmp_path, config, {"OWN_KEY": OWN})
        assert set(settings.secrets) == {OWN, "team-secret", "b-secret"}
        assert "team-secret" not in repr(settings)
        assert "b-secret" not in repr(settings)


class TestTheName:
    def test_of_no_model_is_told_the_nearest(self, tmp_path: Path) -> None:
        said = refused(tmp_path, with_against("{caht: {id: old}}", "[chat, b]"))
        assert said == ("llm-testbench.yaml:4:3: gate.against: no model is called \"caht\"; did you mean 'chat'?")

    def test_of_a_model_that_is_not_asked_this_time_does_no_harm(self, tmp_path: Path) -> None:
        settings = ask(tmp_path, with_against("{a: {id: old}, b: {id: older}}"), flags={"models": "b"})
        assert list(settings.against) == ["b"]

    def test_can_be_that_of_a_model_which_the_file_does_not_know(self, tmp_path: Path) -> None:
        settings = ask(tmp_path, with_against("{new: {id: old}}"), flags={"models": "new"})
        assert settings.against["new"].id == "old"

    def test_is_not_looked_at_where_nothing_is_asked(self, tmp_path: Path) -> None:
        config = with_against("{nobody: {id: old}}")
        assert ask(tmp_path, config, flags={"current": "a.json"}).against == {}
        for command in ("run", "compare", "list"):
            assert ask(tmp_path, config, command=command).against == {}


def test_an_entry_without_endpoint_and_id_is_refused_with_its_place(tmp_path: Path) -> None:
    said = refused(tmp_path, with_against("{a: {temperature: 1}}"))
    assert said.startswith(
        "llm-testbench.yaml:4:13: gate.against: the other side of a model needs an endpoint or an id"
    )


class TestLive:
    LIVE = "  baseline: live\n"

    def test_looks_nowhere_and_asks_the_other_side(self, tmp_path: Path) -> None:
        baseline = ask(tmp_path, with_against("{b: {id: old}}", more=self.LIVE)).baseline
        assert (baseline.sources, baseline.live, baseline.chosen) == ((), True, True)

    @pytest.mark.parametrize("text", ["none", "release, base", "./live"])
    def test_is_no_other_source(self, tmp_path: Path, text: str) -> None:
        assert not ask(tmp_path, with_against("{b: {id: old}}"), flags={"baseline": text}).baseline.live

    def test_without_another_side_says_what_to_write(self, tmp_path: Path) -> None:
        said = refused(tmp_path, f"{HOST}models: [org/a]\n", baseline="live")
        assert said == (
            "flag --baseline: `live` needs the other side of at least one model: write"
            ' `gate: {against: {"org/a": {endpoint: URL, id: MODEL}}}` in the config'
        )

    def test_needs_the_other_side_of_a_model_that_is_asked(self, tmp_path: Path) -> None:
        said = refused(tmp_path, with_against("{b: {id: old}}", more=self.LIVE), models="a")
        assert said.startswith("llm-testbench.yaml:5:3: `live` needs the other side of at least one model")

    def test_needs_none_over_an_artifact_that_exists(self, tmp_path: Path) -> None:
        flags: dict[str, str | None] = {"current": "a.json", "baseline": "live"}
        assert ask(tmp_path, "", flags=flags).baseline.live

    def test_cannot_be_fetched(self, tmp_path: Path) -> None:
        with pytest.raises(InputError) as caught:
            ask(tmp_path, with_against("{b: {id: old}}", more=self.LIVE), command="baseline fetch")
        assert str(caught.value) == (
            "llm-testbench.yaml:5:3: `live` asks the other side while a gate runs: there is nothing to get"
        )
