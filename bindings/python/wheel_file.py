"""Wheels: a folder as it is to be installed, packed with what pip wants to know of it."""
import base64
import hashlib
import os
import zipfile

from typing import NamedTuple, Tuple


class Project(NamedTuple):
    """What pip knows of a package by."""
    name: str = "librattle"
    summary: str = "Constrained Hamiltonian systems: SHAKE and RATTLE as maps on phase space"
    requires: Tuple[str, ...] = ("cffi", "numpy")
    entry_points: str = "[console_scripts]\nrattle = _rattle_command:main\n"
    readme: str = "README.md"  # from the root of the source tree

    def file(self, version):
        """How names of its files begin."""
        return f"{self.name.replace('-', '_')}-{version}"


METADATA = """Metadata-Version: 2.1
Name: {name}
Version: {version}
Summary: {summary}
License: {licence}
Requires-Python: >=3.9
{requires}Description-Content-Type: text/markdown

{readme}"""
LIBRATTLE = Project()


def metadata(version, root, licence="BSD-3-Clause", project=LIBRATTLE):
    with open(os.path.join(root, project.readme), encoding="utf-8") as file:
        return METADATA.format(name=project.name, version=version, summary=project.summary, licence=licence,
                               requires="".join(f"Requires-Dist: {name}\n" for name in project.requires), readme=file.read())


def described(version, root, licence="BSD-3-Clause", project=LIBRATTLE):
    """What pip reads before it builds a wheel."""
    return {"entry_points.txt": project.entry_points, "METADATA": metadata(version, root, licence, project)}


def describe(folder, version, root, licence="BSD-3-Clause", project=LIBRATTLE):
    """The same in a folder: its name."""
    name = f"{project.file(version)}.dist-info"
    os.mkdir(os.path.join(folder, name))
    for file_name, text in described(version, root, licence, project).items():
        with open(os.path.join(folder, name, file_name), "w", encoding="utf-8") as file:
            file.write(text)
    return name


def write(folder, tree, version, tag, root, project=LIBRATTLE):
    """The wheel of the files in `tree`, in `folder`: its name. `tree` may hold licences, a folder with the texts for others than librattle's,
    and the file LICENCE in it, which names them all."""
    name, info = f"{project.file(version)}-{tag}.whl", f"{project.file(version)}.dist-info/"
    licences, licence = os.path.join(tree, "licences"), "BSD-3-Clause"
    if os.path.exists(os.path.join(licences, "LICENCE")):
        with open(os.path.join(licences, "LICENCE"), encoding="utf-8") as file:
            licence = file.read().strip()
    rows = []
    with zipfile.ZipFile(os.path.join(folder, name), "w") as archive:

        def pack(where, content, mode=0o644):
            entry = zipfile.ZipInfo(where)  # of no time: the same files are the same archive
            entry.external_attr, entry.compress_type = (0o100000 | mode) << 16, zipfile.ZIP_DEFLATED
            archive.writestr(entry, content, compresslevel=9)

        def add(where, content, mode=0o644):
            pack(where, content, mode)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            rows.append(f"{where},sha256={digest},{len(content)}\n")

        for path, where in sorted(files(tree)):
            with open(path, "rb") as file:
                add(where.replace("licences/", info + "licenses/", 1) if where.startswith("licences/") else where, file.read(),
                    0o755 if os.access(path, os.X_OK) else 0o644)
        with open(os.path.join(root, "LICENSE"), "rb") as file:
            add(info + "licenses/LICENSE", file.read())
        for file_name, text in described(version, root, licence, project).items():
            add(info + file_name, text.encode())
        add(info + "WHEEL", f"Wheel-Version: 1.0\nGenerator: librattle {version}\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())
        pack(info + "RECORD", "".join(rows) + info + "RECORD,,\n")
    return name


def files(tree):
    """(path, path below `tree`, with /) of each file."""
    for folder, _, names in os.walk(tree):
        for name in names:
            path = os.path.join(folder, name)
            yield path, os.path.relpath(path, tree).replace(os.sep, "/")
