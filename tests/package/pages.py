"""What pages of the documentation contain: commands with what they print below them, and programs; and whether something was printed.

Texts agree if their words do. A number agrees with one that differs in its last digit, or, below 1e-11, by less than a factor 30: that is
round-off, which depends on the machine. Times agree with all times: numbers with a unit (s, ms, ns), and columns of tables headed `CPU s` or
`ns/step`. `...` stands for anything.
"""
import functools
import re

NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
TIMED = ("CPU s", "ns/step")


def blocks(page):
    """Of a page, in order: (language, lines) of what is fenced, ("", lines) of what is indented."""
    for fenced, body, indented in re.findall(r"^```(\w*)\n(.*?)^```$|(?:(?<=\n\n)|\A)((?:^    [^\n]*\n(?:\n(?=    ))?)+)", page, re.M | re.S):
        yield fenced, [line[4:] if indented else line for line in (body or indented).splitlines()]


def commands(lines):
    """(command, what is printed below it) of a block; what is printed is there for commands that begin with $."""
    if not any(line.startswith("$ ") for line in lines):
        return [(re.split(r"\s{3,}", line)[0], []) for line in lines if line.strip()]
    found = []
    for line in lines:
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found:
            found[-1][1].append(line)
    return found


def without_times(text):
    columns, out = [], []
    for line in text.splitlines():
        heads = [match.end() for label in TIMED for match in re.finditer(re.escape(label), line)]
        if heads or not line.strip():
            columns = heads
        for end in columns if not heads else ():
            line = re.sub(r"\S+", lambda match: "#" * len(match[0]) if match.start() < end <= match.end() + 1 else match[0], line)
        line = re.sub(r"^( *wall time ).*", r"\1#", re.sub("#+", "#", line))
        out.append(re.sub(r"(?<![\w.])\d[\d.e+-]* (?=(?:s|ms|us|µs|ns)\b)", "# ", line))
    return "\n".join(out)


def near(wanted, number):
    """Whether a number as printed may stand for another one."""
    if wanted == number:
        return True
    if re.fullmatch(r"[-+]?\d+", wanted) or re.fullmatch(r"[-+]?\d+", number):
        return False
    a, b = float(wanted), float(number)
    if max(abs(a), abs(b)) < 1e-11:
        return min(abs(a), abs(b)) == 0 or max(abs(a), abs(b)) < 30 * min(abs(a), abs(b))
    mantissa, _, exponent = wanted.lower().partition("e")
    unit = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    return abs(a - b) < 1.01 * unit


@functools.lru_cache(maxsize=None)
def same(wanted, word):
    if wanted == word:
        return True
    if NUMBER.sub("0", wanted) != NUMBER.sub("0", word):
        return False
    return all(map(near, NUMBER.findall(wanted), NUMBER.findall(word)))


def agrees(expected, printed):
    """Whether that was printed; in one line, because terminals have several widths."""
    wanted, words = without_times("\n".join(expected)).split(), without_times(printed).split()
    reached = {0}                                 # how many words of what was printed may be behind us
    for token in wanted:
        if token == "...":
            reached = set(range(min(reached), len(words) + 1)) if reached else set()
        else:
            reached = {at + 1 for at in reached if at < len(words) and same(token, words[at])}
    return len(words) in reached
