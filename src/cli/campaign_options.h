/*
 * campaign_options.h - what `measure` and `calibrate` are both told: what to measure on and with,
 * and where what comes of it goes.
 */
#ifndef HS_CLI_CAMPAIGN_OPTIONS_H
#define HS_CLI_CAMPAIGN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/units.h"
#include "cli/option_rows.h"
#include "model/backends.h"
#include "model/collective.h"
#include "system/datatype.h"

/* What is called, and by whom. */
struct hs_call_options {
    enum hs_collective collective;
    enum hs_order order;
    struct hs_mesh_words words;
    struct hs_mesh mesh; /* what they say; none: all processes call */
};

/* The machine as typed (NULL: none is described), and which GPUs of each node the job got (empty:
 * all, or the first). */
struct hs_machine_words {
    const char *system;
    struct hs_count_list gpus;
};

/* Of the null backend: what it plays (cli/faults.h; NULL: nothing), and the seed of its noise. */
struct hs_play_options {
    const char *faults;
    int64_t seed;
};

/* As the option rows fill it; texts point into argv. */
struct hs_campaign_options {
    const char *backend;
    enum hs_buffers buffers;
    enum hs_datatype datatype;
    enum hs_operation operation;
    struct hs_call_options call;
    struct hs_range sizes;
    double timeout_seconds; /* of one run */
    struct hs_machine_words described;
    const char *output;  /* path; NULL: none; "-": stdout; not the machine's */
    const char *journal; /* path; NULL: beside the output, where that is a file */
    bool resume, retry;
    struct hs_play_options play;
    bool quiet, verbose;
};

/* What no row can check alone of the call and the machine: fills call.mesh. HS_INVALID: GPUs of no
 * machine, a collective that is not measured, an order that it does not have, a mesh without axes
 * or the other way round, groups of one process. */
enum hs_status hs_campaign_check(struct hs_campaign_options *campaign, struct hs_error *err);

#endif
