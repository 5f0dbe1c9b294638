# No line is wider than the terminal says, apart from words that cannot be broken and the examples.
COLUMNS=60 hiersearch systems --help
