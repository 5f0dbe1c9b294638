/*
 * price_rccl.h - how long RCCL's collectives take, whatever it chooses to run: its rule is not
 * modelled.
 *
 * A call costs something before its first byte, more over several nodes and with their number;
 * its bytes take what a ring (of an all-to-all, a message to each) needs by the levels of the
 * system, over the part of these rates that RCCL reaches, which it does slowly:
 *
 *     one node        call + fill n / (n + fill_at) + bytes / eff
 *     several nodes   call + net_call + net_step lg(nodes)
 *                          + bytes (1 + sqrt(net_ramp / n)) / net_eff
 *
 * n is what a rank sends in a ring. The rates are the levels' of any system, so groups that call at
 * once share links as rings do, and single links are followed. docs/model.md, section 8.
 */
#ifndef HS_LIBRARY_PRICE_RCCL_H
#define HS_LIBRARY_PRICE_RCCL_H

#include <stdbool.h>
#include <stdint.h>

#include "library/constants.h"
#include "library/constants_rccl.h"
#include "library/price_error.h"
#include "model/group.h"
#include "model/stage.h"
#include "system/library.h"
#include "system/system.h"

/* Machines and nodes whose times the constants were fitted to. */
#define HS_RCCL_MACHINES_INSIDE  4
#define HS_RCCL_MACHINES_BETWEEN 7

struct hs_rccl_call {
    enum hs_library_call kind;
    double nodes, ranks;
    double bytes;          /* as nccl-tests counts them (library.h), > 0 */
    double moving_seconds; /* what these take by the levels */
    double rate_deviation; /* of log(rate), by the kind of the figure of the slowest level */
    bool slingshot;        /* joins the nodes */
    bool one_process;      /* drives all GPUs of a node: rccl-tests -g 8 */
};

/* The call of a layer's communicators, all at once, with so many bytes entering the stage; one
 * process per GPU. Of a pair the first. Cannot fail. */
struct hs_rccl_call hs_rccl_call_of(const struct hs_system *system, const struct hs_group *group,
                                    struct hs_stage_key key, double bytes);

/* Prices struct hs_rccl_call. */
extern const struct hs_price_model hs_rccl_price_model;

/* The standard deviation of log(seconds) that no constant explains: what differs from size to size,
 * kinds of calls and counts of nodes that were not measured. */
double hs_rccl_noise(const struct hs_rccl_call *call);
enum hs_error_class hs_rccl_error_class(const struct hs_rccl_call *call);
/* The same of all: that, what is common to the machine's calls, the constants' widths, and the
 * rates of the levels. */
double hs_rccl_deviation(const struct hs_rccl_call *call, const double *values);

#endif
