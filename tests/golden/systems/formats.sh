# The shipped systems, and one of them, as tables for programs and for Markdown.
hiersearch systems --format csv | head -n 3
hiersearch systems --format md | head -n 5
hiersearch systems abci --format csv
hiersearch systems abci --format tsv | head -n 2 | cut -f 1-4
hiersearch systems abci-fitted --format csv | sed -n '/^$/,$p' | head -n 3
hiersearch systems abci --format json >format.json && hiersearch systems abci --json | cmp - format.json && echo same
hiersearch systems --names --format csv
