/*
 * result_read.h - inside the reader of result files: what its two halves share. Not for other
 * folders.
 *
 * Every function fails with one line that names file and JSON path, and leaves *out such that
 * hs_result_release of the whole frees it.
 */
#ifndef HS_RESULT_RESULT_READ_H
#define HS_RESULT_RESULT_READ_H

#include "base/json.h"
#include "result/result.h"

/* Longest lists read; docs/result.schema.json has the same numbers. */
enum {
    HS_RESULT_CANDIDATES_MAX = 1000000,
    HS_RESULT_SAMPLES_MAX = 1000000,
    HS_RESULT_NODES_MAX = 1000000,
    HS_RESULT_MESSAGES_MAX = 1024,
    HS_RESULT_NAMES_MAX = 256 /* baselines, rules, versions */
};

/* Whole numbers up to this are JSON numbers; larger ones are decimal text, because a double skips
 * some. */
#define HS_RESULT_NUMBER_MAX (((uint64_t)1 << 53) - 1)

/* Whether the object has the member. Unlike hs_json_has this counts null, which no member of a
 * result may be: the reader of its type then refuses it. */
bool hs_result_there(const struct hs_json *object, const char *key);

/* A cursor at a member, also where it is not there: a place to complain about. */
struct hs_json hs_result_member(const struct hs_json *object, const char *key);

/* Text to an owned copy. An absent member stays NULL; a name must be there and not empty. */
enum hs_status hs_result_read_text(char **out, const struct hs_json *object, const char *key,
                                   struct hs_error *err);
enum hs_status hs_result_read_name(char **out, const struct hs_json *object, const char *key,
                                   struct hs_error *err);
/* A member that has to be there. */
enum hs_status hs_result_read_bool(bool *out, const struct hs_json *object, const char *key,
                                   struct hs_error *err);
/* Whole number in min .. UINT64_MAX, as a JSON number or as decimal text (HS_RESULT_NUMBER_MAX). */
enum hs_status hs_result_read_whole(uint64_t *out, const struct hs_json *object, const char *key,
                                    uint64_t min, struct hs_error *err);
/* Seconds as of hs_json_seconds; NaN where the member is absent. */
enum hs_status hs_result_read_seconds(double *out, const struct hs_json *object, const char *key,
                                      struct hs_error *err);
/* An array of min .. max of them; *out is not NULL even for none of them. */
enum hs_status hs_result_read_seconds_array(double **out, size_t *count,
                                            const struct hs_json *object, const char *key,
                                            size_t min, size_t max, struct hs_error *err);
/* The array `key` of an object: its cursor, and a zeroed list of as many elements. */
enum hs_status hs_result_read_list(void **list, size_t *count, struct hs_json *array,
                                   const struct hs_json *object, const char *key, size_t max,
                                   size_t element_bytes, struct hs_error *err);
/* One element of `results`; np and the system are those of the result read so far. */
enum hs_status hs_result_read_message(struct hs_result_message *out, const struct hs_json *at,
                                      const struct hs_result *result, struct hs_error *err);
enum hs_status hs_result_read_measured(struct hs_measured *out, const struct hs_json *at,
                                       int layers, struct hs_error *err);

#endif
