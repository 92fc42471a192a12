"""Runs `pip install` with only those of your pip settings that say where packages come from.

It uses your settings of an index, a proxy, certificates or a folder of wheels, from the environment
or a pip.conf. It ignores all other settings, such as `user`, `target` or `require-hashes`, because
they are not meant for .venv.
"""

import ast
import os
import subprocess
import sys

_WHERE_FROM = (
    "index-url", "extra-index-url", "no-index", "find-links", "trusted-host",
    "cert", "client-cert", "proxy", "keyring-provider", "use-feature", "use-deprecated",
    "timeout", "default-timeout", "retries", "cache-dir", "no-cache-dir",
)  # fmt: skip


def environment(given: dict[str, str]) -> dict[str, str]:
    """The environment for pip, from the variables ``given`` and from every pip.conf."""
    bare = {k: v for k, v in given.items() if not k.startswith("PIP_") or k == "PIP_CONFIG_FILE"}
    command = [sys.executable, "-m", "pip", "config", "list"]
    listed = subprocess.run(command, env=bare, stdout=-1, text=True, check=False).stdout
    settings = dict(line.split("=", 1) for line in listed.splitlines())
    kept = {"PIP_CONFIG_FILE": os.devnull}
    for name in _WHERE_FROM:
        variable = f"PIP_{name.upper().replace('-', '_')}"
        for setting in (f"global.{name}", f"install.{name}"):
            if setting in settings:
                kept[variable] = ast.literal_eval(settings[setting])
        if given.get(variable):
            kept[variable] = given[variable]
    return bare | kept


if __name__ == "__main__":
    pip = [sys.executable, "-m", "pip", "install", *sys.argv[1:]]
    os.execve(sys.executable, pip, environment(dict(os.environ)))
