# Colors are there where they are asked for, whatever NO_COLOR says; never in formats that have none.
show() { hiersearch predict abci --np 16 --top 1 -q "$@" | grep -c "$(printf '\033')"; }
show --color always
show --color auto
show --color never
show --color always --format md
hiersearch systems --color sometimes
