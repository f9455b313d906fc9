"""The type stubs of what the package makes from the library's tables: its exceptions and its functions of methods.

    python3 tests/stubs.py FOLDER        writes FOLDER/errors.pyi and FOLDER/methods.pyi, as in bindings/python/rattle"""
import inspect
import os
import sys

TOP = '"""Made by tests/stubs.py from the tables of the library."""\n'


def errors():
    from rattle import errors as module
    lines = [TOP, "from typing import Any\n", "from rattle.run import Run", "from rattle.sweep import Sweep\n", "__all__ = [" + ", ".join(repr(name) for name in module.__all__) + "]", "STATUS: dict[int, type[RattleError]]",
             "raised: Any", "", "class RattleError(Exception):", "    status: str", "    remedy: str", "    message: str", "    step: int | None",
             "    time: float | None", "    iterations: int", "    residual: float", "    constraint: int | None", "    where: str",
             "    run: Run | None", "    sweep: Sweep | None", "", "class RattleWarning(UserWarning): ...", ""]
    for kind in module.STATUS.values():
        lines.append(f"class {kind.__name__}({', '.join(base.__name__ for base in kind.__bases__)}): ...")
    return "\n".join([*lines, "", "def exception(error: Any) -> BaseException: ...", "def check(function: Any, *arguments: Any) -> None: ...", ""])


def methods():
    from rattle import methods as module
    lines = [TOP, "from types import SimpleNamespace", "from typing import Any\n", "class Method(str):", "    @property",
             "    def claims(self) -> SimpleNamespace: ...", "    def explain(self) -> str: ...", "    @property",
             "    def formula(self) -> str: ...", "", "def method_text(method: Any) -> str: ..."]
    for name, function in module.FUNCTIONS.items():
        words, starred = [], False
        for word in inspect.signature(function).parameters.values():
            if word.kind is word.KEYWORD_ONLY and not starred:
                words.append("*")
                starred = True
            words.append(f"{word.name}: Any" + ("" if word.default is word.empty else " = ..."))
        words += ([] if starred else ["*"]) + ["compensated: bool = ...", "quad: bool = ..."]
        lines.append(f"def {name}({', '.join(words)}) -> Method: ...")
    return "\n".join([*lines, ""])


STUBS = {"errors.pyi": errors, "methods.pyi": methods}

if __name__ == "__main__":
    for name, make in STUBS.items():
        with open(os.path.join(sys.argv[1], name), "w", encoding="utf-8") as file:
            file.write(make())
