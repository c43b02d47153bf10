"""The programs that judge what others run of this repository: installed with the extra `test`, found beside Python."""

from __future__ import annotations

import subprocess
import sysconfig
from pathlib import Path

SCRIPTS = Path(sysconfig.get_path("scripts"))


def complaints(program: str, *arguments: str | Path, stdin: str = "") -> str:
    """What a program says when it ends with an exit code other than 0; nothing if all is well."""
    command = [str(SCRIPTS / program), *map(str, arguments)]
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, check=False)
    return f"{done.stdout}{done.stderr}exit code {done.returncode}" if done.returncode else ""


def schema_complaints(schema: str, path: Path) -> str:
    """What is wrong with a file by one of the schemas that check-jsonschema brings along."""
    return complaints("check-jsonschema", "--builtin-schema", f"vendor.{schema}", path)


def security_complaints(*paths: Path) -> str:
    """What zizmor says about actions and workflows, without asking GitHub."""
    return complaints("zizmor", "--offline", "--no-config", "--quiet", *paths)
