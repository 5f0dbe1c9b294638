# The list of formats is a table like others; of what is exported --to says the format.
hiersearch export --list --format csv | head -n 3
hiersearch export --list --json | head -n 4
hiersearch export x.json --to colours --format csv
