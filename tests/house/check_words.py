#!/usr/bin/env python3
"""Words: papers go by author and year, never by a number; no line of a page is longer than 160 characters; no riddles.

Riddles are the constructions of DIALECT. Pages, comments, docstrings and messages of C and Python may not have them.

A number that was a paper's name is 000, 002, 003 or 004 as a word, in a name (`step_` and the number) or in a file's name. The lines
that carry a solver's old name are the only ones that may have it, and they are listed here."""
import io
import os
import re
import subprocess
import sys
import tokenize

SOURCE = os.environ.get("MYRIAPOD_SOURCE", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
LONGEST = 160  # characters

# A paper's number: not part of a longer number, of a decimal, of a list of digits ("100 000", "1_000", "0,002") or of a date.
NUMBER = re.compile(r"(?<![0-9A-Za-z.])(?<![0-9][ _,])(?<![0-9]-)(?<![0-9][eE]-)00[0-4](?![0-9A-Za-z]|[.,][0-9])|[A-Za-z]_00[0-4](?![0-9])")
NAME = re.compile(r"(^|[/_-])00[0-4](?![0-9])")  # in a file's name
NOT_OURS = (".urdf", ".obj", ".dat", ".svg")  # other people's words, and data
OLD_NAME = "pgs-004"  # the alias: its table, and what is said about it
MAY_SAY_OLD_NAME = {"settings/settings.c", "include/myriapod/settings.h", "docs/api.md", "CHANGELOG.md", "python/tests/test_batch.py", "tests/cli/check_cli_solve.py",
                    "tests/house/check_words.py", "tests/batch/test_batch_state.c", "tests/batch/test_settings.c"}
ORACLE_CASE = "particle_003"  # what a file of reference answers calls it, and so must all that is held beside it
MAY_SAY_CASE = {"tests/laws/test_laws_impact.c", "tests/oracle/motions.py", "tests/oracle/contact/analytic.json"}

GENERATED = ("docs/api.md",)  # its words are those of its sources
#: A construction that makes a reader guess (a regular expression), and what to write instead.
DIALECT = [
    (r"(?<![Tt]here )(?<!\bdefault )\b(?:is|are) none\b(?! of)", "is not a .., does not exist"),
    (r"(?<![Tt]here )\b(?:is|are) no (?!longer|(?:more|less|further|farther|nearer|faster|worse|better|larger|higher|lower|smaller)\b)", "is not a .."),
    (r"\b[Ww]ho(?:m|so)?ever\b", "say which one: the caller, the reader, the thread"),
    (r"\b[Ww]ho asks\b|\b[Ww]ho has to know\b", "say which one: the caller, the stage"),
    (r"\b(?:[Oo]f|[Bb]y|[Ff]or) whom\b", "say which one"),
    (r"\b[Nn]obody(?:'s)?\b|\b[Nn]o one\b", "no robot, no call, the passive"),
    (r"\b[Ss]omebody(?:'s)?\b|\b[Ss]omeone\b", "the caller, the user, the passive"),
    (r"\bminds? in\b|\bnever minds?\b", "is ignored"),
    (r"\bwhat (?:it|they) may\b", "the tolerance, the limit"),
    (r"(?:^|/\*|#|\"\"\") ?[Tt]he same: ", "the whole sentence again"),
    (r"\bas ever\b", "as before, like any other"),
    (r"\bwillingly\b", "weighted equally"),
    (r"\b[Ww]hat (?:becomes|became) of\b", "the outcome of, how .. goes on"),
    (r"\b[Ww]hat (?:comes|came) of\b", "the result of"),
    (r"\b[Ww]hat was seen of\b", "the result of"),
    (r"\bsoonest\b", "fastest, first"),
    (r"\bis (?:its|their) door\b", "used through"),
    (r"\bnone of (?:its|theirs|his|hers)\b(?! )", "not part of"),
    (r"\b[Ff]or the sake of\b", "so that"),
    (r"\b[Ff]or want of\b", "because .. is missing"),
    (r"\b(?:its|their) say\b", "acts, is called, decides"),
    (r"\bcomes? to work\b", "is run"),
    (r"\bCtrl-C is heard\b", "Ctrl-C interrupts"),
    (r"\bmakes? do with\b", "uses only"),
    (r"\baffairs?\b", "depends on .. alone"),
    (r"\bso often (?:are|is|does|do)\b", "how many times"),
    (r"\b(?:[Ww]hat|alone) is told\b|\bis told of\b", "is reported"),
    (r"\bis no time\b|\bno number that\b", "must be .., got .."),
    (r"\bnothing that an? [a-z]+ knows\b", "unknown ..; choose from .."),
    (r"\bbut for that(?: much)?\b", "within a margin of .."),
    (r"\b(?:had|has|have) not(?=[.,;:)]| \*/)", "did not have"),
    (r"\bgo(?:es)? for nothing\b|\bis as good as nothing\b|\bnext to nothing\b", "is negligible, very little"),
    (r"\b(?:there|where|here)(?:of|upon|unto|to)\b", "of it, on it"),
    (r"\blest\b", "so that .. not"),
    (r"\bbe it\b(?= [a-z]+ or\b)", "whether .. or"),
    (r"\bto be had\b", "exists, can be reached"),
    (r"\band the like\b", "name them"),
    (r"\bsuch as (?:have|are|is)\b", "those that"),
    (r"\bis its own master\b|\bat (?:its|their) ease\b", "is independent"),
    (r"\b[Oo]f a robot that is asked\b|\basked and not stepped\b", "evaluated, not stepped"),
]
ANY_DIALECT = re.compile("|".join(f"(?:{pattern})" for pattern, _ in DIALECT))
# Comments and strings of C; single characters are in it so that '"' opens no string.
C_PROSE = re.compile(r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'""", re.DOTALL)
NEXT_LINE = re.compile(r"\s*\n[ *#]*")  # a sentence goes on, in a comment behind the comment's own marks


def tracked():
    """Paths of the files of the project, from git; of a source tree without git, all but what a build makes."""
    asked = subprocess.run(["git", "-C", SOURCE, "ls-files", "-z"], capture_output=True)
    if asked.returncode == 0 and asked.stdout:
        return [name for name in asked.stdout.decode().split("\0") if name and os.path.isfile(os.path.join(SOURCE, name))]
    found = []
    for folder, folders, files in os.walk(SOURCE):
        folders[:] = [f for f in folders if f not in ("build", ".git", "__pycache__") and not f.startswith(".")]
        found += [os.path.relpath(os.path.join(folder, f), SOURCE) for f in files]
    return found


def faults_of_line(name, line):
    """What is wrong with a line, in words."""
    rest = line
    if name in MAY_SAY_OLD_NAME:
        rest = rest.replace(OLD_NAME, "").replace('strlen("004")', "")
    if name in MAY_SAY_CASE:
        rest = rest.replace(ORACLE_CASE, "")
    if name != "tests/house/check_words.py" and NUMBER.search(rest):
        yield f"a paper's number, `{NUMBER.search(rest).group(0)}`; author and year, please"
    if name.endswith(".md") and len(line) > LONGEST:
        yield f"{len(line)} characters, more than {LONGEST}"


def prose(name, text):
    """(line, text) of what a reader reads in a file: all of a page, comments and strings of code."""
    if name.endswith(".md"):
        yield 1, text
    elif name.endswith((".c", ".h", ".def")):
        for found in C_PROSE.finditer(text):
            yield text.count("\n", 0, found.start()) + 1, found.group(0)
    elif name.endswith(".py"):
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type in (tokenize.STRING, tokenize.COMMENT) or tokenize.tok_name[token.type] == "FSTRING_MIDDLE":
                yield token.start[0], token.string


def riddles(name, text):
    """What of DIALECT is in a file: (line, words, what to write instead)."""
    if name in GENERATED or name == "tests/house/check_words.py":
        return
    for line, words in prose(name, text):
        joined = NEXT_LINE.sub(" ", words)
        if not ANY_DIALECT.search(joined):
            continue
        for pattern, instead in DIALECT:
            for found in re.finditer(pattern, joined):
                yield line + _lines_before(words, found.start()), found.group(0), instead


def _lines_before(words, length):
    """How many lines of `words` are behind its first `length` characters, counted as NEXT_LINE joins them."""
    lines, at, last = 0, 0, 0
    for found in NEXT_LINE.finditer(words):
        at += found.start() - last + 1
        if at > length:
            break
        last, lines = found.end(), lines + found.group(0).count("\n")
    return lines


def selftest():
    """The patterns find what they are for, and nothing else."""
    for text in ("000's law", "(004 Algorithm 6)", "step_004(x)", "the pgs-004 solver", "of 003", '"004 Fig. 9"', "004-fig9.png", "see 002."):
        assert NUMBER.search(text), text
    for text in ("1.000", "0.004", "100 000 steps", "100_000", "0,002", "2000", "x004", "1e-004", "0.002 0.003", "2024-004", "000.5"):
        assert not NUMBER.search(text), text
    found = lambda name, text: [(line, words) for line, words, _ in riddles(name, text)]
    assert found("x.c", "int is_none; /* a key that\n * is none, or\n * whoever reads */") == [(2, "is none"), (3, "whoever")]
    assert found("x.c", 'fail("nobody %d", \'"\'); /* there is none */') == [(1, "nobody")]
    assert found("x.py", 'x is None  # nobody\nnobody = f"{x is none} is no number"') == [(1, "nobody"), (2, "is none"), (2, "is no ")]
    assert found("x.md", "What comes\nof it is no more than nothing.") == [(1, "What comes of")]
    assert NAME.search("docs/images/004-fig9.png") and NAME.search("bench/paper_000.c") and not NAME.search("robots/x1000.urdf")


def main():
    selftest()
    names, faults = tracked(), []
    for name in names:
        if NAME.search(name):
            faults.append(f"{name}: a paper's number in a file's name")
        if name.endswith(NOT_OURS) or name.startswith("tests/fuzz/") and not name.endswith(".c"):
            continue
        with open(os.path.join(SOURCE, name), "rb") as file:
            content = file.read()
        if b"\0" in content:
            continue
        text = content.decode("utf-8", "replace")
        for number, line in enumerate(text.splitlines(), 1):
            faults += [f"{name}:{number}: {fault}" for fault in faults_of_line(name, line)]
        faults += [f"{name}:{line}: `{words}`; better: {instead}" for line, words, instead in riddles(name, text)]
    if faults:
        print("\n".join(faults[:50] + ([f"and {len(faults) - 50} more"] if len(faults) > 50 else [])))
        return 1
    print(f"{len(names)} files: no paper goes by a number, no line of a page has more than {LONGEST} characters, there are no riddles")
    return 0


if __name__ == "__main__":
    sys.exit(main())
