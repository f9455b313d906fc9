"""Pictures of examples: what `rattle animate` shows at the beginning of each, drawn by Chromium where there is one."""
import concurrent.futures
import hashlib
import os
import subprocess
import tempfile

FOLDER = "pictures"
SIZE = 400, 250


def drawn(rattle, model, folder):
    """Draws a model unless the picture of the same page is there. "": done; else why there is none."""
    name = os.path.basename(model)[:-4]
    picture, key = os.path.join(folder, name + ".png"), os.path.join(folder, name + ".key")
    with tempfile.TemporaryDirectory() as there:
        record, page = os.path.join(there, "motion.h5"), os.path.join(there, "motion.html")
        for words in (["run", model, "-o", record], ["animate", record, "-o", page]):
            done = subprocess.run([rattle, *words, "--quiet"], stderr=subprocess.PIPE, text=True, check=False)
            if done.returncode:
                raise SystemExit(f"{name}: {done.stderr}")
        with open(page, "rb") as file:
            now = hashlib.sha256(file.read()).hexdigest()
        if os.path.exists(picture) and os.path.exists(key):
            with open(key, encoding="ascii") as file:
                if file.read() == now:
                    return ""
        done = subprocess.run([rattle, "animate", record, "-o", picture, "--size", f"{SIZE[0]}x{SIZE[1]}", "--force", "--quiet"],
                              stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            return done.stderr.strip()
    with open(key, "w", encoding="ascii") as file:
        file.write(now)
    return ""


def draw(rattle, models, folder):
    """Draws the models into the folder, several at a time; the names of those that have a picture."""
    os.makedirs(folder, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        reasons = dict(zip(models, pool.map(lambda model: drawn(rattle, model, folder), models)))
    missing = [reason for reason in reasons.values() if reason]
    if missing:
        print(f"{len(missing)} examples are without a picture: {missing[0]}")
    return {os.path.basename(model)[:-4] for model, reason in reasons.items() if not reason}
