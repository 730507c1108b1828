import pytest
from requests.structures import CaseInsensitiveDict

from llm_testbench.github.rate_limit import is_rate_limit, pause

DATE = "Mon, 05 Jan 2026 12:00:00 GMT"
NOON = 1767614400  # the same in seconds since the epoch


@pytest.mark.parametrize(
    ("status", "headers", "message", "limited"),
    [
        (429, {}, "", True),
        (403, {"Retry-After": "5"}, "", True),
        (403, {"X-RateLimit-Remaining": "0"}, "", True),
        (403, {"X-RateLimit-Remaining": "0"}, "Resource not accessible by integration", True),
        (403, {}, "You have exceeded a secondary rate limit. Please wait", True),
        (403, {}, "You have triggered an abuse detection mechanism", True),
        (403, {"X-RateLimit-Remaining": "12"}, "Resource not accessible by integration", False),
        (500, {"Retry-After": "5"}, "rate limit", False),
        (404, {}, "", False),
    ],
)
def test_a_rate_limit_is_told_from_a_missing_permission(
    status: int, headers: dict[str, str], message: str, limited: bool
) -> None:
    assert is_rate_limit(status, CaseInsensitiveDict(headers), message) is limited


@pytest.mark.parametrize(
    ("headers", "before", "seconds"),
    [
        pytest.param({"Retry-After": "7"}, 0, 7.0, id="Retry-After first"),
        pytest.param(
            {"Retry-After": "7", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(NOON + 30), "Date": DATE},
            0,
            7.0,
            id="Retry-After before reset",
        ),
        pytest.param(
            {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(NOON + 30), "Date": DATE}, 0, 31.0, id="reset"
        ),
        pytest.param(
            {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(NOON - 30), "Date": DATE}, 0, 1.0, id="reset passed"
        ),
        pytest.param(
            {"X-RateLimit-Remaining": "5", "X-RateLimit-Reset": str(NOON + 30), "Date": DATE}, 0, 60.0, id="some remain"
        ),
        pytest.param({"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(NOON)}, 0, 60.0, id="no date"),
        pytest.param(
            {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(NOON), "Date": "x"}, 0, 60.0, id="date is none"
        ),
        pytest.param(
            {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "9" * 99, "Date": DATE}, 0, 60.0, id="reset is none"
        ),
        pytest.param({}, 0, 60.0, id="secondary limit"),
        pytest.param({}, 2, 240.0, id="the third in a row"),
    ],
)
def test_the_wait_is_what_github_asks_for(headers: dict[str, str], before: int, seconds: float) -> None:
    assert pause(CaseInsensitiveDict(headers), before) == seconds


def test_a_wait_grows_within_bounds() -> None:
    assert pause({}, 10**9) == 60.0 * 2**10
