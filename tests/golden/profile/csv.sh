hiersearch profile --read "$SRC/tests/golden/profile/job.json" --format csv
