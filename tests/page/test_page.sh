#!/bin/bash
# The page (page/page.mk): answers as the command line's, by node; what a person does with it, in headless Chromium. Prints TAP.
# usage: test_page.sh BUILD answers|browser [QUESTIONS | FOLDER for pictures]
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(realpath "${1:?BUILD}")
logs=$here/../record/logs

if [ ! -e "$build/page/hiersearch.html" ]; then
    echo "1..0 # SKIP there is no page: emcc is missing"
    exit 0
fi
case ${2:?answers or browser} in
answers)
    node "$here/test_answers.js" "$build/page/library.js" "$here/../../page/worker.js" "$build/hiersearch" "$logs" "${3:-500}"
    ;;
browser)
    if ! "${CHROMIUM:-chromium}" --version >/dev/null 2>&1; then
        echo "1..0 # SKIP chromium is not installed"
        exit 0
    fi
    node "$here/test_browser.js" "$build/page/hiersearch.html" "$build/hiersearch" "$logs" ${3+"$3"}
    ;;
esac
