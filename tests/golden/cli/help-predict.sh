hiersearch predict --help
