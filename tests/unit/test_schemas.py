import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from llm_testbench import schemas

ROOT = Path(__file__).parents[2]
COMMITTED = sorted(path.name.removesuffix(".schema.json") for path in (ROOT / "schemas").glob("*.schema.json"))


@pytest.mark.parametrize("name", COMMITTED)
def test_a_committed_schema_is_read_as_it_stands_in_the_repository(name: str) -> None:
    assert schemas.text(name) == (ROOT / "schemas" / f"{name}.schema.json").read_text("utf-8")


@pytest.mark.parametrize("name", COMMITTED)
def test_a_schema_is_valid_draft_2020_12(name: str) -> None:
    schema = schemas.load(name)

    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"


@pytest.mark.parametrize("name", COMMITTED)
def test_a_schema_has_a_title_and_a_description_and_any_address_is_its_own(name: str) -> None:
    schema = json.loads(schemas.text(name))

    assert schema.get("$id", f"/schemas/{name}.schema.json").endswith(f"/schemas/{name}.schema.json")
    assert schema["title"]
    assert schema["description"]


@pytest.mark.parametrize("name", ["nothing", "../pyproject"])
def test_an_unknown_name_is_no_path(name: str) -> None:
    with pytest.raises(KeyError):
        schemas.text(name)
