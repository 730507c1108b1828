# Dates in UTC, the time zone of the sandbox.
import calendar
import time
from datetime import date, datetime, timedelta, timezone

start = datetime(2024, 2, 28, 23, 30, tzinfo=timezone.utc)
print((start + timedelta(days=1, hours=2)).isoformat(), (start + timedelta(days=2)).strftime("%A %d %B %Y, week %V"))
day, days = calendar.monthrange(2024, 2)
print(date(2023, 12, 31).toordinal() - date(2000, 1, 1).toordinal(), calendar.isleap(1900), (int(day), days))
print(datetime.fromtimestamp(0).isoformat(), time.tzname, time.mktime((2001, 9, 9, 1, 46, 40, 0, 0, 0)))
print(datetime.strptime("03/Mar/2021:14:05:09 +0530", "%d/%b/%Y:%H:%M:%S %z").astimezone(timezone.utc))
print(datetime.now().astimezone().utcoffset(), time.monotonic() > 0)
