"""Which key goes to which host."""

from __future__ import annotations

from collections.abc import Mapping

from llm_testbench.errors import Place
from llm_testbench.settings import options
from llm_testbench.settings.endpoint import LOCAL, same_host
from llm_testbench.settings.values import parsed


class Keys:
    """A key is never shown to a host that it was not given for.

    `common`: the gateway's key, which belongs to the host of `home`. `notes` says who got none, `variables` names
    those whose keys were handed out. `unset`: by model name, the variable that was to hold its key and is empty.
    """

    def __init__(self, common: str | None, home: str | None, environ: Mapping[str, str]) -> None:
        self._common = common
        self._home = home
        self._environ = environ
        self.notes: list[str] = []
        self.variables: list[str] = []
        self.unset: dict[str, str] = {}

    def of(self, name: str, called: str, variable: str | None, address: str, *, withheld: bool = False) -> str | None:
        """The key for `address`: of `variable`, when one is named. `withheld`: another one was given for elsewhere.

        `name`: of the model, `called`: how a note calls this side of it.

        InputError when the variable holds what is no key.
        """
        if variable is not None:
            return self._from_variable(name, called, variable)
        if address == LOCAL:
            return None
        if self._common is not None and self._home is not None and same_host(address, self._home):
            self.variables.append(options.API_KEY.env[0])
            return self._common
        if self._common is not None or withheld:
            self.notes.append(f"{called} is on another host and gets no key; `api_key_env` names one")
        return None

    def _from_variable(self, name: str, called: str, variable: str) -> str | None:
        text = self._environ.get(variable, "").strip()
        if not text:
            self.notes.append(f"{called} has no key: {variable} is not set")
            self.unset.setdefault(name, variable)
            return None
        self.variables.append(variable)
        return parsed(options.API_KEY, text, Place(variable))
