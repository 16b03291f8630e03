"""The headers with comments as Doxygen wants them, which Doxygen alone reads: in the repository they are plain.

    doxygen_comments.py INCLUDE_FOLDER OUT_FOLDER

A comment before a declaration becomes `/**`, one behind it on its line `/**<`, the first of a file the file's. A comment above a type and a
function without an empty line between them is about both: the function gets its first sentence. One above macros and a type is the type's. What Doxygen
would read as marks is escaped."""
from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

COMMENT = re.compile(r"/\*(.*?)\*/", re.S)
BLOCK = r"(?:^[^\n]*\S[^\n]*\n)+"  # lines without an empty one between them
ENTITIES = {"*": "&lowast;", "~": "&tilde;"}


def escape(text: str) -> str:
    """Outside of backticks, which enclose code for Doxygen too."""
    parts = re.split(r"(`[^`\n]*`)", text)
    escaped = [part if i % 2 else re.sub(r"[\\@<>#%&*~$]", lambda mark: ENTITIES.get(mark[0], "\\" + mark[0]), part) for i, part in enumerate(parts)]
    return "".join(part if i % 2 else re.sub(r"\b(\w+\.h)\b", r"%\1", part) for i, part in enumerate(escaped))  # the name of a header is text, not a link


def words(comment: str) -> str:
    """Without the stars at the beginnings of lines."""
    return re.sub(r"^ *\* ?", "", comment, flags=re.M).strip()


def marked(name: str, text: str) -> str:
    """Each comment by its place."""
    out, at = "", 0
    for found in COMMENT.finditer(text):
        out += text[at : found.start()]
        at = found.end()
        comment = escape(words(found[1]))
        line = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
        if found.start() == 0:
            out += f"/** @file {name}\n{comment} */"
        elif comment.startswith("----"):
            continue
        elif line.strip():
            out += f"/**< {comment} */"
        else:
            out += f"/** {comment} */"
    return out + text[at:]


def about_both(text: str) -> str:
    """The first sentence of a block's comment before a function that stands below a type."""

    def block(whole: re.Match[str]) -> str:
        out, at, said, end = "", 0, "", -1
        for part in re.finditer(r"^/\*\*(?!<) (?P<comment>.*?) ?\*/\n|^MYR_API [^;]*;(?P<beside> */\*\*<)?", whole[0], re.M | re.S):
            if part["comment"] is not None:
                said, end = re.split(r"(?<=\.)\s", part["comment"], maxsplit=1)[0], part.end()
            else:
                if said and part.start() != end and not part["beside"]:
                    out += whole[0][at : part.start()] + f"/** {said} */\n"
                    at = part.start()
                said = ""
        return out + whole[0][at:]

    return re.sub(BLOCK, block, text, flags=re.M)


def about_the_type(text: str) -> str:
    """A comment above macros and a type is the type's, where no empty line and no other comment stands between."""
    pattern = r"(/\*\*(?!<)(?:(?!\*/).)*\*/\n)(#define (?:(?!\n/\*\*).)*?\n)(?=typedef (?:struct|enum) )"
    return re.sub(BLOCK, lambda whole: re.sub(pattern, r"\2\1", whole[0], count=1, flags=re.S), text, flags=re.M)


def without_typedef(text: str) -> str:
    """`typedef struct a { .. } a;` as `struct a { .. };`: breathe would declare the name twice."""
    return re.sub(r"^typedef ((?:struct|enum) (\w+) \{(?:[^{}]*|.*?\n)\}) \2;", r"\1;", text, flags=re.M | re.S)


def main(folder: Path, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    for path in sorted(folder.iterdir()):
        if path.suffix == ".h":
            (out / path.name).write_text(without_typedef(about_both(about_the_type(marked(path.name, path.read_text(encoding="utf-8"))))), encoding="utf-8")
        else:
            shutil.copy(path, out)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2]))
