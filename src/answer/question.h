/*
 * question.h - what `predict` is asked of a machine, without how the answer is shown: the rows of
 * its options, what they say together, and the walk over message sizes.
 */
#ifndef HS_API_QUESTION_H
#define HS_API_QUESTION_H

#include "answer/rows.h"
#include "estimate/machines.h"
#include "search/search.h"

#define HS_TOP_ASKED      10000 /* each candidate of a result holds the cost of all its layers */
#define HS_KEEP_ASKED     1000
#define HS_TOP_USUAL      5 /* the fallback of --top */
#define HS_MACHINES_ASKED "200"
#define HS_SIZE_ASKED     "128MiB"

struct hs_question {
    struct hs_range np, bytes; /* bytes.first 0: not given */
    enum hs_datatype datatype;
    enum hs_operation operation; /* which NCCL's choice goes by */
    bool registered; /* NCCL's kernels for buffers in symmetric windows, of the default and plans */
    enum hs_collective collective;
    enum hs_layout layout;
    struct hs_mesh_words words;
    struct hs_mesh mesh; /* what they say */
    int64_t top;
    const char *search;          /* name of a strategy */
    int64_t machines;            /* drawn for the choice of a plan; 0: none */
    int64_t beam;                /* containment; 0: not given */
    bool widen;                  /* containment */
    double budget_seconds;       /* 0: not given */
    struct hs_count_list chunks; /* empty: not given */
    unsigned algorithms;         /* bits; 0: not given */
    const char *algorithm;       /* that the library is made to run; NULL: by its rule */
    struct hs_count_list gpus;   /* of each node, that the job got; empty: all */
};

/* Rows of struct hs_question. `also` says of sizes what is usual elsewhere. */
#define HS_ROWS_PROBLEM(place, also)                                                               \
    {.name = "np",                                                                                 \
     .letter = 'n',                                                                                \
     .argument = "P[:P]",                                                                          \
     .group = "Problem",                                                                           \
     .type = &hs_option_np_range,                                                                  \
     .offset = (place) + offsetof(struct hs_question, np),                                         \
     .usual = true,                                                                                \
     .help = "processes (one per GPU); 4:2048 is a sweep 4, 8, ..., 2048, and 24,64 a list; "      \
             "--mesh says it, too"},                                                               \
        {.name = "size",                                                                           \
         .letter = 's',                                                                            \
         .argument = "SIZE[:SIZE]",                                                                \
         .group = "Problem",                                                                       \
         .type = &hs_option_bytes_range,                                                           \
         .offset = (place) + offsetof(struct hs_question, bytes),                                  \
         .help = "message per process; 1MiB:1GiB is a sweep in powers of two, and 25MB,1GiB a "    \
                 "list (default " HS_SIZE_ASKED also ")"},                                         \
        HS_ROW_GPUS("Problem", (place) + offsetof(struct hs_question, gpus),                       \
                    "default: the first; with --np below all of one node the best and the worst "  \
                    "choice is said"),                                                             \
        HS_ROW_DATATYPE("Problem", (place) + offsetof(struct hs_question, datatype),               \
                        hs_datatype_words),                                                        \
        HS_ROW_OPERATION("Problem", (place) + offsetof(struct hs_question, operation)),            \
        HS_ROW_COLLECTIVE("Problem", (place) + offsetof(struct hs_question, collective),           \
                          hs_collective_words),                                                    \
        HS_ROW_LAYOUT("Problem", (place) + offsetof(struct hs_question, layout)),                  \
        HS_ROWS_MESH("Problem", (place) + offsetof(struct hs_question, words)),                    \
        {.name = "algorithm",                                                                      \
         .argument = "NAME",                                                                       \
         .group = "Problem",                                                                       \
         .type = &hs_option_text,                                                                  \
         .offset = (place) + offsetof(struct hs_question, algorithm),                              \
         .help =                                                                                   \
             "what the library is made to run: of NCCL Ring, Tree, NVLS, NVLSTree or PAT "         \
             "(NCCL_ALGO), of MPI ring, halving, doubling or tree (default: the library's rule)"}, \
        HS_ROW_FLAG("registered", 0, "Problem",                                                    \
                    (place) + offsetof(struct hs_question, registered),                            \
                    "all buffers are in symmetric windows (ncclCommWindowRegister), for which "    \
                    "NCCL has kernels of its own from 2.27 on; of few of them any time is known")
#define HS_ROWS_SEARCH(place)                                                                      \
    {.name = "search",                                                                             \
     .argument = "NAME",                                                                           \
     .group = "Search",                                                                            \
     .fallback = "lattice",                                                                        \
     .words = hs_strategy_words,                                                                   \
     .type = &hs_option_word,                                                                      \
     .offset = (place) + offsetof(struct hs_question, search),                                     \
     .help = "how to search"},                                                                     \
        HS_ROW_CHUNKS("Search", (place) + offsetof(struct hs_question, chunks),                    \
                      "chunk counts to try, such as 1,2,4,8: parts of the message that overlap "   \
                      "in different layers (default 1)"),                                          \
        HS_ROW_ALGORITHMS("Search", (place) + offsetof(struct hs_question, algorithms),            \
                          "what layers may go by besides the ring, such as halving,direct, or "    \
                          "all; plans then say it by a letter, as in 4dx8h (default: what who "    \
                          "executes there has: `hiersearch systems`)"),                            \
        {.name = "beam",                                                                           \
         .argument = "N",                                                                          \
         .group = "Search",                                                                        \
         .min = 1,                                                                                 \
         .max = HS_KEEP_ASKED,                                                                     \
         .noun = "number of plans",                                                                \
         .type = &hs_option_count,                                                                 \
         .offset = (place) + offsetof(struct hs_question, beam),                                   \
         .help = "containment: plans kept at each scale (default 4)"},                             \
        {.name = "widen",                                                                          \
         .group = "Search",                                                                        \
         .type = &hs_option_flag,                                                                  \
         .offset = (place) + offsetof(struct hs_question, widen),                                  \
         .help = "containment: let any layer grow, not the last alone"},                           \
        HS_ROW_SECONDS("budget", NULL, "Search",                                                   \
                       (place) + offsetof(struct hs_question, budget_seconds),                     \
                       "end the search after so long with what was found by then, and say what "   \
                       "was not looked at (default: none)"),                                       \
        HS_ROW_COUNT("samples", "samples", 0, HS_MACHINES_MAX, HS_MACHINES_ASKED, "Search",        \
                     (place) + offsetof(struct hs_question, machines),                             \
                     "samples of what the description leaves uncertain, over which times are "     \
                     "expected; 0: nominal times")
#define HS_ROW_TOP(place)                                                                          \
    {                                                                                              \
        .name = "top", .letter = 'k', .argument = "K", .group = "Output", .fallback = "5",         \
        .min = 1, .max = HS_TOP_ASKED, .noun = "number of plans", .type = &hs_option_count,        \
        .offset = (place) + offsetof(struct hs_question, top),                                     \
        .help = "plans to show; the flat split is always shown too"                                \
    }

/* Whether what is asked is of some of the children of a first level of single links: of GPUs asked
 * for, or of one process count below all. */
bool hs_question_is_part(const struct hs_question *question, const struct hs_system *system);
/* Whether the system is another one for the question: that of some GPUs, or with a library that is
 * made to run an algorithm, or called in another way; */
bool hs_question_changes(const struct hs_question *question, const struct hs_system *system);
/* that system: of the GPUs asked for, else, where it is of some, of the first; as it is where these
 * are not joined. As hs_system_choose; HS_INVALID: its library has no such algorithm, or no such
 * kernels. */
enum hs_status hs_question_choose(struct hs_system *system, const struct hs_question *question,
                                  struct hs_error *err);
/* The process count, which a mesh says, too, and the usual size where none is given; and what does
 * not go together. HS_INVALID. */
enum hs_status hs_question_take(struct hs_question *question, struct hs_error *err);

/* A question on a system. Borrows everything. */
struct hs_asked {
    const struct hs_question *question;
    const struct hs_search_strategy *strategy;
    const struct hs_system *system;
    struct hs_machines *machines; /* that fit its description; for the advice at least */
    const char *label;            /* what to call the system: its name, or the line of text */
    const char *typed;            /* the system as a word of a command; NULL: the label */
    bool further;         /* hints, what decides and what to measure, too: many times the work */
    double began_seconds; /* hs_clock_seconds; for the budget */
    /* Told now and then how far the search of a point is; NULL: nobody. */
    void (*watch)(void *watcher, int64_t processes, uint64_t bytes, uint64_t done, uint64_t all);
    void *watcher;
};

/* How many message sizes it asks. */
size_t hs_question_sizes(const struct hs_question *question);
/* How many machines a question draws: the advice needs some, whatever the plan is chosen by. */
size_t hs_question_machines(const struct hs_question *question);
/* HS_INVALID where what is asked for has no price on the system. */
enum hs_status hs_asked_check(const struct hs_asked *asked, struct hs_error *err);
/* Whether --budget leaves time for more. */
bool hs_asked_has_time(const struct hs_asked *asked);
/* A warning where the most processes asked for are more than the description covers. */
void hs_asked_say_beyond(struct hs_text *notes, const struct hs_asked *asked);
/* What layers may go by: as asked, else what who executes there has. */
unsigned hs_asked_algorithms(const struct hs_asked *asked);

#endif
