/* Any text is a log or is refused in one line; what is read is in order. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/log_calls.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *invariant)
{
    if (!holds) {
        fprintf(stderr, "broken: %s\n", invariant);
        abort();
    }
}

static void check_points(const struct hs_log *log)
{
    size_t run = 0;

    require(log->run_count > 0 && log->point_count > 0, "what is read has points");
    for (size_t i = 0; i < log->point_count; i++) {
        const struct hs_log_point *point = &log->points[i];

        require(point->run == run || point->run == run + 1, "each run has points, in order");
        require(point->bytes > 0 && point->seconds > 0 && isfinite(point->seconds),
                "a point has bytes and a time");
        run = point->run;
    }
    require(run + 1 == log->run_count, "the last run has points");
    for (size_t i = 0; i < log->run_count; i++)
        require((log->runs[i].ranks == 0 || log->runs[i].ranks >= log->runs[i].nodes) &&
                    log->runs[i].nodes >= 0 && log->runs[i].nccl_version >= 0,
                "counts are none below 0");
}

#define PRICED 4 /* calls of a log */

/* Its calls on a machine are priced or refused, or have no price. */
static void check_calls(const struct hs_log *log, const char *machine)
{
    const struct hs_log_facts facts = {.ranks = 8, .nodes = 2, .call_known = true};
    struct hs_call_list calls = {0};
    struct hs_error err = {HS_OK, ""};
    struct hs_system system;

    require(hs_system_parse(&system, machine, NULL) == HS_OK, "the machine is one");
    if (hs_log_calls(&calls, &system, log, "fuzz", &facts, &err) != HS_OK)
        require(err.message[0] != '\0' && !strchr(err.message, '\n'), "a refusal is one line");
    for (size_t i = 0; i < calls.count && i < PRICED; i++) {
        struct hs_call_price price = hs_log_call_price(&calls.items[i], &system);

        require(!hs_log_call_priced(&calls.items[i]) ||
                    (price.seconds > 0 && price.low_seconds <= price.seconds &&
                     price.seconds <= price.high_seconds && isfinite(price.high_seconds)),
                "a price is a time within its range");
    }
    hs_call_list_release(&calls);
    hs_system_release(&system);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hs_error err = {HS_OK, ""};
    char *text = malloc(size + 1);
    struct hs_log log;

    require(text != NULL, "memory");
    memcpy(text, data, size);
    text[size] = '\0';
    if (hs_log_parse(&log, NULL, "fuzz", text, size, &err) == HS_OK) {
        check_points(&log);
        check_calls(&log, "8xH100, 8xNDR400");
        check_calls(&log, "node:4@20GB/s~0.5us,ib@12GB/s~2us;library=mpich");
        hs_log_release(&log);
    } else {
        require(err.message[0] != '\0' && !strchr(err.message, '\n'), "a refusal is one line");
    }
    free(text);
    return 0;
}
