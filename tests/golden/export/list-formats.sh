# The list of formats is a table like others; of what is exported --to says the format.
hiersearch export --list --format csv | sed -n 1,3p
hiersearch export --list --json | sed -n 1,4p
hiersearch export x.json --to colours --format csv
