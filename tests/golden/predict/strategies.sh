# Both exact searches give the same table.
hiersearch predict abci --np 720 -k 30 -q >lattice
hiersearch predict abci --np 720 -k 30 -q --search exhaustive >exhaustive
sed -n 2p lattice
sed -n 2p exhaustive
sed 2d lattice >a
sed 2d exhaustive | cmp - a && echo same
