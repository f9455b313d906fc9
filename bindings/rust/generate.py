#!/usr/bin/env python3
"""Writes the declarations of the crate librattle-sys from the public headers.

    generate.py [INCLUDE]           writes librattle-sys/src/bindings.rs; INCLUDE: the folder that holds rattle/rattle.h (default: include)
    generate.py --check [INCLUDE]   exit status 1 if another text would be written

The declarations are those that the Python package has (bindings/python/build_module.py), parsed by pycparser, which comes with cffi.
Enums are integers (c_uint): a later library may have values that a `match` does not know. Sizes and places of members are asserted by
tests/layouts.rs, from tests/package/layouts.txt."""
import importlib.util
import os
import re
import sys

try:
    from pycparser import c_ast, c_parser
except ImportError:
    print("skipped: there is no pycparser, which comes with cffi")
    sys.exit(77)

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TARGET = os.path.join(HERE, "librattle-sys", "src", "bindings.rs")
LAYOUTS = os.path.join(HERE, "librattle-sys", "tests", "layouts.rs")
HEAD = "// Written by bindings/rust/generate.py from the public headers, whose comments say what each means.\n"
PLAIN = {"int": "c_int", "unsigned int": "c_uint", "long": "c_long", "long long": "c_longlong", "unsigned long long": "c_ulonglong", "char": "c_char", "signed char": "c_schar", "unsigned char": "c_uchar", "_Bool": "bool",
         "double": "f64", "float": "f32", "size_t": "usize", "uint64_t": "u64", "uint32_t": "u32", "int64_t": "i64", "int32_t": "i32", "void": "c_void"}
# typedefs of the C library, for the parser; FILE is opaque
LIBRARY = "".join(f"typedef int {name};\n" for name in ("size_t", "uint64_t", "uint32_t", "int64_t", "int32_t")) + "typedef struct FILE FILE;\n"
KEYWORDS = {"type", "ref", "move", "box", "in", "where", "use", "fn", "match", "mod", "loop", "impl", "let", "self", "as", "dyn", "final", "virtual"}


def declarations(include):
    spec = importlib.util.spec_from_file_location("build_module", os.path.join(ROOT, "bindings", "python", "build_module.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.declarations(include)


def safe(name):
    return f"r#{name}" if name in KEYWORDS and name != "self" else "self_" if name == "self" else name


def number(node):
    """The value of a constant expression of an enum, or of the length of an array."""
    if isinstance(node, c_ast.Constant):
        return int(node.value.rstrip("uUlL"), 0)
    if isinstance(node, c_ast.UnaryOp) and node.op == "-":
        return -number(node.expr)
    if isinstance(node, c_ast.ID):
        return ENUM[node.name]
    left, right = number(node.left), number(node.right)
    return {"+": left + right, "-": left - right, "*": left*right, "|": left | right, "<<": left << right if right >= 0 else 0}[node.op]


ENUM = {}


def kind(node, in_parameter=False):
    """The type of a declarator in Rust."""
    if isinstance(node, c_ast.TypeDecl):
        inner = node.type
        if isinstance(inner, c_ast.IdentifierType):
            name = " ".join(inner.names)
            return PLAIN.get(name, name)
        return inner.name
    if isinstance(node, c_ast.ArrayDecl):
        element = kind(node.type)
        if in_parameter or node.dim is None:
            return f"*{constness(node.type)} {element}"
        return f"[{element}; {number(node.dim)}]"
    if isinstance(node, c_ast.PtrDecl):
        if isinstance(node.type, c_ast.FuncDecl):
            return f"Option<unsafe extern \"C\" fn{signature(node.type)}>"
        return f"*{constness(node.type)} {kind(node.type)}"
    raise SystemExit(f"generate.py: no type for {type(node).__name__}")


def constness(node):
    return "const" if "const" in getattr(node, "quals", []) else "mut"


def signature(function):
    given = []
    for i, p in enumerate(function.args.params if function.args else []):
        if isinstance(p, c_ast.EllipsisParam):
            given.append("...")
        elif not (isinstance(p.type, c_ast.TypeDecl) and getattr(p.type.type, "names", None) == ["void"]):
            given.append(f"{safe(p.name or f'argument{i}')}: {kind(p.type, True)}")
    back = kind(function.type)
    return f"({', '.join(given)})" + ("" if back == "c_void" else f" -> {back}")


def enum(node, lines):
    value = -1
    for entry in node.values.enumerators:
        value = number(entry.value) if entry.value else value + 1
        ENUM[entry.name] = value
        lines.append(f"pub const {entry.name}: {node.name or 'c_uint'} = {value};")


def text_of(include):
    source = declarations(include)
    macros = re.findall(r"^#define (RATTLE_\w+) (\d+)$", source, re.M)
    source = re.sub(r"__attribute__\(\(.*?\)\)", "", re.sub(r"^#.*$", "", source, flags=re.M))
    tree = c_parser.CParser().parse(LIBRARY + source)
    types, constants, functions, structs = [], [], [], set()
    for node in tree.ext[len(LIBRARY.splitlines()):]:
        inner = node.type
        if isinstance(node, c_ast.Typedef):
            of = inner.type if isinstance(inner, c_ast.TypeDecl) else None
            if isinstance(of, c_ast.Enum):
                of.name = node.name
                types.append(f"pub type {node.name} = c_uint;")
                enum(of, constants)
            elif isinstance(of, c_ast.Struct):
                struct(of, types, structs)
            elif isinstance(inner, c_ast.PtrDecl) or isinstance(of, c_ast.IdentifierType):
                types.append(f"pub type {node.name} = {kind(inner)};")
            elif isinstance(inner, c_ast.FuncDecl):
                types.append(f"pub type {node.name} = unsafe extern \"C\" fn{signature(inner)};")
            else:
                raise SystemExit(f"generate.py: the typedef {node.name} is of no known kind")
        elif isinstance(inner, c_ast.Struct):
            struct(inner, types, structs)
        elif isinstance(inner, c_ast.Enum):
            enum(inner, constants)
        elif isinstance(inner, c_ast.FuncDecl):
            functions.append(f"    pub fn {node.name}{signature(inner)};")
    opaque = sorted(set(re.findall(r"\b(?:mut|const) (rattle_\w+|FILE)\b", "\n".join(types + functions))) - structs)
    types += [f"#[repr(C)]\npub struct {name} {{\n    _private: [u8; 0],\n}}" for name in opaque if f"type {name} " not in "\n".join(types)]
    constants += [f"pub const {name}: c_int = {value};" for name, value in macros]
    return (HEAD + "use std::os::raw::{c_char, c_int, c_longlong, c_schar, c_uint, c_void};\n\n" + "\n\n".join(types) + "\n\n" + "\n".join(constants)
            + '\n\nextern "C" {\n' + "\n".join(functions) + "\n}\n"), structs


def struct(node, types, structs):
    if not node.decls or node.name in structs:
        return
    structs.add(node.name)
    members = "".join(f"    pub {safe(member.name)}: {kind(member.type)},\n" for member in node.decls)
    types.append(f"#[repr(C)]\n#[derive(Clone, Copy)]\npub struct {node.name} {{\n{members}}}")
    if node.decls[0].name == "struct_size":
        types.append(f"unsafe impl crate::Sized_ for {node.name} {{}}")


def layouts(structs):
    """Assertions on each struct, as tests/package/layouts.txt has it."""
    with open(os.path.join(ROOT, "tests", "package", "layouts.txt"), encoding="utf-8") as file:
        rows = [line.split() for line in re.sub(r"\n +", " ", file.read()).splitlines() if not line.startswith("#")]
    lines = [HEAD + "use librattle_sys::*;\nuse std::mem::{size_of, MaybeUninit};\n",
             "macro_rules! place {\n    ($of:ty, $member:ident) => {{\n        let room = MaybeUninit::<$of>::uninit();\n"
             "        let at = room.as_ptr();\n        unsafe { core::ptr::addr_of!((*at).$member) as usize - at as usize }\n    }};\n}\n",
             '#[test]\n#[cfg(target_pointer_width = "64")]\nfn structs_are_those_of_the_library() {']
    for name, _, size, *members in rows:
        if name not in structs:
            raise SystemExit(f"generate.py: {name} of layouts.txt is no struct of the headers")
        lines.append(f"    assert_eq!(size_of::<{name}>(), {size}, \"{name}\");")
        for member, _, place in (m.partition("@") for m in members):
            lines.append(f"    assert_eq!(place!({name}, {safe(member)}), {place}, \"{name}.{member}\");")
    return "\n".join(lines) + "\n}\n"


def main():
    arguments = [a for a in sys.argv[1:] if a != "--check"]
    text, structs = text_of(os.path.abspath(arguments[0] if arguments else os.path.join(ROOT, "include")))
    stale = 0
    for path, wanted in ((TARGET, text), (LAYOUTS, layouts(structs))):
        if "--check" in sys.argv:
            with open(path, encoding="utf-8") as file:
                if file.read() != wanted:
                    print(f"{os.path.relpath(path, ROOT)} is not what the headers say: run bindings/rust/generate.py", file=sys.stderr)
                    stale = 1
        else:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(wanted)
    sys.exit(stale)


if __name__ == "__main__":
    main()
