"""For CI servers that read JUnit's XML: a suite a file, a case a finding."""

from __future__ import annotations

import re
from collections import Counter
from itertools import groupby
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from kantenwerk.cli.formats.report import Report
from kantenwerk.cli.terminal import counted, one_line
from kantenwerk.ingest.check.identity import without_lines
from kantenwerk.ingest.check.place import Placed

# What XML cannot hold, beyond the control characters that are spelled out already.
_NO_XML = re.compile("[\ud800-\udfff\ufffe\uffff]")


def as_text(report: Report) -> str:
    """Return the findings at or above the bar as failures, the others as skipped cases."""
    root = Element("testsuites", name="kantenwerk check")
    for path, findings in groupby(report.findings, key=report.path):
        suite = SubElement(root, "testsuite", name=_clean(path))
        told: Counter[str] = Counter()
        for found in findings:
            # No line in the name, by which servers recognise a case, so that it stays one where lines move.
            name = f"{found.code}: {without_lines(found.message)}"
            told[name] += 1
            name += f" ({told[name]})" if told[name] > 1 else ""
            _add_case(suite, report, found, name)
    if not report.findings:
        # Servers take a report without any case for a fault.
        suite = SubElement(root, "testsuite", name="kantenwerk check")
        SubElement(suite, "testcase", classname="kantenwerk", name=f"{counted(report.notes, 'note')} without a finding")
    for suite in root:
        _count(suite)
        suite.set("skipped", str(len(suite.findall(".//skipped"))))
    _count(root)
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}'


def _add_case(suite: Element, report: Report, found: Placed, name: str) -> None:
    path = _clean(report.path(found))
    case = SubElement(suite, "testcase", classname=path, name=_clean(name), file=path, line=str(found.line))
    where = f"{path}:{found.line}:{found.column}: {found.severity} {found.code}"
    text = f"{where}\n{_clean(found.message)}\n→ {_clean(found.help)}"
    if report.fails(found):
        failure = SubElement(case, "failure", type=found.severity, message=_clean(found.message))
        failure.text = text
    else:
        SubElement(case, "skipped", message=f"{found.severity}: {_clean(found.message)}")
        SubElement(case, "system-out").text = text


def _count(element: Element) -> None:
    element.set("tests", str(len(element.findall(".//testcase"))))
    element.set("failures", str(len(element.findall(".//failure"))))
    element.set("errors", "0")


def _clean(text: str) -> str:
    return _NO_XML.sub("\ufffd", one_line(text))
