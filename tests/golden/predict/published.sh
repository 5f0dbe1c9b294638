# Published times of just this count and size, by their source.
hiersearch predict abci --np 128 --size 128MiB -k 1 2>/dev/null | grep '^published'
for other in '--np 64 --size 128MiB' '--np 128 --size 64MiB'; do
    # shellcheck disable=SC2086
    hiersearch predict abci $other -k 1 2>/dev/null | grep -c '^published'
done
hiersearch predict abci --np 128 --size 128MiB -k 1 --json | grep -c '"published"'
true
