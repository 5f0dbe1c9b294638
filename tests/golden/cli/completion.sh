# The script is sourced by bash, and asked as bash would.
hiersearch completion bash >script
mkdir configs && echo '{}' >configs/zzz-mine.json
: >'plain file.json'
export HIERSEARCH_CONFIGS="$PWD/configs"
cat >ask <<'END'
source ./script
ask() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _hiersearch
    printf '%s:' "$*"
    printf ' <%s>' "${COMPREPLY[@]}"
    echo
}
ask hiersearch pre
ask hiersearch help sy
ask hiersearch completion ''
ask hiersearch predict zzz
ask hiersearch predict --search = con
ask hiersearch predict zzz-mine --search ex
ask hiersearch predict zzz-mine --out
ask hiersearch predict zzz-mine -o pl
ask hiersearch predict zzz-mine --np 1
ask hiersearch systems --n
ask hiersearch plot --kind = lay
complete -p hiersearch
ask hiersearch plot --kind = ''
ask hiersearch plot --kind =
END
bash ask
