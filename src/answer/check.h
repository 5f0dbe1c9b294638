/*
 * check.h - whether the times in logs are what such a machine takes: is it low, where, what is
 * established by lines that NCCL prints, which causes fit the times, and what tells them apart.
 *
 * A cause with a price is a variation of the machine or of the library, priced for every row
 * (check_causes.c). A price errs in two ways: the machine's own constants are not those of its
 * class, which all rows share, and what no constant explains at a point. A cause is excluded by the
 * row that it cannot explain with both. A cause that only the times speak for fits, never more: of
 * public logs with a known cause the best fit was wrong more often than right.
 */
#ifndef HS_API_CHECK_H
#define HS_API_CHECK_H

#include "answer/inputs.h"
#include "answer/logs.h"
#include "base/fields.h"
#include "library/price_library.h"
#include "model/plan.h"

/* clang-format off */
#define HS_CHECK_VERDICTS(row)                                               \
    row(EXPECTED, "expected", "as such a machine does")                      \
    row(LOW, "low", "slower than such a machine")                            \
    row(FAST, "fast", "faster than such a machine, below its line rates")    \
    row(UNJUDGED, "unjudged", "no row can be judged; `reason` says why")

#define HS_CHECK_LAYERS(row)                                                 \
    row(CALL, "call", "what each call costs: small sizes alone are slow")    \
    row(NODE, "node", "inside the node")                                     \
    row(NETWORK, "network", "between the nodes, GPU to NIC included")        \
    row(ALGORITHM, "algorithm", "what the library chose, or its version")    \
    row(UNKNOWN, "unknown", "the times do not tell")

#define HS_CHECK_STATUSES(row)                                               \
    row(ESTABLISHED, "established", "a line of the library says so")         \
    row(FITS, "fits", "its price explains all rows")                         \
    row(OPEN, "not-excluded", "its price is a guess, or it has none")        \
    row(EXCLUDED, "excluded", "a row, or a line, contradicts it")

/* What a row's time is held against. */
#define HS_CHECK_AGAINST(row)                                        \
    row(NOTHING, "nothing", "no price is known")                     \
    row(PRICE, "price", "what such a machine takes")                 \
    row(LINE, "line-rate", "what its links allow")                   \
    row(GOOD, "good-log", "the same machine when it was right")

/* key, text, layer, prior, next measurement or line. The priors are how often a cause was the
 * answer in 34 public threads about low times, plus a half; they order what fits equally. */
#define HS_CHECK_CAUSES(row)                                                                       \
    row(GDR_OFF, "gdr-off", "GPUDirect RDMA is not used", NETWORK, 5.5,                            \
        "NCCL_DEBUG=INFO: its lines \"via NET/IB/0\" must end in /GDRDMA, on every node")          \
    row(ACS_ATS, "acs-ats", "PCIe ACS on, or ATS off in a VM", NETWORK, 4.5,                       \
        "lspci -vvv | grep ACSCtl (bare metal: all off; VM: ATS on)")                              \
    row(NIC_BEHIND_CPU, "nic-behind-cpu", "NIC and GPU under different CPUs", NETWORK, 1.5,        \
        "nvidia-smi topo -m: each GPU needs a NIC at PIX or PXB")                                  \
    row(TOPOLOGY_FILE, "topology-file", "a wrong topology file", NETWORK, 1.5,                     \
        "NCCL_TOPO_DUMP_FILE: each GPU with its NIC under one switch?")                            \
    row(NICS_USED, "nics-used", "fewer NICs in use", NETWORK, 2.5,                                 \
        "NCCL_DEBUG=INFO: count the NICs in its line \"NET/IB : Using\"")                          \
    row(PORT_RATE, "port-rate", "ports below their rate", NETWORK, 1.5,                            \
        "ibstat (or ethtool) on each node: the rate of every port")                                \
    row(FABRIC_ROUTE, "fabric-route", "flows that share a route", NETWORK, 1.5,                    \
        "the same command on two other nodes")                                                     \
    row(TAPER, "taper", "oversubscription between switches", NETWORK, 0.5,                         \
        "the same command on nodes under one switch")                                              \
    row(TCP_SOCKETS, "tcp-sockets", "sockets in place of RDMA", NETWORK, 1.5,                      \
        "NCCL_DEBUG=INFO: \"Using network Socket\" or \"NET/Socket\"?")                            \
    row(NETWORK_PATH, "network-path", "NIC, firmware or fabric settings", NETWORK, 2.5,            \
        "sendrecv_perf of 2 GPUs on 2 nodes against ib_write_bw of one NIC")                       \
    row(NVLS_OFF, "nvls-off", "NVLS (NVLink SHARP) is not used", ALGORITHM, 2.5,                   \
        "NCCL_DEBUG=INFO: \"nvls channels\" above 0? else NCCL_NVLS_ENABLE, NCCL_ALGO, the "       \
        "fabric manager")                                                                          \
    row(RING_FORCED, "ring-forced", "the ring is forced (NCCL_ALGO)", ALGORITHM, 1.5,              \
        "NCCL_DEBUG=INFO: \"NCCL_ALGO set by environment\"?")                                      \
    row(ALGORITHM_CHOICE, "algorithm-choice", "another algorithm was chosen", ALGORITHM, 4.5,      \
        "NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=TUNING: the algorithm of each size")                    \
    row(PROTOCOL, "protocol", "another protocol was chosen (NCCL_PROTO)", ALGORITHM, 0.5,          \
        "NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=TUNING: the protocol of each size")                     \
    row(LIBRARY_TUNING, "library-tuning", "tuning of this version", ALGORITHM, 3.5,                \
        "NCCL_ALGO=Ring, the same command; then another version")                                  \
    row(LIBRARY_BUILD, "library-build", "this build of the library", ALGORITHM, 1.5,               \
        "a release of the library, the same command")                                              \
    row(CHANNELS, "channels", "too few channels", ALGORITHM, 1.5,                                  \
        "NCCL_DEBUG=INFO: \"coll channels\"; NCCL_MAX_NCHANNELS, NCCL_MAX_CTAS set?")              \
    row(P2P_OFF, "p2p-off", "no peer access between GPUs", NODE, 1.5,                              \
        "NCCL_DEBUG=INFO: \"via SHM\" in place of \"via P2P\"?")                                   \
    row(SLOT, "slot", "a PCIe slot below its rate", NODE, 0.5,                                     \
        "nvidia-smi -q -d PCIE? lspci -vv: LnkSta of each GPU and NIC")                            \
    row(CPU_BINDING, "cpu-binding", "processes on the wrong CPU", NODE, 1.5,                       \
        "the same command with --bind-to numa, or as one process (-g 8)")                          \
    row(HOST_BUSY, "host-busy", "something else runs there", CALL, 1.5,                            \
        "nvidia-smi and top on each node while nothing should run")                                \
    row(NOISE, "noise", "loss or load that comes and goes", UNKNOWN, 1.5,                          \
        "the same command again at once: equal times are configuration")
/* clang-format on */

enum hs_check_verdict {
#define HS_ROW(name, text, meaning) HS_CHECK_##name,
    HS_CHECK_VERDICTS(HS_ROW)
#undef HS_ROW
        HS_CHECK_VERDICT_COUNT
};
enum hs_check_layer {
#define HS_ROW(name, text, meaning) HS_LAYER_##name,
    HS_CHECK_LAYERS(HS_ROW)
#undef HS_ROW
        HS_CHECK_LAYER_COUNT
};
enum hs_check_status {
#define HS_ROW(name, text, meaning) HS_CAUSE_##name,
    HS_CHECK_STATUSES(HS_ROW)
#undef HS_ROW
        HS_CHECK_STATUS_COUNT
};
enum hs_check_cause {
#define HS_ROW(name, key, text, layer, prior, next) HS_BY_##name,
    HS_CHECK_CAUSES(HS_ROW)
#undef HS_ROW
        HS_CHECK_CAUSE_COUNT
};
extern const char *const hs_check_verdict_names[HS_CHECK_VERDICT_COUNT];
extern const char *const hs_check_layer_names[HS_CHECK_LAYER_COUNT];
extern const char *const hs_check_status_names[HS_CHECK_STATUS_COUNT];

struct hs_check_cause_row {
    const char *key, *text, *next;
    enum hs_check_layer layer;
    double prior;
};
extern const struct hs_check_cause_row hs_check_causes[HS_CHECK_CAUSE_COUNT];

enum hs_check_against {
#define HS_ROW(name, text, meaning) HS_AGAINST_##name,
    HS_CHECK_AGAINST(HS_ROW)
#undef HS_ROW
        HS_CHECK_AGAINST_COUNT
};
extern const char *const hs_check_against_names[HS_CHECK_AGAINST_COUNT];

#define HS_NO_ROW SIZE_MAX

/* One size of a run: both columns of nccl-tests together. */
struct hs_check_row {
    const char *file; /* borrowed */
    char call[HS_LOG_CALL_BYTES];
    int64_t ranks, nodes;
    uint64_t bytes;                                     /* as library.h counts */
    double seconds;                                     /* measured: geometric mean */
    double expected_seconds, low_seconds, high_seconds; /* 90 % range; NaN: without */
    double bound_seconds;                               /* no less by line rates; NaN: not known */
    double curve_seconds[2]; /* by the likeliest two causes whose prices differ; NaN: without */
    double bus_factor;       /* busbw is this times bytes / seconds */
    char algorithm[HS_LIBRARY_CHOICE]; /* expected: "tree, LL128"; "" */
    enum hs_check_against against;
    bool is_low;
    struct hs_log_call logged; /* what it was found of */
    size_t smaller, larger;    /* rows of the next sizes of its run; HS_NO_ROW: none */
};

/* A machine or library that differs from the described one. Factors are 1 where nothing does. */
struct hs_check_variant {
    double network;      /* rate between nodes */
    double inside;       /* rate inside */
    double step_us;      /* least latency of a network step; 0: as it is */
    double all;          /* time of everything */
    double more_seconds; /* of each call */
    unsigned among;      /* algorithms; 0: as expected */
    unsigned protocols;  /* 0: as expected */
    bool by_rule;        /* the library's rule chooses again */
};
#define HS_CHECK_SAME ((struct hs_check_variant){1, 1, 0, 1, 0, 0, 0, false})

struct hs_check_found {
    enum hs_check_cause cause;
    enum hs_check_status status;
    char by[HS_FIELD_TEXT];          /* the row or line; what fits: "0.33 of the NICs' rate" */
    double odds;                     /* 0 to 1 among those that are not excluded */
    double misfit;                   /* deviations of its worst row */
    struct hs_check_variant variant; /* what it is priced as; network 0: it has no price */
    int curve; /* 1 or 2: what rows take by it is their curve_seconds; 0: is not */
};

/* A plan of a result that was measured, beside what was predicted of it. */
struct hs_check_plan {
    const char *file; /* borrowed */
    uint64_t bytes;   /* per process */
    char plan[HS_SPLIT_TEXT];
    double seconds;                                     /* measured */
    double expected_seconds, low_seconds, high_seconds; /* 90 % range; NaN: without */
};

struct hs_check_answer {
    char machine[HS_FIELD_TEXT]; /* the line of text, or the name */
    bool proposed;               /* from the logs' own lines */
    enum hs_check_verdict verdict;
    enum hs_check_layer layer;
    struct hs_check_row *rows; /* [row_count] owned */
    size_t row_count;
    struct hs_check_plan *plans; /* [plan_count] owned: of results, in their order */
    size_t plan_count;
    size_t decisive;               /* index: the row that the verdict is about */
    double visible;                /* a loss of less than this part would not show there */
    char reason[HS_FIELD_TEXT];    /* why unjudged, or why a time that looks low is right; "" */
    char where[HS_FIELD_TEXT];     /* what the layer rests on */
    struct hs_check_found *causes; /* [cause_count] owned, the likeliest first */
    size_t cause_count;
    char next[2 * HS_FIELD_TEXT]; /* one measurement or line; "": none is needed */
};

/* What the user forced, and beside which log. */
struct hs_check_settings {
    struct hs_log_options log;
    const char *library_version; /* NULL: the logs' own */
    const char *environment;     /* "NCCL_X=Y NCCL_Z=W"; NULL */
    const char *info, *good;     /* files; NULL: none */
};

#define HS_CHECK_OPTIONS "What is known"
/* Rows of it. */
#define HS_ROWS_CHECK(place)                                                                       \
    {.name = "info",                                                                               \
     .argument = "FILE",                                                                           \
     .group = HS_CHECK_OPTIONS,                                                                    \
     .type = &hs_option_file,                                                                      \
     .offset = (place) + offsetof(struct hs_check_settings, info),                                 \
     .help = "what NCCL printed with NCCL_DEBUG=INFO, where the logs do not have it"},             \
        {.name = "good",                                                                           \
         .argument = "FILE",                                                                       \
         .group = HS_CHECK_OPTIONS,                                                                \
         .type = &hs_option_file,                                                                  \
         .offset = (place) + offsetof(struct hs_check_settings, good),                             \
         .help = "a log of the same machine when it was right, which takes the place of prices"},  \
        {.name = "library-version",                                                                \
         .argument = "VERSION",                                                                    \
         .group = HS_CHECK_OPTIONS,                                                                \
         .type = &hs_option_text,                                                                  \
         .offset = (place) + offsetof(struct hs_check_settings, library_version),                  \
         .help = "of NCCL, such as 2.28.9, where the logs do not say it"},                         \
        {.name = "env",                                                                            \
         .argument = "SETTINGS",                                                                   \
         .group = HS_CHECK_OPTIONS,                                                                \
         .type = &hs_option_text,                                                                  \
         .offset = (place) + offsetof(struct hs_check_settings, environment),                      \
         .help = "NCCL's settings of the job, such as 'NCCL_IB_HCA=mlx5 NCCL_PROTO=Simple'"},      \
        HS_ROWS_LOG((place) + offsetof(struct hs_check_settings, log))

struct hs_check_question {
    const struct hs_system *system; /* NULL: that of the first result, or proposed from the logs */
    const char *machine;            /* how it was typed; NULL likewise */
    const struct hs_inputs *inputs; /* logs, results of `measure`; others are HS_INVALID */
    const struct hs_check_settings *settings;
};

/* Release it in any case. HS_INVALID: nothing that can be read as a log of the machine; HS_MEMORY;
 * what a file of the settings fails with. */
enum hs_status hs_check(struct hs_check_answer *out, const struct hs_check_question *question,
                        struct hs_text *notes, struct hs_error *err);
/* The same of one result, which has its machine, and no settings. */
enum hs_status hs_check_result(struct hs_check_answer *out, const struct hs_named_result *result,
                               struct hs_error *err);
void hs_check_answer_release(struct hs_check_answer *checked);

/* busbw of a row's time, and the line rate of its machine, bytes per second. */
double hs_check_rate(const struct hs_check_row *row, double seconds);
double hs_check_line_rate(const struct hs_check_row *row);

/* An answer as JSON. Of what is read from there, rows know what the file has. */
extern const struct hs_fields hs_check_fields;

/* ---- what check.c and check_causes.c and check_facts.c share ---- */

/* What lines of the library, and the user, say. A cause's text is "" where none does. */
struct hs_check_facts {
    char established[HS_CHECK_CAUSE_COUNT][HS_FIELD_TEXT];
    char refuted[HS_CHECK_CAUSE_COUNT][HS_FIELD_TEXT];
    unsigned among;     /* algorithms that may run; 0: not said */
    unsigned protocols; /* bits of enum hs_nccl_protocol; 0: not said */
    int version;        /* 0: not said */
};
enum hs_status hs_check_facts_find(struct hs_check_facts *facts,
                                   const struct hs_check_question *question,
                                   const struct hs_nccl_info *more, struct hs_error *err);

/* The same of the algorithms that the library says it ran, for rows that are low. */
void hs_check_facts_chosen(struct hs_check_facts *facts, const struct hs_check_answer *checked,
                           const struct hs_check_question *question,
                           const struct hs_nccl_info *more);

/* Seconds of a row there, relative to what is expected; NaN: no price. */
double hs_check_seconds(const struct hs_check_row *row, const struct hs_system *system,
                        const struct hs_check_variant *variant);

/* The row as that version runs it. */
void hs_check_use_version(struct hs_check_row *row, int version);

/* Whether this and the next larger size are slower than the next smaller one, unlike prices. */
bool hs_check_is_step_back(const struct hs_check_answer *checked, const struct hs_check_row *row);

/* The row as it is with what the environment forced: expected times and range, too. */
void hs_check_use_forced(struct hs_check_row *row, const struct hs_system *system,
                         const struct hs_check_variant *forced);

/* Fills layer, where, causes, next of an answer that is low. HS_MEMORY. */
enum hs_status hs_check_explain(struct hs_check_answer *out, const struct hs_system *system,
                                const struct hs_check_facts *facts, struct hs_error *err);

#endif
