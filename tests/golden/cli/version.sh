# The same line everywhere; the git description is left out.
hiersearch --version | sed 's/ (.*)$//' >version
hiersearch predict --version | sed 's/ (.*)$//' | cmp - version
hiersearch systems --version | sed 's/ (.*)$//' | cmp - version
hiersearch completion --version | sed 's/ (.*)$//' | cmp - version
[ "$(cat version)" = "hiersearch $(cat "$SRC/VERSION")" ] && echo as VERSION says
