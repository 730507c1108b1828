"""The formats that GitHub's descriptions name, checked without further packages."""

from __future__ import annotations

import re
from datetime import datetime
from urllib.parse import urlsplit

from jsonschema import FormatChecker

# RFC 3339, section 5.6.
_DATE_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")

FORMATS = FormatChecker(formats=())


@FORMATS.checks("date-time", raises=ValueError)
def is_date_time(value: object) -> bool:
    """RFC 3339 with an offset; anything but a string is not this check's business."""
    if not isinstance(value, str):
        return True
    return _DATE_TIME.fullmatch(value) is not None and datetime.fromisoformat(value).tzinfo is not None


@FORMATS.checks("uri", raises=ValueError)
def is_uri(value: object) -> bool:
    """An absolute URI."""
    if not isinstance(value, str):
        return True
    parts = urlsplit(value)
    return bool(parts.scheme and (parts.netloc or parts.path)) and " " not in value


@FORMATS.checks("email")
def is_email(value: object) -> bool:
    """Something on both sides of one @."""
    return not isinstance(value, str) or re.fullmatch(r"[^@\s]+@[^@\s]+", value) is not None
