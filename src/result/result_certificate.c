/* result_certificate.c - see result_certificate.h. */
#include "result/result_certificate.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>

#include "base/units.h"
#include "result/result_read.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* ---- writing ------------------------------------------------------------------------------- */

static bool put_number(cJSON *object, const char *key, double value)
{
    return !isfinite(value) || cJSON_AddNumberToObject(object, key, value);
}

static bool put_split(cJSON *object, const char *key, const struct hs_split *split)
{
    char text[HS_SPLIT_TEXT];

    return cJSON_AddStringToObject(object, key, hs_split_format(text, split)) != NULL;
}

static bool put_interval(cJSON *object, double seconds, double ci95_seconds)
{
    double high = seconds + ci95_seconds;
    /* The lower end as reading makes it from the upper one. */
    const double ends[2] = {fmax(0, seconds - (high - seconds)), high};
    cJSON *array;

    if (!isfinite(high))
        return true;
    array = cJSON_CreateDoubleArray(ends, 2);
    if (array && cJSON_AddItemToObject(object, "ci95_seconds", array))
        return true;
    cJSON_Delete(array);
    return false;
}

static bool put_ties(cJSON *object, const struct hs_certificate *certificate)
{
    cJSON *ties = cJSON_AddArrayToObject(object, "ties");

    for (size_t i = 0; ties && i < certificate->tie_count; i++) {
        const struct hs_certified_split *tie = &certificate->ties[i];
        cJSON *row = cJSON_CreateObject();

        if (!row || !cJSON_AddItemToArray(ties, row)) {
            cJSON_Delete(row);
            return false;
        }
        if (!put_split(row, "split", &tie->split) || !put_number(row, "seconds", tie->seconds) ||
            !put_interval(row, tie->seconds, tie->ci95_seconds))
            return false;
    }
    return ties && cJSON_AddBoolToObject(object, "more_ties", certificate->more_ties);
}

static bool put_runner_up(cJSON *object, const struct hs_certificate *certificate)
{
    cJSON *row;

    if (certificate->runner_up.count == 0)
        return true;
    row = cJSON_AddObjectToObject(object, "runner_up");
    return row && put_split(row, "split", &certificate->runner_up) &&
           put_number(row, "seconds", certificate->runner_up_seconds) &&
           cJSON_AddBoolToObject(row, "measured", certificate->runner_up_measured);
}

struct cJSON *hs_result_certificate_to_json(const struct hs_certificate *certificate)
{
    cJSON *object = cJSON_CreateObject();
    bool complete = object &&
                    put_number(object, "layers_measured", (double)certificate->layers_measured) &&
                    put_number(object, "layers_rough", (double)certificate->layers_rough) &&
                    put_number(object, "layers_failed", (double)certificate->layers_failed) &&
                    put_number(object, "layers", (double)certificate->layers);

    if (complete && certificate->winner.count > 0)
        complete = put_split(object, "winner", &certificate->winner) &&
                   put_number(object, "seconds", certificate->seconds) &&
                   put_interval(object, certificate->seconds, certificate->ci95_seconds) &&
                   put_number(object, "within", certificate->within) &&
                   put_runner_up(object, certificate) && put_ties(object, certificate);
    if (complete)
        return object;
    cJSON_Delete(object);
    return NULL;
}

/* ---- reading ------------------------------------------------------------------------------- */

static enum hs_status read_split(struct hs_split *split, const struct hs_json *at, const char *key,
                                 int64_t np, struct hs_error *err)
{
    const char *text;
    struct hs_json member;
    struct hs_error why;
    enum hs_status status = hs_json_string(&text, at, key, err);

    if (status || (status = hs_json_member(&member, at, key, err)))
        return status;
    if (hs_split_parse(split, text, np, &why))
        return hs_json_fail(&member, err, "%s", why.message);
    return HS_OK;
}

static enum hs_status read_time(double *seconds, const struct hs_json *at, struct hs_error *err)
{
    enum hs_status status = hs_result_read_seconds(seconds, at, "seconds", err);

    if (!status && !isfinite(*seconds))
        return hs_json_fail(at, err, "expected the member \"seconds\"");
    return status;
}

static enum hs_status read_interval(double *seconds, double *ci95_seconds, const struct hs_json *at,
                                    struct hs_error *err)
{
    double *ends = NULL;
    size_t count;
    enum hs_status status = read_time(seconds, at, err);

    *ci95_seconds = NAN;
    if (status || !hs_result_there(at, "ci95_seconds"))
        return status;
    status = hs_result_read_seconds_array(&ends, &count, at, "ci95_seconds", 2, 2, err);
    if (!status && (ends[0] > *seconds || ends[1] < *seconds)) {
        struct hs_json member = hs_result_member(at, "ci95_seconds");

        status = hs_json_fail(&member, err, "expected an interval around %g", *seconds);
    } else if (!status) {
        *ci95_seconds = ends[1] - *seconds;
    }
    free(ends);
    return status;
}

static enum hs_status read_ties(struct hs_certificate *certificate, const struct hs_json *at,
                                int64_t np, struct hs_error *err)
{
    static const char *const keys[] = {"split", "seconds", "ci95_seconds"};
    struct hs_json array, element;
    void *list = NULL;
    enum hs_status status =
        hs_result_read_list(&list, &certificate->tie_count, &array, at, "ties", HS_CERTIFICATE_TIES,
                            sizeof(*certificate->ties), err);

    if (status)
        return status;
    certificate->ties = list;
    element = hs_json_first(&array);
    for (size_t i = 0; i < certificate->tie_count && !status; i++, hs_json_next(&element)) {
        struct hs_certified_split *tie = &certificate->ties[i];

        status = hs_json_object(&element, keys, COUNT(keys), err);
        if (!status)
            status = read_split(&tie->split, &element, "split", np, err);
        if (!status)
            status = read_interval(&tie->seconds, &tie->ci95_seconds, &element, err);
    }
    return status ? status : hs_result_read_bool(&certificate->more_ties, at, "more_ties", err);
}

static enum hs_status read_runner_up(struct hs_certificate *certificate, const struct hs_json *at,
                                     int64_t np, struct hs_error *err)
{
    static const char *const keys[] = {"split", "seconds", "measured"};
    struct hs_json member;
    enum hs_status status;

    if (!hs_result_there(at, "runner_up"))
        return HS_OK;
    if ((status = hs_json_member(&member, at, "runner_up", err)) ||
        (status = hs_json_object(&member, keys, COUNT(keys), err)) ||
        (status = read_split(&certificate->runner_up, &member, "split", np, err)) ||
        (status = read_time(&certificate->runner_up_seconds, &member, err)))
        return status;
    return hs_result_read_bool(&certificate->runner_up_measured, &member, "measured", err);
}

static enum hs_status read_counts(struct hs_certificate *certificate, const struct hs_json *at,
                                  struct hs_error *err)
{
    uint64_t layers, measured, rough, failed;
    enum hs_status status;

    if ((status = hs_result_read_whole(&layers, at, "layers", 0, err)) ||
        (status = hs_result_read_whole(&measured, at, "layers_measured", 0, err)) ||
        (status = hs_result_read_whole(&rough, at, "layers_rough", 0, err)) ||
        (status = hs_result_read_whole(&failed, at, "layers_failed", 0, err)))
        return status;
    if (measured > layers || failed > layers - measured)
        return hs_json_fail(at, err,
                            "expected at most as many layers measured and failed as there are");
    if (rough > measured)
        return hs_json_fail(at, err, "expected at most as many rough layers as measured ones");
    certificate->layers = layers;
    certificate->layers_measured = measured;
    certificate->layers_rough = rough;
    certificate->layers_failed = failed;
    return HS_OK;
}

/* What is there with a winner. */
static enum hs_status read_winner(struct hs_certificate *certificate, const struct hs_json *at,
                                  int64_t np, struct hs_error *err)
{
    static const struct hs_json_bounds bounds = {.min = 0, .max = HS_SECONDS_MAX / HS_SECONDS_MIN};
    enum hs_status status;

    if ((status = read_split(&certificate->winner, at, "winner", np, err)) ||
        (status = read_interval(&certificate->seconds, &certificate->ci95_seconds, at, err)) ||
        (status = hs_json_number_or(&certificate->within, at, "within", &bounds, INFINITY, err)) ||
        (status = read_runner_up(certificate, at, np, err)))
        return status;
    return read_ties(certificate, at, np, err);
}

enum hs_status hs_result_certificate_read(struct hs_certificate *certificate,
                                          const struct hs_json *at, int64_t np,
                                          struct hs_error *err)
{
    static const char *const keys[] = {"layers_measured", "layers_rough", "layers_failed", "layers",
                                       "winner",          "seconds",      "ci95_seconds",  "within",
                                       "runner_up",       "ties",         "more_ties"};
    static const size_t without_winner = 4;
    bool has_winner = hs_result_there(at, "winner");
    enum hs_status status;

    *certificate = (struct hs_certificate){0};
    status = hs_json_object(at, keys, has_winner ? COUNT(keys) : without_winner, err);
    if (!status)
        status = read_counts(certificate, at, err);
    if (!status && has_winner)
        status = read_winner(certificate, at, np, err);
    if (status)
        hs_certificate_release(certificate);
    return status;
}
