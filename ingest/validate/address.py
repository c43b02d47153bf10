"""Judges and shows the address of an endpoint. Pure."""

from __future__ import annotations

import re
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from kantenwerk.ingest.validate.reply import one_line


def url_problem(url: str) -> str | None:
    """Say what is wrong with an address, as the rest of a sentence about it, or return None."""
    parts = _split(url)
    if parts is None or not url.isprintable() or " " in url:
        return f"is no valid address: {shown_url(url)}"
    if parts.scheme not in {"http", "https"}:
        return f"must begin with http:// or https://, and is {shown_url(url)}"
    # Libraries disagree on which other letters a host may have, and some raise on their way to the network.
    if not (parts.hostname or "").isascii():
        return f"names a host with letters beyond ASCII; write its xn-- form instead of {shown_url(url)}"
    return None if parts.hostname else f"names no host: {shown_url(url)}"


def _split(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return None
    return parts


def shown_url(url: str) -> str:
    """Show an address without user, password and query: people put keys there."""
    return one_line(re.sub(r"(?<=//)[^/?#]*@", "", url).partition("?")[0].partition("#")[0])


def is_plain_local(url: str) -> bool:
    """Tell whether an address leads to this very machine, without encryption."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if parts.scheme != "http":
        return False
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
