#!/usr/bin/env python3
"""Every plot and the report page as people see them: on a screen of 1280 px and on a phone, light and dark, to be looked at.

Of two results: the published splits of 128 GPUs, and a prediction for 256 processes. Pages are drawn by Chromium, if there is one.
usage: docs/pictures/look.py PROGRAM FOLDER
"""
import shutil
import subprocess
import sys
from pathlib import Path

import make

KINDS = ("scaling", "layers", "bandwidth", "gain", "accuracy", "system")
SCREENS = {"screen": (1280, 2400), "phone": (400, 5200)}


def shoot(browser, page, picture, size, dark):
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--window-size={size[0]},{size[1]}",
               f"--screenshot={picture}"]
    if dark:
        options.append("--blink-settings=preferredColorScheme=0")
    subprocess.run([browser, *options, page.resolve().as_uri()], check=True, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    print(picture)


def main():
    program, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    measured, predicted = folder / "measured.json", folder / "predicted.json"
    make.table2_result(program, measured)
    subprocess.run([program, "predict", "abci", "--np", "256", "--size", "1MiB:64MiB", "--quiet", "-o", predicted], check=True,
                   stdout=subprocess.DEVNULL)
    for kind in KINDS:
        for result in (measured, predicted):
            subprocess.run([program, "plot", result, "--kind", kind, "--quiet", "-o", folder / f"{kind}-{result.stem}.svg"], check=False)
    page = folder / "report.html"
    subprocess.run([program, "report", measured, predicted, "--quiet", "-o", page], check=True)
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if not browser:
        sys.exit(f"there is no Chromium: open {page} yourself")
    for name, size in SCREENS.items():
        for dark in (False, True):
            shoot(browser, page, folder / f"report-{name}-{'dark' if dark else 'light'}.png", size, dark)
    for picture in sorted(folder.glob("*.svg")):
        shoot(browser, picture, picture.with_suffix(".png"), (1000, 800), False)


if __name__ == "__main__":
    main()
