/*
 * price_nccl.h - how long NCCL's collectives take on a machine in parts, whoever chose what runs.
 *
 * The form is NCCL's own (latency and bytes per step, src/graph/tuning.cc) with what it leaves out:
 * a call costs something before its first step; latency and bytes of a ring's step neither add nor
 * hide each other, (a^q + b^q)^(1/q); trees store and forward their chunks and stream the rest;
 * Simple reaches its rate slowly, n + sqrt(ramp n) bytes; LL over a network goes through host
 * memory; where it is known what one block of a kernel adds, rings, trees and PAT go no faster than
 * those of their channels together. docs/model.md derives it. Constants (constants_nccl.h) have
 * priors from NCCL's sources and are fitted to published times, one set for all machines: of a
 * machine of which nothing was measured expect 10 to 30 % below 1 MiB and 6 to 10 % from 64 MiB on,
 * which the range says.
 */
#ifndef HS_LIBRARY_PRICE_NCCL_H
#define HS_LIBRARY_PRICE_NCCL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "library/constants.h"
#include "library/constants_nccl.h"
#include "library/library_nccl.h"
#include "library/price_error.h"
#include "model/group.h"
#include "model/kept.h"
#include "model/stage.h"
#include "system/system.h"

/* A call with what runs it. */
struct hs_nccl_run {
    struct hs_nccl_call call;
    struct hs_nccl_choice choice;
    double chunk_bytes; /* of a tree: of all channels together */
    double blocks_GBps; /* that its channels' blocks add, at most; 0: not known */
    bool host_clock;    /* of torch.distributed, timed by a clock of the host */
    bool graph;         /* launched from a CUDA graph: of registered buffers it counts */
};
/* With its chunk, of all channels together (hs_nccl_tree_chunk), and what the GPU's blocks add as
 * far as that was measured; not by a clock of the host. */
struct hs_nccl_run hs_nccl_run(const struct hs_nccl_call *call, struct hs_nccl_choice choice);

/* Prices struct hs_nccl_run. */
extern const struct hs_price_model hs_nccl_price_model;

/* How many widths a constant may be off: of parts that were not measured; inside nodes whose
 * generation of GPUs was, and between nodes whose GPUs and NICs were together; and where the
 * machine's own times were fitted on fewer nodes. */
#define HS_NCCL_DOUBT_CLASS  0.9
#define HS_NCCL_DOUBT_INSIDE 0.5
#define HS_NCCL_DOUBT_NODES  0.65
#define HS_NCCL_DOUBT_OWN    0.4
/* Standard deviations of log(constant): so many widths; 0: by the kinds of the parts' figures
 * (figure.h), for calls over so many domains. */
void hs_nccl_deviations(double deviations[HS_NCCL_K_COUNT], const struct hs_parts *parts,
                        int64_t domains, double doubt);
/* The standard deviation of log(seconds): constants as far off as that, and what no constant
 * explains. The 90 % range is seconds exp(-+HS_PRICE_RANGE deviation). */
double hs_nccl_deviation(const struct hs_nccl_run *run, const double *values, double doubt,
                         double residual);
#define HS_PRICE_RANGE 1.645
/* Which errors its calls have; */
enum hs_error_class hs_nccl_error_class(const struct hs_parts *parts, int64_t domains,
                                        enum hs_library_call kind);
/* and those of a kernel of registered buffers (of others as above): what was measured of it on one
 * machine, or by nobody known. */
enum hs_error_class hs_nccl_run_class(const struct hs_nccl_run *run);
/* What no constant explains once a machine's own are known, the same deviation, of a call of so
 * many bytes: as of published times once all are fitted, and no less than `residual`, what a fit
 * left of a machine's own (0: none was made). Of a machine of which nothing was measured the errors
 * of its class stand there. */
double hs_nccl_noise(double bytes, double residual);

/* ---- the price of a call, for who asks nothing else ------------------------------------------ */

struct hs_nccl_price {
    struct hs_nccl_choice choice;              /* what NCCL would run by its rule */
    double seconds, low_seconds, high_seconds; /* where a line leaves open what leads on from a
                                                  switch, the high end is that of HS_OPEN_TAPER */
};

/* `gpus` of each of `domains` NVLink domains call together. HS_INVALID: hs_parts_shape's, or bytes
 * that are not above 0. */
struct hs_nccl_ask {
    enum hs_library_call kind;
    int64_t domains, gpus;
    double bytes;
    int64_t stride; /* from one domain of the communicator to the next, where others of its kind
                       call from those between; 0: 1 */
    const struct hs_group *group; /* or whose domains they are, gaps and all; NULL: as above */
    int64_t least,
        ranks;        /* where `gpus` is the most: of the narrowest domain, and in all; 0: alike */
    int64_t in_a_row; /* so many groups call, each of ranks that follow each other; 0: others lie
                         between them */
};
/* What the call sees of the machine, with its share of what leads on from a switch. */
enum hs_status hs_nccl_shape(struct hs_shape *shape, const struct hs_parts *parts,
                             const struct hs_nccl_ask *ask, struct hs_error *err);
/* What NCCL runs by its rule for the call, its seconds, and the 90 % range around them
 * (hs_nccl_deviation). */
enum hs_status hs_nccl_price(struct hs_nccl_price *out, const struct hs_nccl_machine *machine,
                             const struct hs_nccl_ask *ask, struct hs_error *err);

/* Its seconds alone, which are found far faster than the range; NaN where it fails. */
double hs_nccl_seconds(const struct hs_nccl_machine *machine, const struct hs_nccl_ask *ask);

/* Seconds of the fastest step, by LL: from node to node, or inside one. */
double hs_nccl_least_step_seconds(const struct hs_nccl_machine *machine, bool between_nodes);

/* NCCL's call for a phase; of a pair the first. */
enum hs_library_call hs_nccl_call_of(enum hs_phase phase);

/* The call of groups that all call at once, priced as the one whose domain is the narrowest
 * (hs_group_spread). It borrows the group where that has gaps. */
struct hs_nccl_ask hs_nccl_ask_of(const struct hs_nccl_machine *machine,
                                  const struct hs_group *group, enum hs_phase phase, double bytes);

/* The same for a layer's communicators, `ranks` counted domain by domain, which all call at once,
 * with `bytes` entering the stage (stage.h); key.algorithm means nothing here. Each has the NICs of
 * its GPUs, and its share of what leads from switch to switch; where domains do not have as many of
 * each it is the slowest's price, whose narrowest domain has the fewest. A pair is the sum of both
 * calls, with the choice of the reduce-scatter, and the range as if they erred together.
 * Communicators that share NVLinks, or the slots of boards, are priced as if alone. */
enum hs_status hs_nccl_layer_price(struct hs_nccl_price *out, const struct hs_nccl_machine *machine,
                                   int64_t ranks, struct hs_stage_key key, double bytes,
                                   struct hs_error *err);

/* Which errors the layer's calls of so many bytes have. */
enum hs_error_class hs_nccl_layer_class(const struct hs_nccl_machine *machine, int64_t ranks,
                                        struct hs_stage_key key, double bytes);

/* The part of a GPU's processors that a call of the layer holds while it is at work, 0 to 1; 0:
 * not known. */
double hs_nccl_layer_share(const struct hs_nccl_machine *machine, int64_t ranks,
                           struct hs_stage_key key);

#define HS_NEXT_TO_NO_BYTES 8.0 /* whose time is a call's latency */
/* Its seconds alone, which are found far faster than the range; NaN where it fails. What does not
 * depend on the bytes, and what took so many last, is kept (kept.h; NULL: nowhere). */
double hs_nccl_layer_seconds(const struct hs_nccl_machine *machine, struct hs_kept *kept,
                             int64_t ranks, struct hs_stage_key key, double bytes);
/* Machines that differ in their own constants alone, all of which they have. */
struct hs_nccl_machines {
    const struct hs_nccl_machine *first; /* the next one lies `apart` bytes behind */
    size_t count, apart;
    struct hs_kept *calls; /* where what runs is kept: as above */
    struct hs_kept *kept;  /* where what they make of it is: theirs alone; NULL: nowhere */
};
/* The seconds of each, [count]. Far faster than one by one: what runs is chosen once. */
void hs_nccl_layer_seconds_each(double *seconds, const struct hs_nccl_machines *machines,
                                int64_t ranks, struct hs_stage_key key, double bytes);

/* ---- what prices of runs and those of calls share -------------------------------------------- */

/* Blocks of a kernel that are at work at the same time. */
double hs_nccl_blocks_at_work(const struct hs_nccl_graph *graph, const struct hs_gpu_blocks *known);
/* Adds `times` the seconds of what runs on each machine. What of it does not depend on the bytes is
 * kept by shape and choice, and by the `stride` that the shape's share of the network is of; 0: it
 * has all. NaN: out of memory. */
void hs_nccl_add_each(double *seconds, const struct hs_nccl_machines *machines,
                      const struct hs_nccl_run *run, int64_t stride, double times);

#endif
