/* nccl_ids.h - what programs of NCCL without MPI have in common: $RANK of $WORLD_SIZE, and ids by
 * files in the folder $JOB_FOLDER. */
#ifndef HS_TESTS_NCCL_IDS_H
#define HS_TESTS_NCCL_IDS_H

#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* clang-format off */
#define CHECK(call)                                                                                \
    do {                                                                                           \
        if (!(call)) {                                                                             \
            fprintf(stderr, "rank %d: wrong: %s\n", rank, #call);                                  \
            exit(3);                                                                               \
        }                                                                                          \
    } while (0)
/* clang-format on */

static int rank, ranks;

/* One for each name, of rank 0. */
static ncclUniqueId shared_id(const char *name)
{
    char path[512], new_path[520];
    ncclUniqueId id;
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", getenv("JOB_FOLDER"), name);
    snprintf(new_path, sizeof(new_path), "%s.new", path);
    if (rank == 0) {
        CHECK(ncclGetUniqueId(&id) == ncclSuccess);
        file = fopen(new_path, "w");
        CHECK(file && fwrite(&id, sizeof(id), 1, file) == 1 && fclose(file) == 0);
        CHECK(rename(new_path, path) == 0);
        return id;
    }
    while (!(file = fopen(path, "r")))
        usleep(1000);
    CHECK(fread(&id, sizeof(id), 1, file) == 1 && fclose(file) == 0);
    return id;
}

#endif
