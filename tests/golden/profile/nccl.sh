hiersearch profile --read "$SRC/tests/golden/profile/nccl.json"
