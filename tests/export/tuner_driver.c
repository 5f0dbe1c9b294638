/*
 * Drives a tuner plugin as NCCL does: the cost table is one block of float[7][3], handed over as
 * `float **`. The layout of the structs is written down here a second time, from NCCL's debug
 * information. tuner_driver 4|5 PLUGIN.SO RANKS NODES [COLLECTIVE BYTES]... prints the plugin's
 * log, then for each call: COLLECTIVE BYTES ALGORITHM PROTOCOL CHANNELS ("none" where the plugin
 * left the table as it was). NO_RING=1 makes rings unusable in the table.
 */
#include <dlfcn.h>
#include <locale.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void logger(int level, unsigned long flags, const char *file, int line, const char *format,
                    ...);
typedef int get_info(void *context, int collective, size_t bytes, int pipe_ops, float **table,
                     int algorithms, int protocols, int registered, int *channels);
struct version4 {
    const char *name;
    int (*init)(size_t ranks, size_t nodes, logger *log, void **context);
    get_info *get;
    int (*end)(void *context);
};
struct version5 {
    const char *name;
    int (*init)(void **context, uint64_t id, size_t ranks, size_t nodes, logger *log, void *domains,
                void *constants);
    get_info *get;
    int (*end)(void *context);
};

static void print_log(int level, unsigned long flags, const char *file, int line,
                      const char *format, ...)
{
    va_list arguments;

    (void)file, (void)line;
    printf("log %d %#lx ", level, flags);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
}

/* Costs that tell which entry is which, with words behind the table that nobody may touch. */
struct table {
    float costs[7][3], guard[16];
};

static void fill(struct table *table)
{
    for (int i = 0; i < 16; i++)
        table->guard[i] = 4711;
    for (int algorithm = 0; algorithm < 7; algorithm++)
        for (int protocol = 0; protocol < 3; protocol++)
            table->costs[algorithm][protocol] =
                (float)(1000 - 10 * algorithm + (protocol == 1 ? -3 : protocol));
    table->costs[2][0] = -1;
    if (getenv("NO_RING"))
        table->costs[1][0] = table->costs[1][1] = table->costs[1][2] = -1;
    if (getenv("NO_LL128"))
        table->costs[1][1] = -1;
}

static void show(const struct table *table, const struct table *before, const char *collective,
                 const char *bytes, int channels)
{
    int changed = 0;

    for (int i = 0; i < 21; i++) {
        const float *cost = &table->costs[i / 3][i % 3];

        if (*cost == before->costs[i / 3][i % 3])
            continue;
        changed++;
        printf("%s %s %d %d %d%s\n", collective, bytes, i / 3, i % 3, channels,
               *cost == 0 ? "" : " not 0");
    }
    if (changed == 0)
        printf("%s %s none %d\n", collective, bytes, channels);
    if (memcmp(table->guard, before->guard, sizeof(table->guard)) != 0)
        printf("wrote beyond the table\n");
}

int main(int argc, char **argv)
{
    void *plugin = argc > 4 ? dlopen(argv[2], RTLD_NOW | RTLD_LOCAL) : NULL;
    int version = argc > 4 ? atoi(argv[1]) : 0, status;
    struct version4 *four = plugin && version == 4 ? dlsym(plugin, "ncclTunerPlugin_v4") : NULL;
    struct version5 *five = plugin && version == 5 ? dlsym(plugin, "ncclTunerPlugin_v5") : NULL;
    void *context = NULL;
    struct table table, before;

    if (!four && !five) {
        printf("no plugin: %s\n", argc > 4 ? dlerror() : "usage");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (setlocale(LC_ALL, "") && localeconv()->decimal_point[0] == ',')
        printf("comma\n");
    status = four ? four->init((size_t)atol(argv[3]), (size_t)atol(argv[4]), print_log, &context)
                  : five->init(&context, 7, (size_t)atol(argv[3]), (size_t)atol(argv[4]), print_log,
                               NULL, NULL);
    printf("init %d\n", status);
    for (int i = 5; i + 1 < argc && status == 0; i += 2) {
        int channels = -99;
        float **costs = (float **)(void *)table.costs;

        fill(&table);
        before = table;
        status = (four ? four->get : five->get)(
            context, atoi(argv[i]), strtoull(argv[i + 1], NULL, 10), 1, costs, 7, 3, 0, &channels);
        show(&table, &before, argv[i], argv[i + 1], channels);
    }
    if (context)
        status = (four ? four->end : five->end)(context);
    return status;
}
