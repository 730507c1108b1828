import re
from collections.abc import Callable
from random import Random
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.github.conversation import BOT, NUMBER, SHA, Client, Conversation, event, interleaved, url
from tests.unit.github.every_order import Orders, Publisher
from tests.unit.hostile_text import HOSTILE, texts

from llm_testbench.github.api import GitHubError
from llm_testbench.github.comment import COMMENT_LIMIT, Posted, When, marker, room, should_comment, upsert
from llm_testbench.github.event import Event


def ours(body: str, run: int = 9, attempt: int = 1, key: str = "default", sha: str = SHA) -> str:
    return f"{marker(key, event(run, attempt, sha))}\n\n{body}"


def writes(conversation: Conversation) -> list[str]:
    return [call for call in conversation.calls if not call.startswith(("GET ", "GRAPHQL "))]


def test_the_first_comment_is_created_with_the_marker_before_the_body() -> None:
    conversation = Conversation()

    assert upsert(Client(conversation), "default", "Worse") == Posted(url(1), "created")

    assert conversation.comments[1].body == (
        f"<!-- llm-testbench comment=default run=10 attempt=1 head={SHA} -->\n\nWorse"
    )


def test_a_later_run_changes_it_in_place() -> None:
    conversation = Conversation()
    conversation.add("a person's", "octocat")
    conversation.add(ours("Worse"))
    conversation.add("another person's", "hubot")

    assert upsert(Client(conversation), "default", "Better") == Posted(url(2), "updated")

    assert conversation.bodies == ["a person's", "Better", "another person's"]
    assert writes(conversation) == ["PATCH /issues/comments/2"]


@pytest.mark.parametrize(
    ("run", "attempt", "action"),
    [
        pytest.param(9, 1, "updated", id="older run"),
        pytest.param(9, 5, "updated", id="older run tried often"),
        pytest.param(10, 1, "updated", id="older attempt"),
        pytest.param(10, 2, "updated", id="this attempt"),
        pytest.param(10, 3, "kept", id="newer attempt"),
        pytest.param(11, 1, "kept", id="newer run"),
        pytest.param(100, 1, "kept", id="as numbers, not as texts"),
    ],
)
def test_a_comment_of_a_newer_run_is_left_alone(run: int, attempt: int, action: str) -> None:
    conversation = Conversation()
    conversation.add(ours("theirs", run, attempt))

    posted = upsert(Client(conversation, event(10, 2)), "default", "mine")

    assert (posted.url, posted.action) == (url(1), action)
    assert conversation.bodies == ["theirs" if action == "kept" else "mine"]
    assert len(writes(conversation)) == (action == "updated")


@pytest.mark.parametrize(
    ("body", "author"),
    [
        pytest.param(ours("planted"), "mallory", id="marker by another author"),
        pytest.param(ours("x", key="other"), BOT, id="another key"),
        pytest.param(ours("x", key="default2"), BOT, id="a key that begins alike"),
        pytest.param(" " + ours("x"), BOT, id="something before the marker"),
        pytest.param("> " + ours("x"), BOT, id="quoted"),
        pytest.param(f"```\n{ours('x')}\n```", BOT, id="in the text of another comment"),
        pytest.param(ours("x").replace("run=9", "run=nine"), BOT, id="no number"),
        pytest.param(ours("x").replace("run=9", f"run={'9' * 21}"), BOT, id="a number without end"),
        pytest.param(ours("x").replace("run=9", "run=٩"), BOT, id="other digits"),
        pytest.param(ours("x").replace(" attempt=1", ""), BOT, id="part missing"),
        pytest.param(ours("x").replace(SHA, "a" * 65), BOT, id="head too long"),
        pytest.param(ours("x").replace(SHA, "../x"), BOT, id="head is none"),
        pytest.param(ours("x").replace(" -->", "-->"), BOT, id="not closed as we do"),
        pytest.param("", BOT, id="empty"),
    ],
)
def test_what_is_not_ours_is_not_touched(body: str, author: str) -> None:
    conversation = Conversation()
    conversation.add(body, author)

    assert upsert(Client(conversation), "default", "mine") == Posted(url(2), "created")

    assert conversation.comments[1].body == body
    assert conversation.bodies[1] == "mine"


def test_keys_have_comments_of_their_own() -> None:
    conversation = Conversation()
    for key in ("default", "nightly", "night", "a-b", "a--b"):
        upsert(Client(conversation), key, key)
        upsert(Client(conversation), key, f"{key} again")

    assert conversation.bodies == ["default again", "nightly again", "night again", "a-b again", "a--b again"]


@given(texts | st.text(), st.integers(0, 10**18), st.integers(0, 10**6), st.sampled_from(["", SHA, "f" * 64]))
def test_no_key_ends_the_marker_or_is_taken_for_another(key: str, run: int, attempt: int, sha: str) -> None:
    line = marker(key, event(run, attempt, sha))

    assert re.fullmatch(r"<!-- [^<>\n]+ -->", line, re.ASCII)
    assert "--" not in line[4:-3]
    conversation = Conversation()
    conversation.add(f"{line}\n\nold")
    assert upsert(Client(conversation, event(run, attempt, sha)), key, "new").action == "updated"
    assert upsert(Client(conversation), key + "2", "another").action == "created"


def test_outside_a_pull_request_the_marker_names_the_measured_commit() -> None:
    assert marker("k", Event(sha=SHA)) == f"<!-- llm-testbench comment=k run=0 attempt=0 head={SHA} -->"


def test_of_several_the_first_stays_with_the_new_words_and_the_others_go() -> None:
    conversation = Conversation()
    for run in (8, 9, 7):
        conversation.add(ours(f"run {run}", run))
    conversation.add(ours("planted", 6), "mallory")

    assert upsert(Client(conversation), "default", "mine") == Posted(url(1), "updated")

    assert conversation.bodies == ["mine", "planted"]


def test_of_several_the_first_gets_the_words_of_a_newer_run() -> None:
    conversation = Conversation()
    conversation.add(ours("old", 9))
    conversation.add(ours("newest", 12))
    conversation.add(ours("newer", 11))

    assert upsert(Client(conversation), "default", "mine") == Posted(url(1), "kept")

    assert conversation.bodies == ["newest"]


def test_authors_are_asked_for_only_of_comments_with_a_marker_a_hundred_at_a_time() -> None:
    conversation = Conversation()
    for number in range(150):
        conversation.add(ours("planted"), "mallory")
        conversation.add(f"talk {number}", BOT)
    conversation.add(ours("Worse"))

    assert upsert(Client(conversation), "default", "Better") == Posted(url(301), "updated")

    asked = [call.split()[1:] for call in conversation.calls if call.startswith("GRAPHQL")]
    assert [len(ids) for ids in asked] == [100, 51, 100, 51, 1]  # the last: what ours said before
    assert not {f"IC/{number}" for number in range(2, 301, 2)} & {one for ids in asked for one in ids}


def test_without_a_marked_comment_no_author_is_asked_for() -> None:
    conversation = Conversation()
    conversation.add("talk", "octocat")

    upsert(Client(conversation), "default", "x", create=False)

    assert conversation.calls == [f"GET /issues/{NUMBER}/comments"]


def at(conversation: Conversation, call: str, act: Callable[[], object], times: int = 1) -> None:
    """Acts just before a call that begins so is answered, as another run would, or as a network."""
    left = [act] * times

    def before(what: str) -> None:
        if what.startswith(call) and left:
            left.pop()()

    conversation.before = before


def test_a_comment_that_is_deleted_before_it_is_changed_is_created_anew() -> None:
    conversation = Conversation()
    conversation.add(ours("Worse"))
    at(conversation, "PATCH", conversation.comments.clear)

    assert upsert(Client(conversation), "default", "Better") == Posted(url(2), "created")
    assert conversation.bodies == ["Better"]


def test_a_comment_that_is_only_to_be_changed_is_not_created_when_it_is_deleted_meanwhile() -> None:
    conversation = Conversation()
    conversation.add(ours("Worse"))
    at(conversation, "PATCH", conversation.comments.clear)

    assert upsert(Client(conversation), "default", "Better", create=False) == Posted("", "none")
    assert conversation.bodies == []


def test_our_own_comment_that_is_deleted_at_once_is_not_made_again_and_again() -> None:
    conversation = Conversation()
    at(conversation, "GET", conversation.comments.clear, times=100)

    assert upsert(Client(conversation), "default", "x") == Posted(url(1), "created")
    assert writes(conversation) == [f"POST /issues/{NUMBER}/comments"]


def test_our_own_comment_that_is_replaced_at_once_by_a_newer_runs_is_given_up() -> None:
    conversation = Conversation()

    def replaced() -> None:
        conversation.comments.clear()
        conversation.add(ours("newer", 11))

    at(conversation, "POST", lambda: at(conversation, "GET", replaced))

    assert upsert(Client(conversation), "default", "mine") == Posted(url(2), "kept")
    assert conversation.bodies == ["newer"]


def test_a_comment_that_loses_its_marker_between_two_looks_is_not_ours_any_more() -> None:
    conversation = Conversation()
    conversation.add(ours("Worse"))
    at(conversation, "GRAPHQL", lambda: conversation.edit(1, "edited by a person"))

    assert upsert(Client(conversation), "default", "Better") == Posted(url(2), "created")
    assert conversation.bodies == ["edited by a person", "Better"]


def test_a_comment_that_is_deleted_between_list_and_author_is_not_looked_for_again() -> None:
    conversation = Conversation()
    conversation.add(ours("first"))
    conversation.add(ours("second"))
    at(conversation, "GRAPHQL", lambda: conversation.comments.pop(2))

    assert upsert(Client(conversation), "default", "Better") == Posted(url(1), "updated")


def test_an_older_run_that_writes_over_ours_is_written_over() -> None:
    conversation = Conversation()
    conversation.add(ours("Worse"))
    at(conversation, "PATCH", lambda: at(conversation, "GET", lambda: conversation.edit(1, ours("older"))))

    assert upsert(Client(conversation), "default", "Better") == Posted(url(1), "updated")
    assert conversation.bodies == ["Better"]
    assert writes(conversation) == ["PATCH /issues/comments/1"] * 2


def test_others_that_never_stop_writing_do_not_keep_us_for_ever() -> None:
    conversation = Conversation()
    conversation.add(ours("Worse"))
    at(conversation, "GET", lambda: conversation.edit(1, ours("older")), times=1000)

    assert upsert(Client(conversation), "default", "Better") == Posted(url(1), "updated")
    assert len(writes(conversation)) == 20


def test_others_that_never_stop_deleting_do_not_keep_us_for_ever() -> None:
    conversation = Conversation()
    for _ in range(50):
        conversation.add(ours("Worse"))
    at(conversation, "GRAPHQL", lambda: conversation.comments.pop(max(conversation.comments)), times=1000)

    with pytest.raises(GitHubError, match="Could not resolve to a node"):
        upsert(Client(conversation), "default", "Better")
    assert writes(conversation) == []


def failing(status: int | None) -> Callable[[], object]:
    def fail() -> None:
        raise GitHubError("went wrong", status)

    return fail


@pytest.mark.parametrize(
    ("call", "status"),
    [
        pytest.param("GET", 403, id="list refused"),
        pytest.param("GET", None, id="no answer to the list"),
        pytest.param("GRAPHQL", 200, id="authors refused though all comments are there"),
        pytest.param("PATCH", 403, id="change refused"),
        pytest.param("DELETE", 403, id="removal refused"),
    ],
)
def test_trouble_with_github_is_the_callers(call: str, status: int | None) -> None:
    conversation = Conversation()
    conversation.add(ours("first"))
    conversation.add(ours("second"))
    at(conversation, call, failing(status), times=2)

    with pytest.raises(GitHubError, match="went wrong"):
        upsert(Client(conversation), "default", "Better")


@pytest.mark.parametrize("status", [403, 422])
def test_a_refused_creation_is_not_tried_again(status: int) -> None:
    conversation = Conversation()
    at(conversation, "POST", failing(status))

    with pytest.raises(GitHubError, match="went wrong"):
        upsert(Client(conversation), "default", "x")
    assert conversation.bodies == []


@pytest.mark.parametrize("status", [None, 502])
def test_a_creation_without_an_answer_is_looked_for_before_it_is_tried_again(status: int | None) -> None:
    conversation = Conversation()
    at(conversation, "POST", failing(status))

    assert upsert(Client(conversation), "default", "x") == Posted(url(1), "created")
    assert conversation.bodies == ["x"]


def test_a_creation_whose_answer_was_lost_is_found() -> None:
    conversation = Conversation()

    def made_but_lost() -> None:
        conversation.add(ours("x", run=10))
        raise GitHubError("the connection was lost")

    at(conversation, "POST", made_but_lost)

    assert upsert(Client(conversation), "default", "x").url == url(1)
    assert conversation.bodies == ["x"]


def test_a_second_creation_without_an_answer_is_the_callers() -> None:
    conversation = Conversation()
    at(conversation, "POST", failing(None), times=2)

    with pytest.raises(GitHubError, match="went wrong"):
        upsert(Client(conversation), "default", "x")


class Strange(Client):
    """A server whose answers are not GitHub's."""

    def pages(self, path: str, /, *, needs: str):  # type: ignore[no-untyped-def]
        yield from [{"id": "1"}, {"id": 1, "node_id": "IC/1", "html_url": "", "body": None}, {}]
        yield from super().pages(path, needs=needs)

    def post(self, path: str, body: object, /, *, needs: str):  # type: ignore[no-untyped-def]
        return [body]

    def graphql(self, query: str, variables: object, /, *, needs: str):  # type: ignore[no-untyped-def]
        return {"nodes": [None, 3, {"id": "IC/99", "body": ours("x"), "viewerDidAuthor": True}]}


def test_answers_of_another_shape_are_no_comments_of_ours() -> None:
    conversation = Conversation()
    conversation.add(ours("x"))

    assert upsert(Strange(conversation), "default", "y", create=False) == Posted("", "none")
    with pytest.raises(GitHubError, match=rf"^POST /issues/{NUMBER}/comments: the answer is no comment$"):
        upsert(Strange(conversation), "default", "y")


@pytest.mark.parametrize("text", ["x", "é", "漢", "😀"])
@pytest.mark.parametrize("key", ["default", "a-long-key" * 6])
def test_a_body_may_fill_the_room_to_the_last_byte_and_no_more(key: str, text: str) -> None:
    conversation = Conversation()
    left = room(key, event())
    size = len(text.encode())
    body = text * (left // size) + "x" * (left % size)

    upsert(Client(conversation), key, body)

    assert len(conversation.comments[1].body.encode()) == COMMENT_LIMIT == 65_536
    with pytest.raises(ValueError, match=r"^the comment has 65537 bytes, of which GitHub takes 65536$"):
        upsert(Client(conversation), key, body + "x")


def test_half_of_a_surrogate_pair_is_written_as_its_escape() -> None:
    conversation = Conversation()

    upsert(Client(conversation), "default", HOSTILE["surrogate"])

    assert conversation.bodies == ["a\\ud800b"]


def repaired(conversation: Conversation, run: int, late: str, editor: str = BOT) -> list[str]:
    """What stands after an older run, which looked at first, has written over `late` without having seen it."""
    at(conversation, "PATCH", lambda: conversation.edit(1, late, editor))
    upsert(Client(conversation, event(run)), "default", f"run {run}")
    return conversation.bodies


def test_newer_words_that_were_written_over_unseen_are_put_back() -> None:
    conversation = Conversation()
    conversation.add(ours("run 9"))

    assert repaired(conversation, 10, ours("run 11", 11)) == ["run 11"]
    assert writes(conversation) == ["PATCH /issues/comments/1"] * 2


@pytest.mark.parametrize(
    ("late", "editor"),
    [
        pytest.param(ours("run 9 again", 9), BOT, id="older words"),
        pytest.param(ours("x", 11, key="other"), BOT, id="another key"),
        pytest.param(ours("x", 11), "mallory", id="edited by a person"),
        pytest.param(ours("x", 11), "github-actions", id="edited by a person with the name of our bot"),
        pytest.param("x", BOT, id="no marker"),
    ],
)
def test_what_no_newer_run_of_ours_has_said_is_not_put_back(late: str, editor: str) -> None:
    conversation = Conversation()
    conversation.add(ours("run 9"))

    assert repaired(conversation, 10, late, editor) == ["run 10"]


def test_a_revision_that_was_deleted_from_the_history_is_passed_over() -> None:
    conversation = Conversation()
    conversation.add(ours("run 9"))
    conversation.comments[1].edits = ((BOT, None), (BOT, ours("run 9")))

    assert repaired(conversation, 10, ours("run 11", 11)) == ["run 11"]


@pytest.mark.parametrize("head", [SHA, None], ids=["history", "head and history"])
def test_a_server_that_tells_no_history_is_asked_once_and_does_not_fail(head: str | None) -> None:
    conversation = Conversation(keeps_edits=False, head=head)
    conversation.add(ours("Worse"))

    assert upsert(Client(conversation), "default", "Better") == Posted(url(1), "updated")
    assert conversation.bodies == ["Better"]
    assert [call.split()[0] for call in conversation.calls].count("GRAPHQL") == 4  # two looks, two questions


def test_a_token_that_may_not_see_the_pull_request_has_the_history_all_the_same() -> None:
    conversation = Conversation(head=None)
    conversation.add(ours("run 9"))

    assert repaired(conversation, 10, ours("run 11", 11)) == ["run 11"]


HEADS = [
    pytest.param((12, "b"), (11, "a"), "a", "kept", id="theirs is for the head that is there now"),
    pytest.param((11, "a"), (12, "b"), "a", "updated", id="mine is, though its run is older"),
    pytest.param((12, "b"), (11, "c"), "a", "updated", id="neither is: the newer run"),
    pytest.param((11, "b"), (12, "c"), "a", "kept", id="neither is: theirs is the newer run"),
    pytest.param((11, "a"), (12, "b"), None, "kept", id="the head is not known: the newer run"),
]


@pytest.mark.parametrize(("mine", "theirs", "head", "action"), HEADS)
def test_the_run_for_the_head_of_the_pull_request_has_the_word(
    mine: tuple[int, str], theirs: tuple[int, str], head: str | None, action: str
) -> None:
    conversation = Conversation(head=head and head * 40)
    other = marker("default", event(theirs[0], 1, theirs[1] * 40))
    conversation.add(f"{other}\n\ntheirs")

    assert upsert(Client(conversation, event(mine[0], 1, mine[1] * 40)), "default", "mine").action == action
    assert conversation.bodies == ["theirs" if action == "kept" else "mine"]


def test_progress_gives_way_to_the_report_of_the_same_run_and_of_a_newer_one() -> None:
    conversation = Conversation()
    said = []
    for run, final in ((10, False), (10, False), (10, True), (10, False), (11, False), (10, True), (11, True)):
        upsert(Client(conversation, event(run)), "default", f"{run} {final}", final=final)
        said += conversation.bodies

    assert said == ["10 False", "10 False", "10 True", "10 True", "11 False", "11 False", "11 True"]
    assert len(conversation.comments) == 1


def test_progress_has_a_marker_of_its_own_and_less_room() -> None:
    assert marker("k", event(), final=False) == marker("k", event()).replace(" -->", " progress -->")
    assert room("k", event(), final=False) == room("k", event()) - len(" progress")


def test_a_duplicate_that_goes_while_its_history_is_asked_for_is_forgotten() -> None:
    conversation = Conversation()
    conversation.add(ours("first"))
    conversation.add(ours("second", sha="c" * 40))
    asked = []

    def before(call: str) -> None:
        asked.append(call)
        if asked.count("GRAPHQL IC/1 IC/2") == 2:
            conversation.comments.pop(2, None)

    conversation.before = before

    assert upsert(Client(conversation), "default", "Better") == Posted(url(1), "updated")
    assert conversation.bodies == ["Better"]


def test_when_all_goes_while_duplicates_are_deleted_the_comment_is_made_anew() -> None:
    conversation = Conversation()
    conversation.add(ours("mine", run=11))
    conversation.add(ours("older"))
    at(conversation, "DELETE", conversation.comments.clear)

    upsert(Client(conversation), "default", "Better")

    assert conversation.bodies == ["Better"]


def test_a_run_for_no_pull_request_has_nothing_to_comment_on() -> None:
    with pytest.raises(ValueError, match=r"^a comment needs a pull request$"):
        upsert(Client(Conversation(), Event()), "default", "x")


@pytest.mark.parametrize(
    ("when", "failing", "differs", "wanted"),
    [
        ("always", False, False, "create"),
        ("always", True, True, "create"),
        ("changes", False, False, "update"),
        ("changes", False, True, "create"),
        ("changes", True, False, "create"),
        ("failure", False, False, "update"),
        ("failure", False, True, "update"),
        ("failure", True, False, "create"),
        ("never", True, True, "nothing"),
        ("never", False, False, "nothing"),
    ],
)
def test_when_to_comment(when: When, failing: bool, differs: bool, wanted: str) -> None:
    assert should_comment(when, failing=failing, differs=differs) == wanted


@pytest.mark.parametrize("when", get_args(When))
def test_good_again_is_said_where_worse_was_said(when: When) -> None:
    conversation = Conversation()
    for failing, body in ((True, "Worse"), (False, "No drop found")):
        wanted = should_comment(when, failing=failing, differs=False)
        if wanted != "nothing":
            upsert(Client(conversation), "default", body, create=wanted == "create")

    assert conversation.bodies == ([] if when == "never" else ["No drop found"])


def publishing(conversation: Conversation, run: int) -> Callable[[], Posted]:
    return lambda: upsert(Client(conversation, event(run)), "default", f"run {run}")


runs = st.lists(st.integers(10, 14), min_size=2, max_size=4, unique=True)
before = st.lists(st.integers(1, 30), max_size=2)


@given(runs, before, st.lists(st.integers(0, 3), max_size=40))
def test_however_runs_interleave_one_comment_stands(numbers: list[int], old: list[int], turns: list[int]) -> None:
    conversation = Conversation()
    for run in old:
        conversation.add(ours(f"run {run}", run))
    publishers = [publishing(conversation, run) for run in numbers]

    posted = interleaved(conversation, publishers, [turn for turn in turns if turn < len(numbers)])

    assert conversation.bodies == [f"run {max(*numbers, *old)}"]
    assert {one.url for one in posted} == {url(number) for number in conversation.comments}


@given(runs, before, st.lists(st.integers(0, 8), min_size=4, max_size=4), st.randoms(use_true_random=False))
def test_of_runs_that_are_equally_fast_the_newest_has_the_last_word(
    numbers: list[int], old: list[int], starts: list[int], chance: Random
) -> None:
    conversation = Conversation()
    for run in old:
        conversation.add(ours(f"run {run}", run))
    publishers = [publishing(conversation, run) for run in numbers]
    turns = []
    for tick in range(25):
        going = [player for player in range(len(numbers)) if starts[player] <= tick]
        turns += chance.sample(going, len(going))

    interleaved(conversation, publishers, turns)

    assert conversation.bodies == [f"run {max(*numbers, *old)}"]


def publisher(run: int, sha: str = SHA, *, final: bool = True) -> Publisher:
    said = f"run {run}" if final else f"run {run} goes on"
    return Publisher(event(run, 1, sha), lambda github: upsert(github, "default", said, final=final))


EVERY_ORDER = [
    pytest.param([publisher(10), publisher(11)], [], {}, "run 11", id="two, no comment yet"),
    pytest.param([publisher(10), publisher(11)], [9], {}, "run 11", id="two, one comment"),
    pytest.param([publisher(10), publisher(11)], [8, 9], {}, "run 11", id="two, duplicates"),
    pytest.param([publisher(10), publisher(11)], [9, 12], {}, "run 12", id="two, and a newer one has ended"),
    pytest.param([publisher(10), publisher(10, final=False)], [9], {}, "run 10", id="a run's progress and its report"),
    pytest.param([publisher(11), publisher(12, "b" * 40)], [9], {}, "run 11", id="the newer run is for an older head"),
    pytest.param([publisher(run) for run in (10, 11, 12)], [9], {"looks_at_once": True}, "run 12", id="three"),
    pytest.param([publisher(run) for run in (10, 11, 12)], [], {"switches": 3}, "run 12", id="three, no comment yet"),
    pytest.param([publisher(run) for run in (10, 11, 12)], [9], {"switches": 3}, "run 12", id="three, call by call"),
    pytest.param([publisher(run) for run in (10, 11, 12)], [8, 9], {"switches": 2}, "run 12", id="three, duplicates"),
]


@pytest.mark.parametrize(("publishers", "old", "bounds", "last"), EVERY_ORDER)
def test_in_every_order_one_comment_stands_in_the_end_and_it_is_the_newest(
    publishers: list[Publisher], old: list[int], bounds: dict[str, Any], last: str
) -> None:
    conversation = Conversation()
    for run in old:
        conversation.add(ours(f"run {run}", run))
    ends = 0
    for end in Orders(publishers, **bounds).ends(conversation):
        assert end.conversation.bodies == [last], "\n".join(end.calls)
        assert {one.url for one in end.posted} == {url(min(end.conversation.comments))}
        ends += 1
    assert ends > 1


def test_without_the_history_some_order_loses_the_newest_words() -> None:
    """What every order above is good for: here they find the run that wrote late."""
    conversation = Conversation(keeps_edits=False)
    conversation.add(ours("run 9"))

    ends = [end.conversation.bodies for end in Orders([publisher(10), publisher(11)]).ends(conversation)]

    assert ["run 11"] in ends
    assert ["run 10"] in ends
    assert all(len(bodies) == 1 for bodies in ends)
