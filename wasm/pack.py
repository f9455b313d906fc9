"""Packs the module of live pages: two script elements, which `rattle live` and `rattle report --live` put into their pages.

python3 pack.py MODULE OUT: of MODULE.js, MODULE.wasm and worker.js next to this file. What the elements hold is not run by the page: one is the text of the
worker, the other the module, gzip in base64.
"""
import base64
import gzip
import sys
from pathlib import Path

module, out = Path(sys.argv[1]), Path(sys.argv[2])
worker = module.with_suffix(".js").read_text() + "\n" + (Path(__file__).parent / "worker.js").read_text()
if "</script" in worker or "<!--" in worker:
    sys.exit("pack.py: the text of the worker would end its element")
if not worker.isascii():
    sys.exit("pack.py: the text of the worker is not ASCII")
packed = base64.b64encode(gzip.compress(module.with_suffix(".wasm").read_bytes(), 9, mtime=0)).decode()
out.write_text(f'<script type="text/plain" id="live-worker">{worker}</script>\n<script type="application/octet-stream" id="live-module">{packed}</script>\n')
print(f"{out}: {out.stat().st_size // 1000} kB")
