/*
 * The JSON of nccl-tests -J: args, nccl_version, config.devices, and results with out_of_place and
 * in_place.
 */
#include <math.h>
#include <string.h>

#include "base/fields.h"
#include "base/json.h"
#include "library/library_nccl.h"
#include "record/log_parts.h"

static double number_of(const struct hs_json *object, const char *key)
{
    struct hs_json at = hs_json_find(object, key);
    const struct hs_json_bounds any = {.min = -INFINITY, .max = INFINITY};
    double value;

    return at.node && hs_json_read_number(&value, &at, &any, NULL) == HS_OK ? value : NAN;
}

static const char *text_of(const struct hs_json *object, const char *key)
{
    struct hs_json at = hs_json_find(object, key);
    const char *text;

    return at.node && hs_json_read_string(&text, &at, NULL) == HS_OK ? text : "";
}

static void read_environment(struct hs_log_run *run, const struct hs_json *top)
{
    struct hs_json list = hs_json_find(top, "env"), at;
    const char *text;

    if (!list.node)
        return;
    for (at = hs_json_first(&list); at.node; hs_json_next(&at))
        if (hs_json_read_string(&text, &at, NULL) == HS_OK && strncmp(text, "NCCL_ALGO=", 10) == 0)
            run->among = hs_nccl_algorithms(text + 10);
}

/* What follows the last '/' of args[0], and the devices. */
static void read_run(struct hs_log_reader *reader, struct hs_log_run *run,
                     const struct hs_json *top)
{
    struct hs_json args = hs_json_find(top, "args"), first, config = hs_json_find(top, "config");
    struct hs_json devices, device;
    const char *program;
    double version = number_of(top, "nccl_version");

    if (version > 0 && version < 1e6)
        run->nccl_version = (int)version;
    first = hs_json_first(&args);
    if (args.node && first.node && hs_json_read_string(&program, &first, NULL) == HS_OK)
        hs_log_name_call(reader, strrchr(program, '/') ? strrchr(program, '/') + 1 : program, 1);
    run->of = HS_LOG_OF_NCCL;
    read_environment(run, top);
    devices = hs_json_find(config.node ? &config : top, "devices");
    if (!devices.node)
        return;
    for (device = hs_json_first(&devices); device.node; hs_json_next(&device)) {
        if (strncmp(text_of(&device, "device_info"), "AMD", 3) == 0)
            run->of = HS_LOG_OF_RCCL;
        hs_log_add_rank(reader, -1, text_of(&device, "hostname"));
    }
}

static void read_place(struct hs_log_reader *reader, const struct hs_json *row, size_t number,
                       bool in_place)
{
    struct hs_json place = hs_json_find(row, in_place ? "in_place" : "out_of_place");
    double bytes = number_of(row, "size"), seconds;

    if (!place.node || !hs_json_is_object(&place) || !(bytes >= 1) || bytes > 0x1p53)
        return;
    seconds = number_of(&place, "time") * 1e-6;
    if (!isfinite(seconds))
        seconds = number_of(&place, "cpu_time") * 1e-6;
    hs_log_add(
        reader, number,
        (struct hs_log_point){.bytes = (uint64_t)bytes, .seconds = seconds, .in_place = in_place},
        number_of(&place, "nwrong"));
}

static enum hs_status read_top(struct hs_log_reader *reader, const struct hs_json *top)
{
    bool is_object = hs_json_is_object(top);
    struct hs_json results = is_object ? hs_json_find(top, "results") : *top, row;
    struct hs_log_run *run;
    size_t number = 0;

    if (!is_object || !results.node)
        return hs_json_unexpected(top, reader->err, "the results of nccl-tests -J");
    run = hs_log_begin(reader);
    if (!run)
        return reader->status;
    read_run(reader, run, top);
    for (row = hs_json_first(&results); row.node; hs_json_next(&row)) {
        number++;
        read_place(reader, &row, number, false);
        read_place(reader, &row, number, true);
    }
    return reader->status;
}

static bool is_log(const struct hs_json *top)
{
    return hs_json_is_object(top) && hs_json_find(top, "args").node &&
           !hs_json_find(top, "format").node;
}

enum hs_status hs_log_parse_json(struct hs_log_reader *reader, const char *text, size_t length)
{
    struct hs_json_document document;
    enum hs_status status = hs_json_parse(&document, reader->name, text, length, reader->err);
    struct hs_json top;

    if (status != HS_OK)
        return status;
    top = hs_json_top(&document);
    reader->is_result = reader->result && !is_log(&top);
    status = reader->is_result
                 ? hs_fields_read(&hs_result_fields, reader->result, &top, reader->err)
                 : read_top(reader, &top);
    hs_json_release(&document);
    return status;
}
