/*
 * shardings.h - the answer of `shard` (answer/shard.h) as it is printed, and the rows of what is
 * asked.
 */
#ifndef HS_SHOW_SHARDINGS_H
#define HS_SHOW_SHARDINGS_H

#include "answer/shard.h"
#include "show/jobs.h"

/* All that `shard` is asked. */
struct hs_shard_question {
    struct hs_shard_settings settings;
    bool details;
    struct hs_print print;
};

/* Rows of struct hs_shard_question. */
#define HS_ROWS_SHARD(at)                                                                          \
    {.name = "np",                                                                                 \
     .letter = 'n',                                                                                \
     .argument = "P",                                                                              \
     .group = "Problem",                                                                           \
     .type = &hs_option_np_range,                                                                  \
     .offset = (at) + offsetof(struct hs_shard_question, settings.ask.np),                         \
     .usual = true,                                                                                \
     .help = "ranks of data parallelism, one per GPU"},                                            \
        {.name = "parameters",                                                                     \
         .argument = "N",                                                                          \
         .group = "Problem",                                                                       \
         .type = &hs_option_parameters,                                                            \
         .offset = (at) + offsetof(struct hs_shard_question, settings.parameters),                 \
         .help = "parameters of the model: 70e9, 70B"},                                            \
        {.name = "model",                                                                          \
         .argument = "SIZES",                                                                      \
         .group = "Problem",                                                                       \
         .type = &hs_option_text,                                                                  \
         .offset = (at) + offsetof(struct hs_shard_question, settings.model),                      \
         .help = "instead of --parameters a transformer, as of place: a config.json, or "          \
                 "num-layers=80,hidden-size=8192 and so on"},                                      \
        HS_ROW_DATATYPE("Problem",                                                                 \
                        (at) + offsetof(struct hs_shard_question, settings.ask.datatype),          \
                        hs_datatype_words),                                                        \
        HS_ROW_COUNT("units", "units", 1, 100000, NULL, "Problem",                                 \
                     (at) + offsetof(struct hs_shard_question, settings.units),                    \
                     "in which the model is wrapped, each gathered by itself (default: the "       \
                     "layers of --model, else 64)"),                                               \
        {.name = "memory",                                                                         \
         .argument = "SIZE",                                                                       \
         .group = "Problem",                                                                       \
         .type = &hs_option_bytes,                                                                 \
         .offset = (at) + offsetof(struct hs_shard_question, settings.memory),                     \
         .help = "memory of a GPU without what activations need (default: all of it, where the "   \
                 "machine's parts are known)"},                                                    \
        {.name = "optimizer-bytes",                                                                \
         .argument = "N",                                                                          \
         .group = "Problem",                                                                       \
         .type = &hs_option_text,                                                                  \
         .offset = (at) + offsetof(struct hs_shard_question, settings.optimizer),                  \
         .help = "what the optimizer keeps of each parameter (default: Adam's two moments, in 32 " \
                 "bits or those of --dtype if they are more, and a copy in 32 of weights of "      \
                 "fewer)"},                                                                        \
        HS_ROW_LAYOUT("Problem", (at) + offsetof(struct hs_shard_question, settings.ask.layout)),  \
        HS_ROW_GPUS("Problem", (at) + offsetof(struct hs_shard_question, settings.ask.gpus),       \
                    "default: the first"),                                                         \
        HS_ROW_ALGORITHMS("Search",                                                                \
                          (at) + offsetof(struct hs_shard_question, settings.ask.algorithms),      \
                          "what layers may go by besides the ring, or all (default: what the "     \
                          "machine's library has)"),                                               \
        HS_ROW_SECONDS("budget", NULL, "Search",                                                   \
                       (at) + offsetof(struct hs_shard_question, settings.ask.budget_seconds),     \
                       "end the search after so long (default: none)"),                            \
        HS_ROW_COUNT("samples", "samples", 0, HS_MACHINES_MAX, HS_MACHINES_ASKED, "Search",        \
                     (at) + offsetof(struct hs_shard_question, settings.ask.machines),             \
                     "samples of what the description leaves uncertain, over which times are "     \
                     "expected; 0: nominal times"),                                                \
        HS_ROW_FLAG("details", 0, "Output", (at) + offsetof(struct hs_shard_question, details),    \
                    "all that is known: every way, its plans, settings of frameworks"),            \
        HS_ROWS_SHOWN("Output", (at) + offsetof(struct hs_shard_question, print))

/* Prints the answer in the format that is asked for. HS_MEMORY. */
enum hs_status hs_sharding_show(struct hs_text *out, const struct hs_sharding *sharding,
                                const struct hs_shard_question *question,
                                const struct hs_terminal *terminal, struct hs_error *err);

#endif
