# Small stacks, as threads and batch systems have them: forests, all algorithms, a report, plots and exports. (Sanitizers need more.)
if [ -n "${ASAN_OPTIONS-}" ]; then ulimit -s 8192; else ulimit -s 256; fi
hiersearch predict mi250-16 --np 16 --algorithms all -o r.json -q >/dev/null; echo $?
hiersearch predict '8xH100, 8xNDR400, 32:2' --np 256 --explain best -q >/dev/null; echo $?
hiersearch export r.json --to simgrid --plan 16 -o out.xml -q; echo $?
hiersearch report r.json -o report.html -q; echo $?
hiersearch plot r.json --kind layers --csv | head -1
hiersearch systems --check >/dev/null; echo $?
hiersearch systems mi250-16 --json >/dev/null; echo $?
