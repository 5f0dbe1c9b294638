#include "record/log.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fields.h"
#include "base/file.h"
#include "base/json.h"
#include "base/list.h"
#include "base/utf8.h"
#include "library/library_nccl.h"
#include "record/nccl_reader.h"

#define LINE_BYTES  1024 /* longer ones are no rows */
#define WORDS_MAX   40
#define HOST_BYTES  256
#define HOSTS_MAX   4096
#define PREFIX_MAX  96 /* what a launcher puts before a line */
#define SECONDS_MAX 1e6
#define VERSION_MAX 1000000
#define ROW_WORDS   8 /* at least, of a row of nccl-tests */

/* A log being read. */
struct reader {
    struct hs_log log;
    const char *name;
    size_t run_capacity, point_capacity, host_capacity, note_count;
    char (*hosts)[HOST_BYTES]; /* [host_count] owned: of the last run, each once */
    size_t host_count;
    bool other_call;               /* the last run is of a collective that has no name here, */
    char other[HS_LOG_CALL_BYTES]; /* but this one; "": its times do not count */
    struct hs_result *result;      /* where what is none goes; NULL: nowhere */
    bool is_result;
    bool takes_any;        /* other collectives' times, or NCCL's lines, are enough */
    enum hs_status status; /* HS_OK so far; after HS_MEMORY nothing is added */
    struct hs_error *err;
};

/* ---- what is kept ---------------------------------------------------------------------------- */

static bool has_points(const struct hs_log *log)
{
    return log->point_count > 0 && log->points[log->point_count - 1].run == log->run_count - 1;
}

/* A run of which nothing came. */
static void drop_last_empty(struct hs_log *log)
{
    if (log->run_count > 0 && !has_points(log))
        log->run_count--;
}

/* NULL: no memory, now or before. */
static void *one_more(struct reader *reader, void *list, size_t *capacity, size_t count,
                      size_t size)
{
    void *added =
        reader->status == HS_OK ? hs_grow(list, capacity, count, size, reader->err) : NULL;

    if (!added)
        reader->status = HS_MEMORY;
    return added;
}

/* Begins a run, unless the last one has no points yet: then that is it, emptied. NULL: no memory.
 */
static struct hs_log_run *begin(struct reader *reader)
{
    struct hs_log *log = &reader->log;
    struct hs_log_run *run;

    drop_last_empty(log);
    run = one_more(reader, &log->runs, &reader->run_capacity, log->run_count, sizeof(*run));
    if (!run)
        return NULL;
    log->run_count++;
    reader->other_call = false;
    reader->other[0] = '\0';
    reader->host_count = 0;
    *run = (struct hs_log_run){0};
    return run;
}

/* Of the last run, which there is: this rank, on this host; rank -1: one more. */
static void add_rank(struct reader *reader, int64_t rank, const char *host)
{
    struct hs_log_run *run = &reader->log.runs[reader->log.run_count - 1];
    char(*added)[HOST_BYTES];
    size_t known = 0;

    run->listed++;
    if (run->ranks <= rank || rank < 0)
        run->ranks = rank < 0 ? run->ranks + 1 : rank + 1;
    while (known < reader->host_count &&
           strncmp(reader->hosts[known], host, sizeof(*reader->hosts) - 1) != 0)
        known++;
    if (known == reader->host_count && known < HOSTS_MAX) {
        added = one_more(reader, &reader->hosts, &reader->host_capacity, reader->host_count,
                         sizeof(*added));
        if (!added)
            return;
        snprintf(*added, sizeof(*added), "%s", host);
        reader->host_count++;
    }
    /* Where each process runs for itself, rank 0 of one rank is on many hosts. */
    run->nodes =
        (int64_t)reader->host_count < run->ranks ? (int64_t)reader->host_count : run->ranks;
}

static void note(struct reader *reader, size_t line, const char *why)
{
    if (reader->note_count++ < HS_LOG_NOTES_MAX)
        hs_text_append(&reader->log.notes, "%s:%zu: %s\n", reader->name, line, why);
    else if (reader->note_count == HS_LOG_NOTES_MAX + 1)
        hs_text_append(&reader->log.notes, "%s: and others\n", reader->name);
}

static void add_other(struct reader *reader, const struct hs_log_point *point)
{
    struct hs_log *log = &reader->log;
    const struct hs_log_run *run = &log->runs[log->run_count - 1];
    struct hs_log_other *added =
        one_more(reader, &log->others, NULL, log->other_count, sizeof(*added));

    if (!added)
        return;
    *added = (struct hs_log_other){.of = run->of,
                                   .ranks = run->ranks,
                                   .nodes = run->nodes,
                                   .bytes = point->bytes,
                                   .seconds = point->seconds,
                                   .in_place = point->in_place};
    memcpy(added->call, reader->other, sizeof(added->call));
    log->other_count++;
}

/* Of the last run: a time, or a note where it is none or `wrong` elements were. */
static void add_time(struct reader *reader, size_t line, struct hs_log_point point, double wrong)
{
    struct hs_log *log = &reader->log;
    struct hs_log_point *added = NULL;

    if (!(point.seconds > 0 && point.seconds <= SECONDS_MAX))
        note(reader, line, "left out: its time is no time");
    else if (wrong > 0)
        note(reader, line, "left out: its data was wrong");
    else if (reader->other_call && reader->other[0])
        add_other(reader, &point);
    else if (!reader->other_call)
        added = one_more(reader, &log->points, &reader->point_capacity, log->point_count,
                         sizeof(*added));
    if (!added)
        return;
    *added = point;
    added->run = log->run_count - 1;
    log->point_count++;
}

/* Names the last run's call: "all_reduce_perf", "Allreduce", by the letters alone. Of another
 * collective no points are kept, which is noted. */
static void name_call(struct reader *reader, const char *program, size_t line)
{
    struct hs_log_run *run = &reader->log.runs[reader->log.run_count - 1];
    char letters[64];
    size_t length = 0;

    for (; *program && length + 1 < sizeof(letters); program++)
        if (isalpha((unsigned char)*program))
            letters[length++] = (char)tolower((unsigned char)*program);
    letters[length] = '\0';
    for (int c = 0; c < HS_LIBRARY_CALL_COUNT; c++)
        if (strncmp(letters, hs_library_call_names[c], strlen(hs_library_call_names[c])) == 0) {
            run->call = (enum hs_library_call)c;
            run->call_known = true;
        }
    reader->other_call = !run->call_known && length > 0;
    if (length > 4 && strcmp(letters + length - 4, "perf") == 0)
        letters[length - 4] = '\0';
    snprintf(reader->other, sizeof(reader->other), "%.*s", (int)sizeof(reader->other) - 1,
             reader->other_call ? letters : "");
    if (reader->other_call && !reader->takes_any)
        note(reader, line, "left out: a run of another collective");
}

/* ---- the JSON of nccl-tests -J ----
 *
 * args, nccl_version, config.devices, and results with out_of_place and in_place. */

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
static void read_run(struct reader *reader, struct hs_log_run *run, const struct hs_json *top)
{
    struct hs_json args = hs_json_find(top, "args"), first, config = hs_json_find(top, "config");
    struct hs_json devices, device;
    const char *program;
    double version = number_of(top, "nccl_version");

    if (version > 0 && version < 1e6)
        run->nccl_version = (int)version;
    first = hs_json_first(&args);
    if (args.node && first.node && hs_json_read_string(&program, &first, NULL) == HS_OK)
        name_call(reader, strrchr(program, '/') ? strrchr(program, '/') + 1 : program, 1);
    run->of = HS_LOG_OF_NCCL;
    read_environment(run, top);
    devices = hs_json_find(config.node ? &config : top, "devices");
    if (!devices.node)
        return;
    for (device = hs_json_first(&devices); device.node; hs_json_next(&device)) {
        if (strncmp(text_of(&device, "device_info"), "AMD", 3) == 0)
            run->of = HS_LOG_OF_RCCL;
        add_rank(reader, -1, text_of(&device, "hostname"));
    }
}

static void read_place(struct reader *reader, const struct hs_json *row, size_t number,
                       bool in_place)
{
    struct hs_json place = hs_json_find(row, in_place ? "in_place" : "out_of_place");
    double bytes = number_of(row, "size"), seconds;

    if (!place.node || !hs_json_is_object(&place) || !(bytes >= 1) || bytes > 0x1p53)
        return;
    seconds = number_of(&place, "time") * 1e-6;
    if (!isfinite(seconds))
        seconds = number_of(&place, "cpu_time") * 1e-6;
    add_time(
        reader, number,
        (struct hs_log_point){.bytes = (uint64_t)bytes, .seconds = seconds, .in_place = in_place},
        number_of(&place, "nwrong"));
}

static enum hs_status read_top(struct reader *reader, const struct hs_json *top)
{
    bool is_object = hs_json_is_object(top);
    struct hs_json results = is_object ? hs_json_find(top, "results") : *top, row;
    struct hs_log_run *run;
    size_t number = 0;

    if (!is_object || !results.node)
        return hs_json_unexpected(top, reader->err, "the results of nccl-tests -J");
    run = begin(reader);
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

/* The JSON of nccl-tests, or the reader's result. HS_INVALID: another JSON, with the place. */
static enum hs_status parse_json(struct reader *reader, const char *text, size_t length)
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

/* ---- lines ----------------------------------------------------------------------------------- */

/* Columns of a table, by the words of its heading; -1: it has none such. */
struct columns {
    int count, bytes, time[2], wrong[2], redop, algbw[2], busbw[2];
    int ranks, nodes, call; /* of CSV */
    double second;          /* what its times are in */
    bool is_validated;      /* of OSU: a row ends with Pass or Fail */
};

struct text_reader {
    struct reader *base;
    struct columns columns;          /* count 0: no table begun */
    bool csv, has_started;           /* the run's program said what it starts */
    bool has_failed, has_no_heading; /* the run: noted once */
    bool is_counted;                 /* the run: columns say its ranks and nodes */
    size_t line;
    char row_of[96]; /* of CSV: the columns that say which run the last row is of */
    struct hs_nccl_reader info;
};

static int split_words(char *words[WORDS_MAX], char *line, const char *separators)
{
    char *rest = NULL;
    int count = 0;

    for (char *word = strtok_r(line, separators, &rest); word;
         word = strtok_r(NULL, separators, &rest)) {
        if (count == WORDS_MAX)
            return 0;
        words[count++] = word;
    }
    return count;
}

static struct hs_log_run *last_run(struct text_reader *reader)
{
    struct hs_log *log = &reader->base->log;

    return log->run_count ? &log->runs[log->run_count - 1] : begin(reader->base);
}

static void begin_run(struct text_reader *reader)
{
    begin(reader->base);
    reader->columns.count = 0;
    reader->has_started = reader->has_failed = reader->has_no_heading = false;
    reader->is_counted = false;
}

/* "#  Rank  0 Group  0 Pid  653 on HOST device  0 [...] GPU" */
static void read_rank(struct text_reader *reader, const char *at)
{
    struct hs_log_run *run = last_run(reader);
    char host[HOST_BYTES];
    const char *on = strstr(at, " on "), *number = strstr(at, "Rank ") + strlen("Rank "), *gpu;
    int64_t rank;

    if (!run || !on || reader->is_counted || sscanf(on, " on %255s", host) != 1)
        return;
    if (strstr(on, "] AMD ") != NULL)
        run->of = HS_LOG_OF_RCCL;
    if (run->listed == 0 && (gpu = strstr(on, "] ")))
        snprintf(run->gpu, sizeof(run->gpu), "%.*s",
                 (int)fmin((double)strcspn(gpu + 2, "\r\n"), sizeof(run->gpu) - 1), gpu + 2);
    number += strspn(number, " ");
    rank = isdigit((unsigned char)*number) ? strtoll(number, NULL, 10) : -1;
    add_rank(reader->base, rank < INT32_MAX ? rank : -1, host);
}

/* "NCCL version 2.30.3+cuda13.0" */
static void read_version(struct text_reader *reader, const char *at)
{
    struct hs_log_run *run = last_run(reader);
    int version = 0;
    char *end;

    for (int part = 0; part < 3; part++) {
        long number = isdigit((unsigned char)*at) ? strtol(at, &end, 10) : -1;

        if (number < 0 || number > 99 || (part < 2 && *end != '.'))
            return;
        version = version * 100 + (int)number;
        at = end + 1;
    }
    if (run && run->nccl_version == 0 && version >= 20000)
        run->nccl_version = version;
}

/* Of an allgather and an all-to-all OSU's sizes are those of one rank. */
static bool is_per_rank(const struct hs_log_run *run)
{
    return run->call_known && run->call != HS_CALL_ALLREDUCE && run->call != HS_CALL_REDUCE_SCATTER;
}

/* "# OSU MPI-CUDA Allreduce Latency Test v7.5" */
static void begin_osu(struct text_reader *reader, const char *at)
{
    struct hs_log_run *run;

    begin_run(reader);
    run = last_run(reader);
    if (!run)
        return;
    run->of = strncmp(at, "NCCL", 4) == 0   ? HS_LOG_OF_NCCL
              : strncmp(at, "RCCL", 4) == 0 ? HS_LOG_OF_RCCL
                                            : HS_LOG_OF_MPI;
    name_call(reader->base, at + strcspn(at, " "), reader->line);
    run->per_rank = is_per_rank(run);
}

/* Intel's MPI benchmarks: "# Benchmarking Allreduce", "# #processes = 16", and where the program
 * has more, "# ( 16 additional processes waiting in MPI_Barrier)": on which nodes those 16 are is
 * not said. Sizes are those of OSU. */
static bool read_imb(struct text_reader *reader, const char *line)
{
    static const char begins[] = "# Benchmarking ", ranks[] = "# #processes = ";
    const char *at = strstr(line, begins);
    struct hs_log_run *run;

    if (at) {
        begin_run(reader);
        run = last_run(reader);
        if (!run)
            return true;
        run->of = HS_LOG_OF_MPI;
        name_call(reader->base, at + strlen(begins), reader->line);
        run->per_rank = is_per_rank(run);
        return true;
    }
    at = strstr(line, ranks);
    run = at ? last_run(reader) : NULL;
    if (run)
        run->ranks = strtol(at + strlen(ranks), NULL, 10);
    if (run && run->nodes > run->ranks)
        run->nodes = 0;
    if (run && (run->ranks < 2 || run->ranks > INT32_MAX)) {
        run->ranks = 0;
        reader->base->other_call = true;
        note(reader->base, reader->line, "left out: a run of one process");
    }
    if (strstr(line, " waiting in MPI_Barrier)") && !reader->base->other_call) {
        reader->base->other_call = true;
        note(reader->base, reader->line, "left out: some of the processes wait, which is not said");
    }
    return run != NULL;
}

/* What the programs of NCCL and RCCL say of themselves, and NCCL of what it was told. */
static void read_library(struct text_reader *reader, const char *line)
{
    static const char forced[] = "NCCL_ALGO set by environment to ";
    struct hs_log_run *run = last_run(reader);
    const char *algorithms = strstr(line, forced);

    if (!run)
        return;
    if (algorithms)
        run->among = hs_nccl_algorithms(algorithms + strlen(forced));
    if (strstr(line, "rccl-tests") || strstr(line, "RCCL version"))
        run->of = HS_LOG_OF_RCCL;
    else if (run->of == HS_LOG_OF_UNSAID &&
             (strstr(line, "nccl-tests") || strstr(line, "# nThread ")))
        run->of = HS_LOG_OF_NCCL;
}

/* "host: Test NCCL failure common.cu:958 '...'": later rows are missing. */
static void read_failure(struct text_reader *reader, const char *line)
{
    if (reader->has_failed ||
        !(strstr(line, "Test NCCL failure") || strstr(line, "Test failure") ||
          strstr(line, "Test CUDA failure") || strstr(line, "Test HIP failure")))
        return;
    reader->has_failed = true;
    note(reader->base, reader->line, "the test failed here, what follows is missing");
}

/* Words that begin a run, and what they say of it. */
static bool read_remark(struct text_reader *reader, const char *line)
{
    const char *at;
    struct hs_log_run *run;
    long version;

    if (strstr(line, "ccl-tests version") != NULL) {
        begin_run(reader);
        run = last_run(reader);
        at = strstr(line, "nccl-library=");
        version = at ? strtol(at + strlen("nccl-library="), NULL, 10) : 0;
        if (run && version > 0 && version < VERSION_MAX)
            run->nccl_version = (int)version;
        read_library(reader, line);
        return true;
    }
    at = strstr(line, "Collective test starting: ");
    if (at) {
        if (has_points(&reader->base->log) || reader->has_started)
            begin_run(reader);
        reader->has_started = true;
        run = last_run(reader);
        if (run)
            name_call(reader->base, at + strlen("Collective test starting: "), reader->line);
        return true;
    }
    if (strstr(line, "# nThread ") != NULL &&
        (has_points(&reader->base->log) || (reader->base->other_call && !reader->has_started)))
        begin_run(reader);
    if (strstr(line, "CCL") || strstr(line, "ccl-tests") || strstr(line, "# nThread "))
        read_library(reader, line);
    read_failure(reader, line);
    at = strchr(line, '#');
    if (at && strncmp(at + 1 + strspn(at + 1, " "), "Rank ", 5) == 0)
        read_rank(reader, at);
    at = strstr(line, "NCCL version ");
    if (at)
        read_version(reader, at + strlen("NCCL version "));
    at = strstr(line, "# OSU ");
    if (at)
        begin_osu(reader, at + strlen("# OSU "));
    return at != NULL || read_imb(reader, line);
}

static const struct columns no_columns = {.bytes = -1,
                                          .time = {-1, -1},
                                          .wrong = {-1, -1},
                                          .redop = -1,
                                          .algbw = {-1, -1},
                                          .busbw = {-1, -1},
                                          .ranks = -1,
                                          .nodes = -1,
                                          .call = -1,
                                          .second = 1e-6};

/* The columns that say of a row of CSV which run it is of. */
static void find_run_columns(struct columns *columns, char *words[WORDS_MAX], int count)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(words[i], "np") == 0 || strcmp(words[i], "ranks") == 0)
            columns->ranks = i;
        if (strcmp(words[i], "nodes") == 0)
            columns->nodes = i;
        if (strcmp(words[i], "call") == 0 || strcmp(words[i], "collective") == 0)
            columns->call = i;
    }
}

/* A heading: its words, with '#' gone. True where it is one of a table with times. */
static bool read_heading(struct columns *columns, char *words[WORDS_MAX], int count, bool csv)
{
    *columns = no_columns;
    for (int i = 0; i < count; i++) {
        bool time = strcmp(words[i], "time") == 0 || strcmp(words[i], "time_us") == 0 ||
                    strcmp(words[i], "us") == 0 || strcmp(words[i], "seconds") == 0;
        int place = columns->time[0] < 0 ? 0 : 1;

        if (strcmp(words[i], "size") == 0 || strcmp(words[i], "bytes") == 0)
            columns->bytes = i;
        if (time && columns->time[place] < 0)
            columns->time[place] = i;
        if (strcmp(words[i], "seconds") == 0)
            columns->second = 1;
        if (strcmp(words[i], "bytes") == 0 && !csv) /* NCCL's own tests before nccl-tests 2.0 */
            columns->second = 1e-3;
        if (strcmp(words[i], "redop") == 0)
            columns->redop = i;
        if (strcmp(words[i], "algbw") == 0)
            columns->algbw[columns->time[1] < 0 ? 0 : 1] = i;
        if (strcmp(words[i], "busbw") == 0)
            columns->busbw[columns->time[1] < 0 ? 0 : 1] = i;
        if (strcmp(words[i], "wrong") == 0)
            columns->wrong[columns->time[1] < 0 ? 0 : 1] = i;
    }
    if (csv)
        find_run_columns(columns, words, count);
    columns->count = columns->bytes >= 0 && columns->time[0] >= 0 ? count : 0;
    return columns->count > 0 && (csv || count >= 6);
}

static bool read_count(uint64_t *value, const char *word)
{
    char *end;

    errno = 0;
    if (!isdigit((unsigned char)word[0]))
        return false;
    *value = strtoull(word, &end, 10);
    return *end == '\0' && errno == 0;
}

static bool read_positive(double *value, const char *word)
{
    char *end;

    *value = strtod(word, &end);
    return end != word && *end == '\0' && *value > 0 && isfinite(*value);
}

/* A rate of the table, and half of its last decimal: how far it may be off. */
static bool read_rate(double *value, double *half, const char *word)
{
    const char *point = strchr(word, '.');

    *half = 0.5 * pow(10, point ? -(double)strlen(point + 1) : 0);
    return read_positive(value, word) && *value > *half;
}

/* nccl-tests before 2.17 does not say which collective it runs. The bus bandwidth is more than the
 * algorithm's of an allreduce alone, 2 (n - 1) / n times; of the others that reduce there is the
 * reduce-scatter, (n - 1) / n; which of those that do not reduce it is stays open. */
static void guess_call(struct hs_log_run *run, double ratio, const char *redop)
{
    double part = run->ranks >= 2 ? 1 - 1 / (double)run->ranks : NAN;

    run->call_known = true;
    if (ratio > 1.1 || fabs(ratio / (2 * part) - 1) < 0.02)
        run->call = HS_CALL_ALLREDUCE;
    else if (strcmp(redop, "sum") == 0 && fabs(ratio / part - 1) < 0.02)
        run->call = HS_CALL_REDUCE_SCATTER;
    else
        run->call_known = false;
}

/* Which numbers of ranks the rates of a row allow. */
static void read_ratio(struct text_reader *reader, struct hs_log_run *run, char *const *words,
                       int place)
{
    const struct columns *columns = &reader->columns;
    double algbw, busbw, algbw_half, busbw_half, least, most, passes;

    if (reader->base->other_call || columns->busbw[place] < 0 || columns->algbw[place] < 0 ||
        !read_rate(&algbw, &algbw_half, words[columns->algbw[place]]) ||
        !read_rate(&busbw, &busbw_half, words[columns->busbw[place]]) || algbw < 1)
        return;
    if (!run->call_known)
        guess_call(run, busbw / algbw, columns->redop >= 0 ? words[columns->redop] : "");
    if (!run->call_known)
        return;
    passes = hs_library_call_passes[run->call];
    least = (busbw - busbw_half) / (algbw + algbw_half) / passes;
    most = (busbw + busbw_half) / (algbw - algbw_half) / passes;
    least = least < 1 ? 1 / (1 - least) : INFINITY;
    most = most < 1 ? 1 / (1 - most) : INFINITY;
    if (run->ratio.least == 0)
        run->ratio = (struct hs_log_ratio){1, INFINITY, reader->line};
    if (most - least < run->ratio.most - run->ratio.least)
        run->ratio.line = reader->line;
    run->ratio.least = fmax(run->ratio.least, least);
    run->ratio.most = fmin(run->ratio.most, most);
}

static int64_t count_in(char *const *words, int column)
{
    uint64_t count;

    return column >= 0 && read_count(&count, words[column]) && count <= INT32_MAX ? (int64_t)count
                                                                                  : 0;
}

/* A row of CSV that is of another run than the one before. False: it is left out. */
static bool change_run(struct text_reader *reader, char *const *words)
{
    const struct columns *columns = &reader->columns;
    const char *call = columns->call >= 0 ? words[columns->call] : "";
    int64_t ranks = count_in(words, columns->ranks), nodes = count_in(words, columns->nodes);
    char of[sizeof(reader->row_of)];
    struct hs_log_run *run;

    snprintf(of, sizeof(of), "%" PRId64 ",%" PRId64 ",%s", ranks, nodes, call);
    if (ranks > 0 && nodes > ranks) {
        note(reader->base, reader->line, "left out: more nodes than ranks");
        return false;
    }
    if (strcmp(of, reader->row_of) == 0)
        return true;
    memcpy(reader->row_of, of, sizeof(of));
    run = has_points(&reader->base->log) || reader->base->other_call ? begin(reader->base)
                                                                     : last_run(reader);
    if (!run)
        return false;
    reader->is_counted = true;
    run->ranks = ranks;
    run->nodes = nodes;
    if (call[0])
        name_call(reader->base, call, reader->line);
    return true;
}

/* A row of the table, if it has as many words as its heading; the first is the size. */
static void read_row(struct text_reader *reader, char *words[WORDS_MAX], int count)
{
    const struct columns *columns = &reader->columns;
    uint64_t bytes;

    if (columns->bytes >= count || !read_count(&bytes, words[columns->bytes]))
        return;
    if (count < columns->count) {
        note(reader->base, reader->line, "left out: the row is cut short");
        return;
    }
    if (reader->csv && !change_run(reader, words))
        return;
    for (int place = 0; place < 2 && bytes > 0; place++) {
        int at = columns->time[place], wrong = columns->wrong[place];
        double time;

        read_ratio(reader, last_run(reader), words, place);
        if (at < 0 || strcmp(words[at], "N/A") == 0)
            continue;
        if (!read_positive(&time, words[at]))
            time = NAN;
        add_time(reader->base, reader->line,
                 (struct hs_log_point){
                     .bytes = bytes, .seconds = time * columns->second, .in_place = place == 1},
                 columns->is_validated ? strcmp(words[count - 1], "Fail") == 0
                 : wrong < 0           ? 0
                                       : strtod(words[wrong], NULL));
    }
}

/* Behind what a launcher puts before each line: "[1,0]<stdout>:", "[default0]:", " 0: ", "host0: ",
 * and a log of containers "2026-01-31T12:00:00.5Z ". */
static char *behind_prefix(char *line)
{
    char *mark = strstr(line, ">:"), *colon = strstr(line, ": "), *touching;

    if (mark && mark - line < PREFIX_MAX && line[0] == '[')
        return mark + 2;
    if (strcspn(line, " ") >= 20 && line[4] == '-' && line[10] == 'T' && strchr(line, ' '))
        return strchr(line, ' ');
    line += strspn(line, " ");
    if (colon && colon - line < PREFIX_MAX && strcspn(line, " #") >= (size_t)(colon - line))
        return colon + 2;
    touching = line + strcspn(line, " #");
    if (*touching == '#' && touching > line && touching - line < PREFIX_MAX && touching[-1] == ':')
        return touching;
    return line;
}

/* OSU's heading: "# Size       Avg Latency(us)", and Min, Max and Iterations where asked for. */
static bool read_osu_heading(struct columns *columns, const char *line)
{
    const char *size = strstr(line, "# Size"), *latency = strstr(line, "Latency(us)");

    if (!size || !latency)
        return false;
    *columns = no_columns;
    columns->count = 2;
    columns->bytes = 0;
    columns->time[0] = 1;
    columns->is_validated = strstr(latency, "Validation") != NULL;
    return true;
}

/* Intel's: "#bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]", of which OSU's is the
 * last. */
static bool read_imb_heading(struct columns *columns, const char *line)
{
    if (!strstr(line, "#bytes #repetitions") || !strstr(line, " t_avg[usec]"))
        return false;
    *columns = no_columns;
    columns->count = 5;
    columns->bytes = 0;
    columns->time[0] = 4;
    return true;
}

/* A row of nccl-tests whose heading was cut off: size, count, type, ... */
static void miss_heading(struct text_reader *reader, char *const *words)
{
    uint64_t count;

    if (reader->has_no_heading || !read_count(&count, words[0]) || !read_count(&count, words[1]) ||
        !isalpha((unsigned char)words[2][0]))
        return;
    reader->has_no_heading = true;
    note(reader->base, reader->line,
         "left out: rows without the heading that says what their columns are");
}

static void read_table_line(struct text_reader *reader, char *line)
{
    char *words[WORDS_MAX];
    bool heading = strchr(line, '#') != NULL || (!reader->columns.count && strchr(line, ','));
    int count;

    if (heading &&
        (read_osu_heading(&reader->columns, line) || read_imb_heading(&reader->columns, line))) {
        reader->csv = false;
        return;
    }
    if (heading) {
        struct columns columns;
        bool csv = strchr(line, ',') != NULL && !strchr(line, '#');

        count = split_words(words, line, csv ? ", \t\r\n" : "# \t\r\n");
        if (read_heading(&columns, words, count, csv)) {
            if (!last_run(reader))
                return;
            reader->columns = columns;
            reader->csv = csv;
            reader->row_of[0] = '\0';
        }
        return;
    }
    count = split_words(words, line, reader->csv ? ", \t\r\n" : " \t\r\n");
    if (reader->columns.count > 0 && count > 0)
        read_row(reader, words, count);
    else if (count >= ROW_WORDS)
        miss_heading(reader, words);
}

static void read_line(struct text_reader *reader, const char *at, size_t length)
{
    char line[LINE_BYTES];

    reader->line++;
    if (reader->columns.count > 0 && memchr(at, '\0', length))
        note(reader->base, reader->line, "left out: there is a NUL in it");
    if (length >= sizeof(line) || memchr(at, '\0', length))
        return;
    memcpy(line, at, length);
    line[length] = '\0';
    if (!read_remark(reader, line))
        read_table_line(reader, behind_prefix(line));
}

static enum hs_status parse_text(struct reader *base, const char *text, size_t length)
{
    struct text_reader reader = {.base = base, .info = {.info = &base->log.info, .err = base->err}};

    for (size_t at = 0, next; at < length && base->status == HS_OK; at = next + 1) {
        const char *end = memchr(text + at, '\n', length - at);

        next = end ? (size_t)(end - text) : length;
        hs_nccl_reader_line(&reader.info, text + at, next - at, end != NULL);
        read_line(&reader, text + at, next - at);
        if (reader.info.status != HS_OK)
            base->status = reader.info.status;
    }
    hs_nccl_reader_release(&reader.info);
    return base->status;
}

/* ---- all kinds ------------------------------------------------------------------------------- */

/* What NCCL says of the one run, where that does not say it. */
static void take_info(struct hs_log *log)
{
    const struct hs_nccl_job *job = &log->info.job;
    struct hs_log_run *run = log->runs;

    if (log->run_count != 1)
        return;
    if (run->ranks == 0 && run->nodes <= job->ranks)
        run->ranks = job->ranks;
    if (run->nodes == 0 && run->ranks == job->ranks)
        run->nodes = hs_nccl_info_hosts(&log->info);
    if (run->nccl_version == 0 && !log->info.library.rccl)
        run->nccl_version = log->info.library.version;
}

static enum hs_status parse(struct reader *reader, const char *text, size_t length)
{
    size_t blank = 0;
    enum hs_status status;

    while (blank < length && isspace((unsigned char)text[blank]))
        blank++;
    if (blank < length ? text[blank] == '{' : reader->result != NULL)
        status = parse_json(reader, text, length);
    else
        status = parse_text(reader, text, length);
    drop_last_empty(&reader->log);
    take_info(&reader->log);
    if (status == HS_OK && reader->log.notes.failed)
        return hs_no_memory(reader->err);
    if (status != HS_OK || reader->is_result || reader->log.point_count > 0 ||
        (reader->takes_any && (reader->log.other_count > 0 || reader->log.info.messages.count > 0)))
        return status;
    if (reader->log.notes.length > 0)
        return hs_fail(reader->err, HS_INVALID, "%.*s, and no other time is in it",
                       (int)strcspn(reader->log.notes.data, "\n"), reader->log.notes.data);
    if (reader->log.info.messages.count > 0)
        return hs_fail(reader->err, HS_INVALID,
                       "%s: expected times, found what NCCL prints of itself alone", reader->name);
    return hs_fail(reader->err, HS_INVALID,
                   "%s: expected the output of nccl-tests, of OSU's or Intel's MPI benchmarks, or "
                   "CSV with the columns bytes and seconds, found no time in it",
                   reader->name);
}

static enum hs_status parse_by(struct hs_log *log, struct reader reader, const char *text,
                               size_t length)
{
    enum hs_status status;

    if (reader.result)
        *reader.result = (struct hs_result){0};
    status = parse(&reader, text, length);
    free(reader.hosts);
    *log = reader.log;
    if (status != HS_OK)
        hs_log_release(log);
    return status;
}

enum hs_status hs_log_parse(struct hs_log *log, struct hs_result *result, const char *name,
                            const char *text, size_t length, struct hs_error *err)
{
    return parse_by(log, (struct reader){.name = name, .result = result, .err = err}, text, length);
}

enum hs_status hs_log_parse_any(struct hs_log *log, struct hs_result *result, const char *name,
                                const char *text, size_t length, struct hs_error *err)
{
    return parse_by(log,
                    (struct reader){.name = name, .result = result, .takes_any = true, .err = err},
                    text, length);
}

static enum hs_status load_as(struct hs_log *log, struct hs_result *result, bool takes_any,
                              struct hs_gpu_probe *probe, const char *path, struct hs_error *err)
{
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    char *text;
    size_t length;
    enum hs_status status = hs_file_read(&text, &length, path, HS_JSON_BYTES_MAX, err);

    *log = (struct hs_log){0};
    if (result)
        *result = (struct hs_result){0};
    if (status != HS_OK)
        return status;
    if (!hs_utf8_from_utf16(&text, &length))
        status = hs_no_memory(err);
    else if (probe && hs_gpu_probe_is(text))
        status = hs_gpu_probe_parse(probe, name, text, length, err);
    else
        status = takes_any ? hs_log_parse_any(log, result, name, text, length, err)
                           : hs_log_parse(log, result, name, text, length, err);
    free(text);
    return status;
}

enum hs_status hs_log_load(struct hs_log *log, struct hs_result *result, struct hs_gpu_probe *probe,
                           const char *path, struct hs_error *err)
{
    return load_as(log, result, false, probe, path, err);
}

enum hs_status hs_log_load_any(struct hs_log *log, struct hs_result *result,
                               struct hs_gpu_probe *probe, const char *path, struct hs_error *err)
{
    return load_as(log, result, true, probe, path, err);
}

void hs_log_release(struct hs_log *log)
{
    free(log->others);
    free(log->runs);
    free(log->points);
    hs_text_release(&log->notes);
    hs_nccl_info_release(&log->info);
    *log = (struct hs_log){0};
}
