"""What the environment says about the way to an endpoint."""

from __future__ import annotations

import ssl
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.servers.certificate import authority_file

from llm_testbench.errors import InputError
from llm_testbench.gateway.surroundings import Surroundings, from_environment

VARIABLES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy", "request_method")
BUNDLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR")  # strongest first


@pytest.fixture(autouse=True)
def empty_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*VARIABLES, *(name.upper() for name in VARIABLES), *BUNDLES):
        monkeypatch.delenv(name, raising=False)
    system(monkeypatch)


def system(monkeypatch: pytest.MonkeyPatch, cafile: Path | None = None, capath: Path | None = None) -> None:
    """A machine with this store of authorities."""
    paths = SimpleNamespace(cafile=cafile and str(cafile), capath=capath and str(capath))
    monkeypatch.setattr(ssl, "get_default_verify_paths", lambda: paths)


def test_an_empty_environment_means_the_direct_way_and_known_authorities() -> None:
    assert from_environment("https://gateway.example.com/v1") == Surroundings()


def test_a_proxy_of_the_scheme_is_used_and_its_password_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://user:canary@proxy:3128")
    surroundings = from_environment("https://gateway.example.com/v1")

    assert surroundings.proxies["https"] == "http://user:canary@proxy:3128"
    assert "canary" not in repr(surroundings)


@pytest.mark.parametrize(
    "endpoint",
    [
        "http://127.0.0.1:8000/v1",
        "http://127.9.9.9/v1",
        "http://[::1]/v1",
        "http://localhost:1/v1",
        "http://a.localhost/v1",
    ],
)
def test_loopback_is_never_reached_through_a_proxy(monkeypatch: pytest.MonkeyPatch, endpoint: str) -> None:
    monkeypatch.setenv("http_proxy", "http://proxy:3128")

    assert from_environment(endpoint).proxies == {}


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ("proxy:3128", "http://proxy:3128"),
        ("user:canary@proxy:3128", "http://user:canary@proxy:3128"),
        (" https://proxy ", "https://proxy"),
        (" ", None),
    ],
)
@pytest.mark.parametrize("name", ["https_proxy", "HTTPS_PROXY", "all_proxy"])
def test_a_proxy_may_be_written_without_its_scheme(
    monkeypatch: pytest.MonkeyPatch, name: str, given: str, address: str | None
) -> None:
    monkeypatch.setenv(name, given)
    proxies = from_environment("https://gateway.example.com/v1").proxies

    assert proxies == ({} if address is None else {name.lower().removesuffix("_proxy"): address})


@pytest.mark.parametrize(
    "address",
    [
        "http://user:canary@proxy:port",
        "http://user:canary@proxy:99999",
        "http://user:canary@proxy:0",
        "http://user:canary@",
        "http://user:canary@a proxy:1",
        "http://[::1:canary",
        "socks5://user:canary@proxy:1080",
        "ftp://user:canary@proxy",
    ],
)
def test_what_is_no_proxy_is_an_error_that_does_not_repeat_it(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("https_proxy", address)
    with pytest.raises(InputError) as error:
        from_environment("https://gateway.example.com/v1")

    what = "holds no address of a proxy: write http://host:port, with a login http://user:password@host:port"
    assert str(error.value) == f"HTTPS_PROXY: {what}"
    assert from_environment("http://gateway.example.com/v1").proxies == {}


def test_no_proxy_is_obeyed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://proxy:3128")
    monkeypatch.setenv("no_proxy", ".example.com")

    assert from_environment("https://gateway.example.com/v1").proxies == {}


def verify() -> bool | str:
    return from_environment("https://gateway.example.com/v1").verify


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "own.pem"
    path.write_bytes(authority_file().read_bytes())
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "certs"
    path.mkdir()
    (path / "002c0b4f.0").write_text("-----BEGIN CERTIFICATE-----\n")
    return path


def test_the_authorities_of_the_system_are_trusted(monkeypatch: pytest.MonkeyPatch, file: Path, folder: Path) -> None:
    system(monkeypatch, capath=folder)
    assert verify() == str(folder)
    system(monkeypatch, file, folder)
    assert verify() == str(file)


def test_where_the_system_has_none_those_of_requests_are(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    empty = tmp_path / "cert.pem"
    empty.touch()  # and the folder holds it alone
    system(monkeypatch, empty, tmp_path)

    assert verify() is True


@pytest.mark.parametrize("name", BUNDLES)
def test_a_variable_names_the_authorities(monkeypatch: pytest.MonkeyPatch, file: Path, name: str) -> None:
    system(monkeypatch, Path("/etc/other.pem"))
    for weaker in BUNDLES[BUNDLES.index(name) + 1 :]:
        monkeypatch.setenv(weaker, "/nowhere")
    monkeypatch.setenv(name, str(file))

    assert verify() == str(file)


def test_of_a_list_of_folders_the_first_that_exists_is_taken(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setenv("SSL_CERT_DIR", f"/nowhere:{folder}")

    assert verify() == str(folder)


@pytest.mark.parametrize("name", BUNDLES)
def test_a_variable_that_names_nothing_is_an_error(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "/nowhere.pem")
    with pytest.raises(InputError) as error:
        verify()

    assert str(error.value) == f"{name}: nothing is at '/nowhere.pem': name a PEM file of authorities, or unset it"


@pytest.mark.parametrize("name", BUNDLES)
@pytest.mark.parametrize("content", [b"", b"\x00\xff" * 99, b"-----BEGIN CERTIFICATE-----\nAAAA\n"])
def test_a_variable_that_names_a_file_without_a_certificate_is_one(
    monkeypatch: pytest.MonkeyPatch, file: Path, name: str, content: bytes
) -> None:
    file.write_bytes(content)
    monkeypatch.setenv(name, str(file))
    with pytest.raises(InputError) as error:
        verify()

    what = "holds no certificate that can be read: name a PEM file of authorities, or unset it"
    assert str(error.value) == f"{name}: '{file}' {what}"


def test_our_own_option_wins_over_every_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/nowhere.pem")

    assert from_environment("https://gateway.example.com/v1", "/certs/own.pem").verify == "/certs/own.pem"
