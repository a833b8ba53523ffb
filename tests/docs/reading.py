"""Reading markdown and source as the documentation tests need them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from django.urls import URLPattern, URLResolver, get_resolver

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
#: Folders that hold no page of ours.
_FOREIGN = {".venv", "var", ".git", "node_modules", "screenshots", ".pytest_cache", ".hypothesis"}
_METHODS = ("get", "post", "put", "patch", "delete")
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def page(name: str) -> str:
    """Return the text of a page in docs/."""
    return (DOCS / name).read_text(encoding="utf-8")


def pages() -> list[Path]:
    """Return every markdown file of the project."""
    return sorted(
        path for path in ROOT.rglob("*.md") if not _FOREIGN & set(path.relative_to(ROOT).parts) and path.is_file()
    )


def rows(text: str) -> Iterator[list[str]]:
    """Yield the cells of each row of each table; an escaped bar belongs to its cell."""
    for line in text.splitlines():
        if line.startswith("| ") and line.rstrip().endswith("|"):
            cells = re.split(r"(?<!\\)\|", line.strip()[1:-1])
            yield [cell.strip() for cell in cells]


def links(path: Path) -> list[str]:
    """Return the targets of a page's links, without those inside code blocks."""
    return _LINK.findall(_FENCE.sub("", path.read_text(encoding="utf-8")))


def anchors(path: Path) -> set[str]:
    """Return the anchors that a page's headings get on GitHub."""
    text = _FENCE.sub("", path.read_text(encoding="utf-8"))
    headings = re.findall(r"^#{1,6} +(.+?) *$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def _constant(node: ast.AST) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _variable_of(node: ast.AST) -> str | None:
    """Return the variable that `env.str("X")`, `_required("X")`, `os.environ.get("X")` or `os.environ["X"]` reads."""
    if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "os.environ":
        return _constant(node.slice)
    if isinstance(node, ast.Call) and node.args:
        function = ast.unparse(node.func)
        if function == "_required" or function.startswith("env.") or function in {"os.environ.get", "os.getenv"}:
            name = _constant(node.args[0])
            return name if name and re.fullmatch(r"[A-Z][A-Z0-9_]+", name) else None
    return None


def variables_read_by(folder: str) -> set[str]:
    """Return the environment variables that the Python files under a folder of the project read."""
    found = set()
    for path in (ROOT / folder).rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found |= {name for node in ast.walk(tree) if (name := _variable_of(node))}
    return found


def _is_refusal(node: ast.AST, kinds: dict[str, int]) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in kinds


def refusals_raised(folders: Iterable[str], kinds: dict[str, int]) -> set[tuple[int, str]]:
    """Return (status, code) of every refusal that the source makes with a code of its own; `kinds`: class → status."""
    found = set()
    for path in (path for folder in folders for path in (ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and _is_refusal(node, kinds):
                codes = [_constant(keyword.value) for keyword in node.keywords if keyword.arg == "code"]
                found |= {(kinds[ast.unparse(node.func)], code) for code in codes if code}
    return found


def _walk(patterns: list[URLPattern | URLResolver], prefix: str) -> Iterator[tuple[str, URLPattern]]:
    for pattern in patterns:
        path = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _walk(pattern.url_patterns, path)
        else:
            yield path, pattern


def normalized(path: str) -> str:
    """Return a path with each parameter as `{}`: of a URL pattern or of a page."""
    return re.sub(r"<[^>]+>|\{[^}]*\}", "{}", path).strip("/")


def rest_calls() -> set[tuple[str, str]]:
    """Return (method, normalized path under /api/v1/) of every call there; a plain function is a page to read."""
    calls = set()
    for path, pattern in _walk(get_resolver().url_patterns, ""):
        if path.startswith("api/v1/"):
            view = getattr(pattern.callback, "view_class", None) or getattr(pattern.callback, "cls", None)
            if view is None:
                calls.add(("GET", normalized(path.removeprefix("api/v1/"))))
            calls |= {
                (method.upper(), normalized(path.removeprefix("api/v1/")))
                for method in _METHODS
                if hasattr(view, method)
            }
    return calls


def rest_paths() -> dict[str, str]:
    """Return the normalized path under /api/v1/ of every REST URL by its name, such as `api:runs`."""
    return {
        f"api:{pattern.name}": normalized(path.removeprefix("api/v1/"))
        for path, pattern in _walk(get_resolver().url_patterns, "")
        if path.startswith("api/v1/")
    }
