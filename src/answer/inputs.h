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

struct hs_inputs {
    struct hs_named_result *inputs; /* [count] owned, in the order given; names are borrowed */
    struct hs_result *results;      /* [count] owned */
    size_t count;
    struct hs_input_log *logs; /* [log_count] owned, in the order given */
    size_t log_count;
    struct hs_gpu_probe probe; /* {0}: none was among them */
    const char *probe_file;    /* borrowed; that it is from */
    /* What is drawn in place of results: a copy of one of `profiles`, borrowed by a picture. */
    struct hs_profile profile;
    const char *profile_file;          /* borrowed; NULL: results are drawn */
    struct hs_input_profile *profiles; /* [profile_count] owned: to be compared, in order */
    size_t profile_count;
    char *checked;            /* owned: the text of an answer of `check`, to be drawn; NULL: none */
    const char *checked_file; /* borrowed */
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
#define HS_CHECK_KIND   "hiersearch.check/"
/* Adds whatever it is, recognised by its content: a result or a log as hs_inputs_add, the profile
 * of a job, or a folder of counts, to `profiles`, and the last answer of `check`. The `text` of a
 * file in memory, or NULL: `name` is a file's. HS_INVALID, HS_MEMORY; release in any case. */
enum hs_status hs_inputs_add_any(struct hs_inputs *inputs, const char *name, const char *text,
                                 struct hs_text *notes, struct hs_error *err);
/* HS_INVALID where a profile, or an answer of `check`, is among them. */
enum hs_status hs_inputs_check_results(const struct hs_inputs *inputs, struct hs_error *err);
/* The profile of a job, or of a folder with what its ranks counted. HS_INVALID, HS_MEMORY. */
enum hs_status hs_inputs_profile(struct hs_profile *profile, const char *path,
                                 struct hs_error *err);

/* Appends a result, its messages by size, as rules (model/rules.h), the way `run` takes them;
 * `elsewhere`: for ranks on whatever nodes. HS_INVALID where it has no best plan. */
enum hs_status hs_inputs_rules(struct hs_text *rules, const struct hs_result *result,
                               const char *name, bool elsewhere, struct hs_error *err);

#endif
