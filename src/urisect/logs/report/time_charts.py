"""Make the charts of a report: requests, bytes, response times, errors and visitors over time."""

from collections.abc import Callable, Iterator, Sequence
from operator import sub
from statistics import median

from urisect.logs.report.cells import format_microseconds
from urisect.logs.report.charts import Series, draw_axis, draw_bars, draw_swatch, highest_values
from urisect.logs.report.findings import Findings
from urisect.logs.report.formatting import format_bytes, format_number
from urisect.logs.report.model import Chart, LegendEntry
from urisect.logs.report.rounding import PERCENTILES, percentiles
from urisect.logs.report.status_timeline import STATUS_CLASSES, StatusTimeline, status_class
from urisect.logs.report.table_summary import DURATIONS_PER_MINUTE, STATUS_PER_MINUTE, VISITORS_PER_DAY
from urisect.logs.report.timeline import CYCLES, Cycle, Timeline, make_timeline
from urisect.logs.report.value_columns import MICROSECONDS_PER_MINUTE, MINUTES_PER_DAY

__all__ = ["TimeCharts"]

TALL_PIXELS, LOW_PIXELS = 200, 110  # height of a chart

MIN_CYCLES = 3  # for a chart of their slots: in fewer, some slots occur far more often than others


class TimeCharts:
    """The charts of a report, as far as lines have times."""

    def __init__(self, findings: Findings, statuses: StatusTimeline, noun: str) -> None:
        """Keep what the charts are about.

        Args:
            findings: open findings, whose counts can be queried.
            statuses: their status codes over time.
            noun: what lines are, such as "requests".
        """
        self._findings = findings
        self._statuses = statuses
        self._noun = noun

    def traffic(self) -> Iterator[Chart]:
        """Yield the charts of requests, bytes and response times."""
        timeline = self._statuses.timeline
        if timeline is None:
            return
        by_class = self._statuses.per_bucket(timeline, "lines", status_class)
        names = STATUS_CLASSES if self._findings.summarizer.status else {"": self._noun}
        series = [Series(name, f"s{digit or 0}", by_class[digit]) for digit, name in names.items() if digit in by_class]
        series += self._period_before(timeline)
        has_legend = len(series) > 1 or self._findings.summarizer.status
        entries = (LegendEntry(draw_swatch(part.style), part.name, format_number(sum(part.values))) for part in series)
        legend = [*entries] if has_legend else []
        title = f"{self._noun.capitalize()} per {timeline.bucket_length}"
        yield _chart(timeline, title, series, TALL_PIXELS, format_number, legend)
        if self._findings.summarizer.size:
            (sent,) = self._statuses.per_bucket(timeline, "bytes", lambda _: "").values()
            title = f"Bytes per {timeline.bucket_length}"
            yield _chart(timeline, title, [Series("sent", "sent", sent)], LOW_PIXELS, format_bytes)
        yield from self._duration_charts(timeline)
        yield from self._cycle_charts(timeline)

    def _period_before(self, timeline: Timeline) -> Iterator[Series]:
        """Yield the lines of the period before, moved to the time of this one."""
        before, period = self._findings.before, self._findings.time_range
        if before is None or before.time_range is None or period is None or not before.lines:
            return
        shift = ((period.since or 0) - (before.time_range.since or 0)) // MICROSECONDS_PER_MINUTE
        lines = [0] * timeline.bucket_count
        begin = timeline.begins[0]
        for count in before.counts.per_bucket(STATUS_PER_MINUTE, begin - shift, timeline.step):
            bucket = count.bucket or 0  # a line in a range of times has a time
            lines[timeline.bucket_at(begin + bucket * timeline.step)] += count.lines
        yield Series("period before", "before", lines, is_mark=True)

    def _duration_charts(self, timeline: Timeline) -> Iterator[Chart]:
        """Yield a chart of the percentiles of response times: the highest is the end of a bar, the others are in it."""
        counts = self._findings.counts.per_bucket(DURATIONS_PER_MINUTE, timeline.begins[0], timeline.step)
        times: list[list[tuple[int, int]]] = [[] for _ in range(timeline.bucket_count)]
        for count in counts:
            if count.bucket is not None:
                bucket = timeline.bucket_at(timeline.begins[0] + count.bucket * timeline.step)
                times[bucket].append((int(count.value or b""), count.lines))
        if not any(times):
            return
        levels = [*zip(*([number or 0 for number in percentiles(found)] for found in times), strict=True)]
        below: Sequence[int] = [0] * timeline.bucket_count
        series = []
        for percentage, style, level in zip(PERCENTILES, ("s2", "s3", "s0"), levels, strict=True):
            series.append(Series(f"p{percentage}", style, [*map(sub, level, below)], level))
            below = level
        of_all = percentiles((int(count.value or b""), count.lines) for count in counts)
        legend = [
            LegendEntry(draw_swatch(part.style), part.name, format_microseconds(number or 0))
            for part, number in zip(series, of_all, strict=True)
        ]
        title = f"Response times per {timeline.bucket_length}"
        yield _chart(timeline, title, series, LOW_PIXELS, format_microseconds, legend)

    def errors(self) -> Iterator[Chart]:
        """Yield a chart of errors over time, on a scale of their own."""
        timeline = self._statuses.timeline
        if timeline is None:
            return
        by_class = self._statuses.per_bucket(timeline, "lines", status_class)
        errors = {digit: by_class[digit] for digit in ("4", "5") if digit in by_class}
        if errors:
            series = [Series(STATUS_CLASSES[digit], f"s{digit}", lines) for digit, lines in errors.items()]
            legend = [
                LegendEntry(draw_swatch(part.style), part.name, format_number(sum(part.values))) for part in series
            ]
            yield _chart(timeline, f"Errors per {timeline.bucket_length}", series, LOW_PIXELS, format_number, legend)

    def visitors(self) -> Iterator[Chart]:
        """Yield a chart of visitors per day, of logs of several days."""
        days = self._findings.counts.values_per_minute(VISITORS_PER_DAY)
        if not days or days[0][0] == days[-1][0]:
            return
        first, last = (day * MICROSECONDS_PER_MINUTE for day in (days[0][0], days[-1][0]))
        timeline = make_timeline(first, last, MINUTES_PER_DAY)
        people, bots = ([0.0] * timeline.bucket_count for _ in range(2))
        for day, visitors, of_bots in days:
            bucket = timeline.bucket_at(day)
            begin, end = timeline.begins[bucket : bucket + 2]
            length = (end - begin) / MINUTES_PER_DAY
            people[bucket] += (visitors - of_bots) / length
            bots[bucket] += of_bots / length
        series = [Series("people", "sent", people)]
        if self._findings.summarizer.agent:
            series.append(Series("bots", "s0", bots))
        legend = [
            LegendEntry(draw_swatch(part.style), part.name, f"{_format_count(median(part.values))} in the median")
            for part in series
        ]
        note = "" if timeline.step == MINUTES_PER_DAY else f" (mean of each {timeline.bucket_length})"
        yield _chart(timeline, f"Visitors per day{note}", series, LOW_PIXELS, _format_count, legend)

    def _cycle_charts(self, timeline: Timeline) -> Iterator[Chart]:
        """Yield a chart of the hours of the day, and one of the days of the week, of logs that have enough of them."""
        first, last = timeline.begins[0], timeline.begins[-1]
        for cycle in CYCLES:
            if last - first >= MIN_CYCLES * cycle.step * cycle.bucket_count:
                lines = self._findings.counts.per_slot(STATUS_PER_MINUTE, cycle.origin, cycle.step, cycle.bucket_count)
                title = f"{self._noun.capitalize()} by {cycle.title}"
                series = [Series(self._noun, "sent", lines)]
                yield _chart(cycle, title, series, LOW_PIXELS, format_number)


def _chart(
    timeline: Timeline | Cycle,
    title: str,
    series: Sequence[Series],
    height: int,
    format_value: Callable[[float], str],
    legend: Sequence[LegendEntry] = (),
) -> Chart:
    totals = highest_values(series)
    names = [*map(timeline.bucket_name, range(timeline.bucket_count))]
    bars = draw_bars(timeline, series, height, f"{title}, {names[0]} to {names[-1]} UTC", format_value)
    axis = draw_axis(max(totals), height, format_value)
    return Chart(title, axis, bars, names, totals, format_value(max(totals)), legend)


def _format_count(number: float) -> str:
    return format_number(round(number))
