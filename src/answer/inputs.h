/*
 * inputs.h - what is read to be fitted, compared or exported: results, logs of other programs, the
 * figures of a GPU, the profile of a job; from files or from memory.
 */
#ifndef HS_API_INPUTS_H
#define HS_API_INPUTS_H

#include "base/text.h"
#include "estimate/gpu_probe.h"
#include "record/log.h"
#include "record/profile.h"

struct hs_input_log {
    const char *file; /* borrowed */
    struct hs_log log;
};

struct hs_input_profile {
    const char *file; /* borrowed */
    struct hs_profile profile;
};

/* Which logs: with times of calls that have a price; or of any, or NCCL's lines alone. */
enum hs_logs_taken { HS_NO_LOGS, HS_LOGS_OF_CALLS, HS_LOGS_OF_ANY };

struct hs_inputs {
    struct hs_named_result *inputs; /* [count] owned, in the order given; names are borrowed */
    struct hs_result *results;      /* [count] owned */
    size_t count;
    struct hs_input_log *logs; /* [log_count] owned, in the order given */
    size_t log_count;
    enum hs_logs_taken takes_logs; /* set before they are added; and that: */
    bool takes_probe;
    bool takes_any;            /* likewise: what it is, hs_inputs_add_any finds out */
    struct hs_gpu_probe probe; /* {0}: none was among them */
    const char *probe_file;    /* borrowed; that it is from */
    bool takes_profile;        /* set before they are loaded: of a job, in place of results */
    struct hs_profile profile;
    const char *profile_file;          /* borrowed; NULL: none was given */
    struct hs_input_profile *profiles; /* [profile_count] owned: to be compared, in order */
    size_t profile_count;
};

/* Adds a file ("-" is stdin); says what was left out of a log, and of a run that was cut short.
 * HS_INVALID, HS_MEMORY; release in any case. */
enum hs_status hs_inputs_add(struct hs_inputs *inputs, const char *file, struct hs_text *notes,
                             struct hs_error *err);
void hs_inputs_release(struct hs_inputs *inputs);

/* Whether a file is JSON of a format that begins so. Not of stdin, which is read but once. */
bool hs_inputs_is_of(const char *path, const char *kind);
#define HS_RESULT_KIND  "hiersearch.result/"
#define HS_PROFILE_KIND "hiersearch.profile/"
/* Whether it is the profile of a job, or a folder with what its ranks counted. */
bool hs_inputs_is_profile(const char *path);
/* Adds whatever it is, for a comparison, recognised by its content: a result or a log as
 * hs_inputs_add, and the profile of a job, or a folder of counts, to `profiles`. The `text` of a
 * file in memory, or NULL: `name` is a file's. HS_INVALID, HS_MEMORY; release in any case. */
enum hs_status hs_inputs_add_any(struct hs_inputs *inputs, const char *name, const char *text,
                                 struct hs_text *notes, struct hs_error *err);
/* HS_INVALID where such a profile is among them. */
enum hs_status hs_inputs_check_results(const struct hs_inputs *inputs, struct hs_error *err);
/* The profile of a job, or of a folder with what its ranks counted. HS_INVALID, HS_MEMORY. */
enum hs_status hs_inputs_profile(struct hs_profile *profile, const char *path,
                                 struct hs_error *err);

/* Appends a result, its messages by size, as rules (model/rules.h), the way `run` takes them;
 * `elsewhere`: for ranks on whatever nodes. HS_INVALID where it has no best plan. */
enum hs_status hs_inputs_rules(struct hs_text *rules, const struct hs_result *result,
                               const char *name, bool elsewhere, struct hs_error *err);

#endif
