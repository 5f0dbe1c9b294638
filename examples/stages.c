/*
 * What a process does that runs the best plan of a result itself: stage by stage the call, and with
 * whom. A program with MPI would make a communicator of each group (MPI_Comm_split) and make these
 * calls on it.
 *
 *     cc stages.c $(pkg-config --cflags --libs hiersearch) -o stages
 *     hiersearch predict abci --np 16 --size 64MiB -o result.json
 *     ./stages result.json 5
 */
#include <hiersearch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int show(const struct hiersearch_stages *stages, size_t i, int64_t rank,
                struct hiersearch_error *error)
{
    struct hiersearch_stage stage;
    int64_t *ranks;
    int failed = hiersearch_stages_get(&stage, stages, i, error);

    if (failed)
        return failed;
    ranks = calloc((size_t)stage.size, sizeof(*ranks));
    if (!ranks)
        return 1;
    failed = hiersearch_stages_group(ranks, stages, i, rank, error);
    if (!failed) {
        printf("%s by %s, %.0f bytes, %.1f us, processes", stage.phase, stage.algorithm,
               stage.bytes, 1e6 * stage.seconds);
        for (int64_t k = 0; k < stage.size; k++)
            printf(" %" PRId64, ranks[k]);
        printf("\n");
    }
    free(ranks);
    return failed;
}

int main(int argc, char **argv)
{
    struct hiersearch_error *error = hiersearch_error_new();
    struct hiersearch_result *result = NULL;
    struct hiersearch_stages *stages = NULL;
    int failed = argc != 3 || hiersearch_result_load(&result, argv[1], error) ||
                 hiersearch_stages_new(&stages, result, 0, NULL, error);

    for (size_t i = 0; !failed && i < hiersearch_stages_count(stages); i++)
        failed = show(stages, i, atoll(argv[2]), error);
    if (failed)
        fprintf(stderr, "stages: %s\n", argc == 3 ? hiersearch_error_text(error) : "RESULT RANK");
    hiersearch_stages_free(stages);
    hiersearch_result_free(result);
    hiersearch_error_free(error);
    return failed;
}
