# The formats, in a table.
hiersearch export --list
