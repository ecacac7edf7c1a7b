#!/usr/bin/env python3
"""Makes the table of alerts that the server looks through (ops/alerts.hpp) of the rules for Prometheus.

    ops/alerts.py OUT   reads ops/prometheus/alerts.yml, writes the rows to OUT; CMake calls it

An expression is read as far as the server can judge it: values, windows and ages, added up, divided and compared. Anything else is a
mistake, but where the line before says `# only Prometheus`.
"""
import json
import pathlib
import re
import sys

RULES = pathlib.Path(__file__).resolve().parent / "prometheus/alerts.yml"
RULE = re.compile(r"""((?:      # only Prometheus\n)?)      - alert: (\w+)
        expr: (.+)
(?:        for: (\w+)
)?        labels: \{severity: (page|warn)\}
        annotations:
          summary: "\{\{ \$labels\.instance \}\}: (.+)"
          action: "(.+)"
          runbook_url: ".+"
""")
UNITS = {"$value": "none", "$value | humanizeDuration": "seconds", "$value | humanizePercentage": "share"}
SECONDS = {"s": 1, "m": 60, "h": 3600}
LABELS = r'(?:\{((?:[^}"]|"[^"]*")*)\})?'
SELECTOR = rf"(\w+){LABELS}"
READINGS = [  # what Prometheus calls them, and what the table does
    (re.compile(rf"histogram_quantile\(0\.99, sum by \(instance, le\) \(rate\((\w+)_bucket{LABELS}\[(\w+)\]\)\)\)"), "quantile99"),
    *((re.compile(rf"{name}\({SELECTOR}\[(\w+)\]\)"), name) for name in ("increase", "rate", "changes")),
    (re.compile(rf"time\(\) - {SELECTOR}()"), "age"),
    (re.compile(rf"{SELECTOR}()"), "value"),
]


def seconds(text):
    return int(text[:-1]) * SECONDS[text[-1]] if text else 0


def quoted(text):
    return json.dumps(text, ensure_ascii=False)


class Reader:
    """Reads an expression from left to right."""

    def __init__(self, text):
        self.rest = text

    def take(self, text):
        found = self.rest.startswith(text)
        self.rest = self.rest[len(text):] if found else self.rest
        return found

    def term(self, subtracted):
        summed = self.take("sum by (instance) (")
        for pattern, how in READINGS:
            if found := pattern.match(self.rest):
                self.rest = self.rest[found.end():]
                break
        else:
            raise ValueError
        if summed and not self.take(")"):
            raise ValueError
        metric, where, over = found.groups()
        labels = ", ".join(f"{{{name}, {value}}}" for name, value in ((quoted(name), value) for name, value in re.findall(r'(\w+)=~?(".*?")', where or "")))
        return how, metric, (f"{{reading::{how}, {quoted(metric)}, std::chrono::seconds{{{seconds(over)}}}, {{{labels}}}, "
                             f"{json.dumps(summed)}, {json.dumps(subtracted)}}}")

    def sum(self):
        terms = [self.term(False)]
        while (minus := self.take(" - ")) or self.take(" + "):
            terms.append(self.term(minus))
        return terms

    def comparison(self):
        terms = self.sum()
        divisor = self.sum() if self.take(" / ") else []
        how = "is" if self.take(" == ") else "above" if self.take(" > ") else None
        bound = re.match(r"[\d.]+(e\+\d+)?", self.rest)
        if not how or not bound:
            raise ValueError
        self.rest = self.rest[bound.end():]
        if terms[0][0] == "age" and not self.take(f" and {terms[0][1]} > 0"):
            raise ValueError
        lists = [", ".join(each[2] for each in of) for of in (terms, divisor)]
        return f"{{{{{lists[0]}}}, comparison::how::{how}, {bound.group()}, {{{lists[1]}}}}}"

    def all_of(self):
        out = [self.comparison()]
        while self.take(" and on (instance) "):
            out.append(self.comparison())
        return "{" + ", ".join(out) + "}"

    def any_of(self):
        out = [self.all_of()]
        while self.take(" or "):
            out.append(self.all_of())
        if self.rest:
            raise ValueError
        return "{" + ", ".join(out) + "}"


def row(only, name, expression, after, severity, summary, action):
    when, by_prometheus = "{}", quoted(expression) if only else "{}"
    if not only:
        reader = Reader(expression)
        try:
            when = reader.any_of()
        except ValueError:
            sys.exit(f"{RULES.name}: {name}: the server cannot judge its expression from here on: {reader.rest or 'its end'}")
    units = {UNITS[each] for each in re.findall(r"\{\{ (\$value.*?) \}\}", summary)} or {"none"}
    words = re.sub(r"\{\{ \$value.*? \}\}", "{value}", re.sub(r"\{\{ \$labels\.(\w+) \}\}", r"{\1}", summary))
    return (f"{{{quoted(name)}, {json.dumps(severity == 'page')}, std::chrono::seconds{{{seconds(after)}}}, {when}, {by_prometheus}, "
            f"{quoted(words)}, alert::unit::{units.pop()}, {quoted(action)}}},\n")


def main(out):
    rules = RULES.read_text().partition("    rules:\n")[2]
    read = "\n".join(each.group() for each in RULE.finditer(rules))
    if read != rules:
        common = next(i for i, (a, b) in enumerate(zip(read + "\0", rules + "\0")) if a != b)
        sys.exit(f"{RULES.name}: this is no rule of the form that the others have: {rules[common:common + 200]}")
    pathlib.Path(out).write_text("".join(row(*each.groups()) for each in RULE.finditer(rules)))


main(*sys.argv[1:])
