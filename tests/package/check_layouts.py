#!/usr/bin/python3
"""Public structs as tests/package/layouts.txt has them: what programs were compiled with stays where it was (docs/decisions/016).

    check_layouts.py SOURCE COMPILER [--write]     --write: puts what is there now into layouts.txt, new structs as fixed

A struct is one of
    sized   begins with struct_size and grows at its end
    owned   belongs to the library, which shows it by a const pointer: grows at its end
    fixed   by value, in arrays or filled as a whole: has one size; new members take the place of reserved ones
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

source, compiler = os.path.abspath(sys.argv[1]), sys.argv[2]
LISTED = f"{source}/tests/package/layouts.txt"
HEAD = """# Public structs on machines with pointers of 8 bytes: name, kind (tests/package/check_layouts.py), bytes, members with their places.
"""
failures = []


def fail(what):
    failures.append(what)
    print("FAIL ", what)


def compiled():
    """{name: (bytes, [(member, place, struct that it is or an array of, or None)])} from the debug information of all headers."""
    headers = sorted(name for name in os.listdir(f"{source}/include/rattle") if name.endswith(".h"))
    with tempfile.TemporaryDirectory(prefix="rattle-layouts-") as folder:
        subprocess.run([compiler, "-std=c11", "-g", "-gdwarf-4", "-fno-eliminate-unused-debug-types", "-I", f"{source}/include", "-x", "c", "-", "-c", "-o",
                        f"{folder}/all.o"], input="".join(f"#include <rattle/{name}>\n" for name in headers), text=True, check=True)
        dump = subprocess.run(["readelf", "--debug-dump=info", f"{folder}/all.o"], stdout=subprocess.PIPE, text=True, check=True).stdout
    entries, stack = {}, []
    for line in dump.splitlines():
        start = re.match(r" *<(\d+)><([0-9a-f]+)>: Abbrev Number: \d+ \(DW_TAG_(\w+)\)", line)
        if start:
            entry = {"tag": start[3], "members": []}
            entries[int(start[2], 16)] = entry
            del stack[int(start[1]):]
            if start[3] == "member" and stack:
                stack[-1]["members"].append(entry)
            stack.append(entry)
        value = re.match(r" *<[0-9a-f]+> +DW_AT_(name|byte_size|data_member_location|type) *: (?:\(.*?\): )?(.*)", line)
        if value and stack:
            stack[-1][value[1]] = value[2].strip()

    def inside(entry):
        """The struct that something of this type has in it."""
        while "type" in entry and entry["tag"] in ("typedef", "array_type", "const_type", "volatile_type", "member"):
            entry = entries[int(re.search(r"<0x([0-9a-f]+)>", entry["type"])[1], 16)]
        return entry.get("name") if entry["tag"] == "structure_type" else None

    return {entry["name"]: (int(entry["byte_size"], 0), [(m["name"], int(m["data_member_location"], 0), inside(m)) for m in entry["members"]])
            for entry in entries.values() if entry["tag"] == "structure_type" and entry.get("name", "").startswith("rattle_") and entry["members"]}


def listed():
    text = re.sub(r"\n +", " ", open(LISTED, encoding="utf-8").read()) if os.path.exists(LISTED) else ""
    rows = [line.split() for line in text.splitlines() if line and not line.startswith("#")]
    return {name: (kind, int(size), [(m.partition("@")[0], int(m.partition("@")[2])) for m in members]) for name, kind, size, *members in rows}


def write(found, known):
    with open(LISTED, "w", encoding="utf-8") as file:
        file.write(HEAD)
        for name, (size, members) in sorted(found.items()):
            kind = "sized" if members[0][0] == "struct_size" else known[name][0] if name in known else "fixed"
            line = f"{name} {kind} {size}"
            for member, place, _ in members:
                word = f" {member}@{place}"
                if len(line) + len(word) > 150:
                    file.write(line + "\n")
                    line = "   "
                line += word
            file.write(line + "\n")


def compare(found, known):
    for name in sorted(found.keys() ^ known.keys()):
        fail(f"{name} is " + ("new: list it in layouts.txt, as sized, owned or fixed" if name in found else "listed and gone"))
    for name in sorted(found.keys() & known.keys()):
        (size, members), (kind, before, places) = found[name], known[name]
        now = {member: place for member, place, _ in members}
        for member, place in places:
            if member != "reserved" and now.get(member) != place:
                fail(f"{name}.{member} was at {place} and is " + (f"at {now[member]}" if member in now else "gone"))
        if size < before or (size > before and kind == "fixed"):
            fail(f"{name} had {before} bytes and has {size}" + (": it is fixed, and new members take the place of reserved ones" if kind == "fixed" else ""))
        if size > before and kind != "fixed":
            fail(f"{name} has grown from {before} to {size} bytes, as a struct that is {kind} may: check_layouts.py --write")
        if (kind == "sized") != (members[0][0] == "struct_size"):
            fail(f"{name} is {kind}, and its first member is {members[0][0]}")


def check_places(found, kinds):
    """What grows is nowhere by value."""
    for name, (_, members) in sorted(found.items()):
        for member, _, of in members:
            if kinds.get(of, "fixed") != "fixed":
                fail(f"{name}.{member} is a {of}, which grows: make it a pointer")
    text = "".join(open(path, encoding="utf-8").read() for path in sorted(glob.glob(f"{source}/include/rattle/*.h")))
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    declared = re.findall(r"RATTLE_API ([^;{]*);", text)
    if len(declared) < 200:
        fail(f"only {len(declared)} functions are declared")
    for declaration in declared:
        for qualifier, name, star in re.findall(r"(const )?\b(rattle_\w+) (\**)", declaration):
            kind = kinds.get(name, "fixed")
            if kind != "fixed" and not star:
                fail(f"{' '.join(declaration.split())}: a {name} by value, which grows")
            if kind == "owned" and star and not qualifier:
                fail(f"{' '.join(declaration.split())}: a {name} of the caller's, which the library owns")


found, known = compiled(), listed()
if "--write" in sys.argv:
    write(found, known)
    known = listed()
if len(found) < 60:
    fail(f"only {len(found)} structs are found")
compare(found, known)
check_places(found, {name: kind for name, (kind, _, _) in known.items()})
print(f"{len(found)} structs, {len(failures)} failures")
sys.exit(1 if failures else 0)
