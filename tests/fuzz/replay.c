/*
 * Stands in for libFuzzer's main, so that any compiler replays a corpus: every file of the folders
 * given goes through the target once. A finding aborts; TAP says how many inputs were replayed.
 *
 *     fuzz_json_replay tests/fuzz/corpus/json
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Where a finding aborts, its input is the last one named here. */
static bool replay_file(const char *path)
{
    struct hs_error err = {HS_OK, ""};
    size_t length;
    char *data;

    if (hs_file_read(&data, &length, path, (size_t)1 << 24, &err)) {
        printf("# %s\n", err.message);
        return false;
    }
    printf("# %s\n", path);
    fflush(stdout);
    LLVMFuzzerTestOneInput((const uint8_t *)data, length);
    free(data);
    return true;
}

/* The number of inputs replayed, or -1. */
static long replay_folder(const char *path)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    char file[4096];
    long count = 0;

    if (folder == NULL)
        return -1;
    while (count >= 0 && (entry = readdir(folder)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
        count = replay_file(file) ? count + 1 : -1;
    }
    closedir(folder);
    return count;
}

int main(int argc, char **argv)
{
    int failed = 0;

    printf("1..%d\n", argc - 1);
    for (int i = 1; i < argc; i++) {
        long count = replay_folder(argv[i]);

        failed += count <= 0;
        printf("%sok %d - replays %ld inputs of %s\n", count > 0 ? "" : "not ", i,
               count > 0 ? count : 0, argv[i]);
    }
    return argc > 1 && failed == 0 ? 0 : 1;
}
