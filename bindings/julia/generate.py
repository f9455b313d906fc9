#!/usr/bin/env python3
"""Writes the declarations of the module LibRattle for Julia from the public headers.

    generate.py [INCLUDE]           writes LibRattle.jl; INCLUDE: the folder that holds rattle/rattle.h (default: include)
    generate.py --check [INCLUDE]   exit status 1 if another text would be written, or if its structs are not laid out as those of the library

The declarations are parsed as those for Rust are (bindings/rust/generate.py). Structs are immutable and have the layout of C: `--check` compares the places
of all members, by Julia's rules, with tests/package/layouts.txt. A pointer to what is declared later, or to a function, is a Ptr{Cvoid}."""
import importlib.util
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TARGET = os.path.join(HERE, "LibRattle.jl")
spec = importlib.util.spec_from_file_location("rust", os.path.join(ROOT, "bindings", "rust", "generate.py"))
rust = importlib.util.module_from_spec(spec)
spec.loader.exec_module(rust)
c_ast = rust.c_ast

PLAIN = {"int": "Cint", "unsigned int": "Cuint", "long": "Clong", "long long": "Clonglong", "unsigned long long": "Culonglong", "char": "Cchar",
         "signed char": "Int8", "unsigned char": "UInt8", "_Bool": "Bool", "double": "Cdouble", "float": "Cfloat", "size_t": "Csize_t",
         "uint64_t": "UInt64", "uint32_t": "UInt32", "int64_t": "Int64", "int32_t": "Int32", "void": "Cvoid"}
SIZES = {"Cint": 4, "Cuint": 4, "Clong": 8, "Clonglong": 8, "Culonglong": 8, "Cchar": 1, "Int8": 1, "UInt8": 1, "Bool": 1, "Cdouble": 8, "Cfloat": 4,
         "Csize_t": 8, "UInt64": 8, "UInt32": 4, "Int64": 8, "Int32": 4}
KEYWORDS = {"begin", "end", "function", "module", "struct", "type", "where", "let", "in", "local", "global", "const", "do", "for", "if", "else", "try", "using"}
HEAD = """# Written by bindings/julia/generate.py from the public headers, whose comments say what each means.
\"\"\"
The functions and structs of the C library, by the names of its headers. `sized(T; member = value, ...)` is a struct whose other members are 0.
The library is found by the loader, or at the path that ENV["RATTLE_LIBRARY"] names when this module is compiled: librattle_io, which has all functions.
\"\"\"
module LibRattle

const library = get(ENV, "RATTLE_LIBRARY", "librattle_io")

\"\"\"
A struct with the members that are given, the others 0, and its size where it has a member of that name.
\"\"\"
function sized(::Type{T}; members...) where {T}
    cell = Ref{T}()
    ccall(:memset, Ptr{Cvoid}, (Ptr{Cvoid}, Cint, Csize_t), cell, 0, sizeof(T))
    blank = cell[]
    given = Dict{Symbol,Any}(members)
    hasfield(T, :struct_size) && get!(given, :struct_size, sizeof(T))
    for name in keys(given)
        hasfield(T, name) || throw(ArgumentError("$T has no member $name"))
    end
    return T((get(given, name, getfield(blank, name)) for name in fieldnames(T))...)
end

\"\"\"
The text of a member of type NTuple{N,Cchar}, such as the message of a rattle_error.
\"\"\"
text(characters::NTuple{N,Cchar}) where {N} = String(UInt8[c % UInt8 for c in Iterators.takewhile(!=(0), characters)])
"""


def safe(name):
    return f'var"{name}"' if name in KEYWORDS else name


class Text:
    """The parts of the module, and the names that stand above the line at hand."""

    def __init__(self):
        self.known, self.types, self.constants, self.functions, self.structs, self.aliases = set(), [], [], [], {}, {}

    def kind(self, node, argument=False):
        """The type of a declarator in Julia."""
        if isinstance(node, c_ast.TypeDecl):
            inner = node.type
            if isinstance(inner, c_ast.IdentifierType):
                name = " ".join(inner.names)
                return PLAIN.get(name, name)
            return inner.name
        if isinstance(node, c_ast.ArrayDecl) and not argument and node.dim is not None:
            return f"NTuple{{{rust.number(node.dim)},{self.kind(node.type)}}}"
        if isinstance(node, (c_ast.PtrDecl, c_ast.ArrayDecl)):
            if isinstance(node.type, c_ast.FuncDecl):
                return "Ptr{Cvoid}"
            inner = self.kind(node.type)
            if argument and inner == "Cchar" and rust.constness(node.type) == "const":
                return "Cstring"
            return f"Ptr{{{inner}}}" if inner in SIZES or inner in self.known or inner.startswith("Ptr{") else "Ptr{Cvoid}"
        raise SystemExit(f"generate.py: no type for {type(node).__name__}")

    def struct(self, node):
        if not node.decls or node.name in self.structs:
            return
        members = [(member.name, self.kind(member.type)) for member in node.decls]
        self.structs[node.name] = members
        self.types.append(f"struct {node.name}\n" + "".join(f"    {safe(name)}::{kind}\n" for name, kind in members) + "end")
        self.known.add(node.name)

    def enum(self, node, name):
        lines = []
        rust.enum(node, lines)
        for line in lines:
            word, value = re.match(r"pub const (\w+): \w+ = (-?\d+);", line).groups()
            self.constants.append(f"const {word} = {name}({value})" if name else f"const {word} = Cint({value})")

    def alias(self, name, kind):
        self.types.append(f"const {name} = {kind}")
        self.aliases[name] = kind
        self.known.add(name)

    def function(self, name, node):
        if any(isinstance(p, c_ast.EllipsisParam) for p in (node.args.params if node.args else [])):
            return
        given = []
        for i, p in enumerate(node.args.params if node.args else []):
            if not (isinstance(p.type, c_ast.TypeDecl) and getattr(p.type.type, "names", None) == ["void"]):
                given.append((safe(p.name or f"argument{i}"), self.kind(p.type, True)))
        kinds = "".join(f"{kind}, " for _, kind in given)
        back = self.kind(node.type)
        self.functions.append(f"{name}({', '.join(word for word, _ in given)}) =\n    ccall((:{name}, library), {back}, ({kinds.rstrip(' ')})"
                              + "".join(f", {word}" for word, _ in given) + ")")

    def typedef(self, node):
        inner = node.type
        of = inner.type if isinstance(inner, c_ast.TypeDecl) else None
        if isinstance(of, c_ast.Enum):
            self.alias(node.name, "Cuint")
            self.enum(of, node.name)
        elif isinstance(of, c_ast.Struct) and of.decls:
            self.struct(of)
        elif isinstance(of, c_ast.Struct):
            self.forward.append(of.name)
        elif isinstance(inner, c_ast.FuncDecl):
            self.alias(node.name, "Cvoid")  # members and arguments are pointers to it
        else:
            self.alias(node.name, self.kind(inner))

    def of(self, include):
        source = rust.declarations(include)
        macros = re.findall(r"^#define (RATTLE_\w+) (\d+)$", source, re.M)
        source = re.sub(r"__attribute__\(\(.*?\)\)", "", re.sub(r"^#.*$", "", source, flags=re.M))
        nodes = rust.c_parser.CParser().parse(rust.LIBRARY + source).ext[len(rust.LIBRARY.splitlines()):]
        whole = {inner.name for node in nodes for inner in (node.type, getattr(node.type, "type", None)) if isinstance(inner, c_ast.Struct) and inner.decls}
        self.forward = []
        opaque = sorted(set(re.findall(r"\bstruct (rattle_\w+)", source)) - whole) + ["FILE"]
        self.types += [f"mutable struct {name} end" for name in opaque]
        self.known |= set(opaque)
        for node in nodes:
            if isinstance(node, c_ast.Typedef):
                self.typedef(node)
            elif isinstance(node.type, c_ast.Struct):
                self.struct(node.type)
            elif isinstance(node.type, c_ast.Enum):
                self.enum(node.type, None)
        for node in nodes:  # all types are known
            if not isinstance(node, c_ast.Typedef) and isinstance(node.type, c_ast.FuncDecl):
                self.function(node.name, node.type)
        self.constants += [f"const {name} = {value}" for name, value in macros]
        parts = ["\n".join(self.types), "\n".join(self.constants), "\n".join(self.functions)]
        return HEAD + "\n" + "\n\n".join(parts) + "\n\nend\n"

    def room(self, kind):
        """Size and alignment of a type, by Julia's rules for immutable structs."""
        kind = self.aliases.get(kind, kind)
        if kind.startswith("Ptr{"):
            return 8, 8
        array = re.fullmatch(r"NTuple\{(\d+),(.*)\}", kind)
        if array:
            size, align = self.room(array.group(2))
            return int(array.group(1))*size, align
        if kind in self.structs:
            places, size, align = self.places(kind)
            return size, align
        return SIZES[kind], SIZES[kind]

    def places(self, name):
        at, widest, places = 0, 1, {}
        for member, kind in self.structs[name]:
            size, align = self.room(kind)
            at = -(-at//align)*align
            places[member], at, widest = at, at + size, max(widest, align)
        return places, -(-at//widest)*widest, widest


def misplaced(text):
    """Sentences on structs whose members are elsewhere in the library."""
    with open(os.path.join(ROOT, "tests", "package", "layouts.txt"), encoding="utf-8") as file:
        rows = [line.split() for line in re.sub(r"\n +", " ", file.read()).splitlines() if not line.startswith("#")]
    for name, _, size, *members in rows:
        if name not in text.structs:
            yield f"{name} of layouts.txt is no struct of LibRattle.jl"
            continue
        places, whole, _ = text.places(name)
        if whole != int(size) or places != {member: int(place) for member, _, place in (m.partition("@") for m in members)}:
            yield f"{name} is not laid out as in the library: {whole} bytes, {places}"


def main():
    arguments = [a for a in sys.argv[1:] if a != "--check"]
    text = Text()
    wanted = text.of(os.path.abspath(arguments[0] if arguments else os.path.join(ROOT, "include")))
    wrong = list(misplaced(text))
    if "--check" in sys.argv:
        with open(TARGET, encoding="utf-8") as file:
            if file.read() != wanted:
                wrong.append("bindings/julia/LibRattle.jl is not what the headers say: run bindings/julia/generate.py")
    else:
        with open(TARGET, "w", encoding="utf-8") as file:
            file.write(wanted)
    for sentence in wrong:
        print(sentence, file=sys.stderr)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
