"""Packs the module of live pages: two script elements, which `rattle live` and `rattle report --live` put into their pages.

python3 pack.py MODULE SOURCES OUT: of MODULE.js, MODULE.wasm and worker.js next to this file; SOURCES: the folder of tools/wasm_sources, whose licences stand before
the elements. What the elements hold is not run by the page: one is the text of the worker, the other the module, gzip in base64.
"""
import base64
import gzip
import sys
from pathlib import Path

module, sources, out = map(Path, sys.argv[1:])
worker = module.with_suffix(".js").read_text() + "\n" + (Path(__file__).parent / "worker.js").read_text()
if "</script" in worker or "<!--" in worker:
    sys.exit("pack.py: the text of the worker would end its element")
if not worker.isascii():
    sys.exit("pack.py: the text of the worker is not ASCII")
packed = base64.b64encode(gzip.compress(module.with_suffix(".wasm").read_bytes(), 9, mtime=0)).decode()

licences = ["The module in this page contains Lua and parts of SuiteSparse, compiled from the sources of Debian's packages lua5.4 and suitesparse by "
            "emscripten, with its C library musl (MIT). KLU, BTF and LDL are under the LGPL 2.1 or later: tools/wasm of librattle's sources makes the module anew, "
            "with any other version of them, and it may replace that of this page."]
for path in [sources / "lua/debian/copyright", *sorted(sources.glob("suitesparse/*/Doc/License.txt"))]:
    licences.append(f"---- {path.relative_to(sources).parts[0]}: {path.relative_to(sources).parts[1]}\n{path.read_text(errors='replace').strip()}")
text = "\n\n".join(licences).replace("--", "- -").encode("ascii", "replace").decode()  # nothing that ends a comment
out.write_text(f'<!--\n{text}\n-->\n<script type="text/plain" id="live-worker">{worker}</script>\n'
               f'<script type="application/octet-stream" id="live-module">{packed}</script>\n')
print(f"{out}: {out.stat().st_size // 1000} kB")
