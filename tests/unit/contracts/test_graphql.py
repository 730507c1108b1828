from typing import Any

import pytest
from tests.contracts.graphql import github_graphql
from tests.contracts.graphql_document import GraphQLSyntaxError, parse

AUTHORS = "query Authors($ids: [ID!]!) { nodes(ids: $ids) { ... on IssueComment { databaseId viewerDidAuthor } } }"
IDS: dict[str, Any] = {"ids": ["IC_1"]}


@pytest.mark.parametrize(
    ("query", "variables", "refusal"),
    [
        pytest.param("{ viewer { login } }", {}, None, id="short form"),
        pytest.param("query { me: viewer { name: login __typename } }", {}, None, id="aliases"),
        pytest.param(AUTHORS, IDS, None, id="variables"),
        pytest.param('{ nodes(ids: ["a", 1]) { id } }', {}, None, id="values in place"),
        pytest.param('{ nodes(ids: "a") { id } }', {}, None, id="one value for a list of one"),
        pytest.param("query($d: Boolean = true) { rateLimit(dryRun: $d) { cost } } # why", {}, None, id="default"),
        pytest.param("query($d: Boolean) { rateLimit(dryRun: $d) { cost } }", {}, None, id="optional"),
        pytest.param("query($d: Boolean!) { rateLimit(dryRun: $d) { cost } }", {"d": True}, None, id="stricter"),
        pytest.param("{ viewer { nick } }", {}, "Field 'nick' doesn't exist on type 'User'", id="unknown field"),
        pytest.param("{ viewer }", {}, "Field must have selections", id="no selections"),
        pytest.param("{ viewer { login { x } } }", {}, "Selections can't be made on scalars", id="of a scalar"),
        pytest.param("{ nodes { id } }", {}, "Field 'nodes' is missing required arguments: ids", id="no argument"),
        pytest.param("{ viewer(x: 1) { id } }", {}, "Field 'viewer' doesn't accept argument 'x'", id="argument"),
        pytest.param("{ nodes(ids: [null]) { id } }", {}, "Argument 'ids' on Field 'nodes' has an invalid", id="null"),
        pytest.param("{ rateLimit(dryRun: 1) { cost } }", {}, "Argument 'dryRun'", id="a value of another type"),
        pytest.param(
            '{ nodes(ids: ["a"]) { databaseId } }', {}, "'databaseId' doesn't exist on type 'Node'", id="no fragment"
        ),
        pytest.param('{ node(id: "a") { ... on Foo { id } } }', {}, "No such type Foo", id="unknown type"),
        pytest.param("{ viewer { ... on IssueComment { id } } }", {}, "can't be spread inside User", id="impossible"),
        pytest.param("{ nodes(ids: $ids) { id } }", IDS, "Variable $ids is used by", id="undeclared variable"),
        pytest.param("query($ids: [ID!]!) { viewer { id } }", IDS, "Variable $ids is declared by", id="unused"),
        pytest.param(AUTHORS, {}, "Variable $ids of type [ID!]! was provided invalid value", id="missing variable"),
        pytest.param(AUTHORS, {"ids": [None]}, "Variable $ids of type", id="null in a list"),
        pytest.param(AUTHORS, {"ids": [True]}, "Variable $ids of type", id="a boolean is no ID"),
        pytest.param(
            "query($ids: [ID]!) { nodes(ids: $ids) { id } }", IDS, "Type mismatch on variable $ids", id="looser type"
        ),
        pytest.param(
            "query($ids: [ID!]) { nodes(ids: $ids) { id } }", IDS, "Type mismatch on variable $ids", id="optional list"
        ),
        pytest.param(
            "query($ids: Foo!) { nodes(ids: $ids) { id } }",
            IDS,
            "Type mismatch on variable $ids",
            id="a type unheard of",
        ),
    ],
)
def test_a_query_is_refused_as_github_would(query: str, variables: dict[str, Any], refusal: str | None) -> None:
    refusals = github_graphql().refusals(parse(query), variables)

    assert (refusals == []) if refusal is None else (refusal in refusals[0]["message"])


MOVE = "mutation Move($input: UpdateRefsInput!) { updateRefs(input: $input) { clientMutationId } }"
REF = {"name": "refs/heads/x", "afterOid": "a" * 40}


@pytest.mark.parametrize(
    ("given", "fits"),
    [
        pytest.param({"repositoryId": "R", "refUpdates": [REF]}, True, id="as it is"),
        pytest.param(
            {"repositoryId": "R", "refUpdates": [{**REF, "beforeOid": "0" * 40, "force": True}]}, True, id="all"
        ),
        pytest.param({"repositoryId": "R", "refUpdates": REF}, True, id="one for a list of one"),
        pytest.param({"refUpdates": [REF]}, False, id="a key is missing"),
        pytest.param({"repositoryId": "R", "refUpdates": [REF], "ref": 1}, False, id="a key too many"),
        pytest.param({"repositoryId": "R", "refUpdates": [{**REF, "afterOid": "a" * 39}]}, False, id="half a hash"),
        pytest.param({"repositoryId": "R", "refUpdates": [{**REF, "name": "x"}]}, False, id="half a name"),
        pytest.param([], False, id="no object"),
    ],
)
def test_what_a_mutation_is_given_is_held_against_its_input_type(given: Any, fits: bool) -> None:
    refusals = github_graphql().refusals(parse(MOVE), {"input": given})

    assert [one["message"] for one in refusals] == (
        [] if fits else ["Variable $input of type UpdateRefsInput! was provided invalid value"]
    )


def test_a_mutation_is_no_field_of_a_query() -> None:
    (refusal,) = github_graphql().refusals(parse("mutation { viewer { id } }"), {})

    assert refusal["message"] == "Field 'viewer' doesn't exist on type 'Mutation'"


def test_a_refusal_says_where() -> None:
    (refusal,) = github_graphql().refusals(parse("{\n  viewer { nick }\n}"), {})

    assert refusal["locations"] == [{"line": 2, "column": 12}]
    assert refusal["path"] == ["query", "viewer", "nick"]


@pytest.mark.parametrize(
    "query",
    ["", "{", "{ }", "{ viewer { login }", "{ viewer { login } } x", "{ ... User }", "{ a: 1 }", "{ x(a: ) }", "{ % }"],
)
def test_what_is_no_query_is_a_syntax_error_with_its_place(query: str) -> None:
    with pytest.raises(GraphQLSyntaxError, match=r"^Parse error on .* at \[\d+, \d+\]$"):
        parse(query)


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ({"query": "{ viewer { id } }"}, 0),
        ({"query": "x", "variables": None}, 0),
        ({}, 1),
        ({"query": 1}, 1),
        ({"query": "x", "variables": []}, 1),
        ({"query": "x", "extra": 1}, 1),
    ],
)
def test_the_envelope_of_a_request(body: object, count: int) -> None:
    assert len(github_graphql().request_problems(body)) == count


GOOD = {"databaseId": 1, "viewerDidAuthor": True}


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        pytest.param({"data": {"nodes": [GOOD, None]}}, None, id="as asked"),
        pytest.param({"data": {"nodes": [{}]}}, None, id="a node of another type"),
        pytest.param({"data": None, "errors": [{"message": "x"}]}, None, id="errors"),
        pytest.param({}, "$: 'data' is a required property", id="neither"),
        pytest.param({"data": {}}, "$.data: 'nodes' was asked for and is missing", id="missing"),
        pytest.param({"data": {"nodes": [], "x": 1}}, "$.data: 'x' was not asked for", id="not asked for"),
        pytest.param({"data": {"nodes": None}}, "$.data.nodes: null, expected [Node]!", id="null"),
        pytest.param({"data": {"nodes": {}}}, "$.data.nodes: not a list", id="no list"),
        pytest.param({"data": {"nodes": [1]}}, "$.data.nodes[0]: not an object", id="no object"),
        pytest.param({"data": {"nodes": [{**GOOD, "databaseId": 2**31}]}}, "databaseId: $: 2147483648", id="64 bits"),
    ],
)
def test_an_answer_is_held_against_its_query(answer: object, problem: str | None) -> None:
    found = github_graphql().answer_problems(parse(AUTHORS), answer)

    assert (found == []) if problem is None else (problem in "\n".join(found)), found


def test_the_name_of_a_type_is_one_that_is_possible() -> None:
    document = parse("{ viewer { __typename } }")

    assert github_graphql().answer_problems(document, {"data": {"viewer": {"__typename": "User"}}}) == []
    assert github_graphql().answer_problems(document, {"data": {"viewer": {"__typename": "Foo"}}}) != []
