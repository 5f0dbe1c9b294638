hiersearch profile --read "$SRC/tests/golden/profile/job.json" --top 3 --format md
