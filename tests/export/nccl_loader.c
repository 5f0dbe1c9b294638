/*
 * Calls functions inside libnccl that it does not export, at addresses that gdb reads from its
 * debug information: the loader of tuner plugins, and the parser of NCCL_ALGO. nccl_loader LIBNCCL
 * NAME=NUMBER... with the addresses of ncclGetUniqueId, load, parse, functions, algorithms and log,
 * and the offsets of the members tuner and context of a communicator of `bytes` bytes. NCCL_ALGO is
 * parsed as NCCL_CONF_FILE sets it.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../nccl/members.h"

struct version5 {
    const char *name;
    int (*init)(void **context, uint64_t id, size_t ranks, size_t nodes, void *log, void *domains,
                void *constants);
    int (*get)(void *context, int collective, size_t bytes, int pipe_ops, float **table,
               int algorithms, int protocols, int registered, int *channels);
    int (*end)(void *context);
};

/* ncclFuncReduceScatter is 3. */
static void drive(struct version5 *tuner, void **context, void *log)
{
    float costs[7][3];
    int channels = -99, status;

    for (int i = 0; i < 21; i++)
        costs[i / 3][i % 3] = (float)(50 + i);
    status = tuner->init(context, 7, 8, 8, log, NULL, NULL);
    printf("init %d\n", status);
    if (status != 0)
        return;
    printf("info %d\n",
           tuner->get(*context, 3, 1048576, 1, (float **)(void *)costs, 7, 3, 0, &channels));
    printf("ring %g %g %g channels %d\n", costs[1][0], costs[1][1], costs[1][2], channels);
    printf("end %d\n", tuner->end(*context));
}

static void parse(char *base, const char *list)
{
    int (*parser)(const char *, char **, int, char **, int, int *);
    char **functions = (char **)(base + number("functions"));
    char **algorithms = (char **)(base + number("algorithms"));
    int allowed[5][7];

    *(void **)&parser = base + number("parse");
    memset(allowed, 0, sizeof(allowed));
    printf("parsed %s: %d\n", list, parser(list, functions, 5, algorithms, 7, allowed[0]));
    for (int i = 0; i < 5; i++) {
        printf("%s:", functions[i]);
        for (int j = 0; j < 7; j++)
            if (allowed[i][j])
                printf(" %s", algorithms[j]);
        printf("\n");
    }
}

int main(int argc, char **argv)
{
    void *nccl = argc > 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
    int (*get_id)(char *), (*load)(void *);
    struct version5 **tuner;
    char id[128], *base, *comm;

    if (!nccl)
        return 2;
    arguments = argv + 2;
    setvbuf(stdout, NULL, _IOLBF, 0);
    *(void **)&get_id = dlsym(nccl, "ncclGetUniqueId");
    *(void **)&base = *(void **)&get_id;
    base -= number("ncclGetUniqueId");
    printf("id %d\n", get_id(id));
    comm = calloc(1, number("bytes"));
    *(void **)&load = base + number("load");
    printf("load %d\n", load(comm));
    tuner = (struct version5 **)(comm + number("tuner"));
    printf("name %s\n", *tuner ? (*tuner)->name : "(none)");
    if (*tuner)
        drive(*tuner, (void **)(comm + number("context")), base + number("log"));
    parse(base, getenv("NCCL_ALGO") ? getenv("NCCL_ALGO") : "");
    parse(base, "allreduce:hier");
    return 0;
}
