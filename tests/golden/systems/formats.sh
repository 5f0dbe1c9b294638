# The shipped systems, and one of them, as tables for programs and for Markdown.
hiersearch systems --format csv | sed -n 1,3p
hiersearch systems --format md | sed -n 1,5p
hiersearch systems abci --format csv
hiersearch systems abci-fitted --format csv | sed -n '/^$/,$p' | sed -n 1,3p
hiersearch systems abci --format json >format.json && hiersearch systems abci --json | cmp - format.json && echo same
hiersearch systems --names --format csv
