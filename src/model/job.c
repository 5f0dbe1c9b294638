#include "model/job.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"

#define WORD     64 /* bytes of a part of a message, its end included */
#define SENDRECV "sendrecv"

/* One message of a text, and where in it the next part begins. */
struct reader {
    struct hs_job *job;
    const char *at, *end;
};

static const char blanks[] = " \t\r\n";

/* The next part, up to `stop` or the end, without blanks around it. */
static enum hs_status next_part(char word[WORD], struct reader *reader, char stop,
                                const char *expected, struct hs_error *err)
{
    size_t all = (size_t)(reader->end - reader->at), length = all;
    const char *found = memchr(reader->at, stop, all), *part = reader->at;

    if (found)
        length = (size_t)(found - reader->at);
    reader->at += found ? length + 1 : length;
    for (; length > 0 && strchr(blanks, part[0]); length--)
        part++;
    while (length > 0 && strchr(blanks, part[length - 1]))
        length--;
    if (length == 0 || length >= WORD)
        return hs_fail(err, HS_INVALID, "expected %s, found %s%.*s%s", expected,
                       length ? "\"" : "none", length > 40 ? 40 : (int)length, part,
                       length ? "\"" : "");
    memcpy(word, part, length);
    word[length] = '\0';
    return HS_OK;
}

/* "tp+dp" */
static enum hs_status parse_axes(unsigned *over, const struct hs_job *job, char *word,
                                 struct hs_error *err)
{
    struct hs_mesh mesh = job->mesh;
    enum hs_status status;

    for (char *plus = word; (plus = strchr(plus, '+'));)
        *plus = ',';
    status = hs_mesh_parse_over(&mesh, word, err);
    *over = mesh.over;
    return status;
}

/* "1GiB", "1GiB*160" */
static enum hs_status parse_size(struct hs_job_message *message, char *word, struct hs_error *err)
{
    char *times = strchr(word, '*');
    enum hs_status status = HS_OK;
    uint64_t bytes = 0;

    message->calls = 1;
    if (times) {
        *times = '\0';
        status =
            hs_count_parse(&message->calls, times + 1, "number of calls", 1, HS_JOB_CALLS_MAX, err);
    }
    if (status == HS_OK)
        status = hs_bytes_parse(&bytes, word, err);
    message->bytes = (double)bytes;
    return status;
}

/* COLLECTIVE[:ORDER]: */
static enum hs_status parse_collective(struct hs_job_message *message, struct reader *reader,
                                       struct hs_error *err)
{
    char word[WORD];
    size_t order;
    enum hs_status status = next_part(word, reader, ':', "a collective", err);

    message->sends = status == HS_OK && strcmp(word, SENDRECV) == 0;
    if (message->sends) {
        message->collective = HS_COLLECTIVE_ALLGATHER;
        return message->over & (message->over - 1)
                   ? hs_fail(err, HS_INVALID, "expected one axis for " SENDRECV ", found several")
                   : HS_OK;
    }
    if (status == HS_OK)
        status = hs_collective_parse(&message->collective, word, err);
    if (status != HS_OK || !memchr(reader->at, ':', (size_t)(reader->end - reader->at)))
        return status;
    status = next_part(word, reader, ':', "an order", err);
    if (status == HS_OK)
        status = hs_name_find(&order, word, "layout", hs_layout_names, HS_LAYOUT_COUNT, err);
    if (status != HS_OK)
        return status;
    if (!hs_collectives[message->collective].ordered)
        return hs_fail(err, HS_INVALID, "%s has no choice of layout",
                       hs_collectives[message->collective].written);
    message->layout = (enum hs_layout)order;
    return HS_OK;
}

static enum hs_status parse_message(struct reader *reader, struct hs_error *err)
{
    struct hs_job *job = reader->job;
    struct hs_job_message *message = &job->messages[job->count];
    char word[WORD];
    enum hs_status status;

    if (job->count == HS_JOB_MESSAGES_MAX)
        return hs_fail(err, HS_INVALID, "expected at most %d messages", HS_JOB_MESSAGES_MAX);
    *message = (struct hs_job_message){.layout = HS_NATURAL};
    status = next_part(word, reader, ':', "AXES:COLLECTIVE:SIZE*CALLS", err);
    if (status == HS_OK)
        status = parse_axes(&message->over, job, word, err);
    if (status == HS_OK)
        status = parse_collective(message, reader, err);
    if (status == HS_OK)
        status = next_part(word, reader, '\n', "a size, such as 64MiB or 64MiB*160", err);
    if (status == HS_OK)
        status = parse_size(message, word, err);
    job->count += status == HS_OK;
    return status;
}

enum hs_status hs_job_parse(struct hs_job *job, const char *text, struct hs_error *err)
{
    enum hs_status status = HS_OK;
    size_t before = job->count;

    while (*text && status == HS_OK) {
        struct reader reader = {.job = job, .at = text};
        size_t length = strcspn(text, ",#\n");

        reader.end = text + length;
        text += length;
        if (*text == '#')
            text += strcspn(text, "\n");
        text += *text != '\0';
        if (strspn(reader.at, blanks) < length)
            status = parse_message(&reader, err);
    }
    if (status != HS_OK) {
        char place[32];

        snprintf(place, sizeof(place), "message %zu", job->count + 1);
        return hs_error_prefix(err, status, place);
    }
    if (job->count == before)
        return hs_fail(err, HS_INVALID,
                       "expected messages such as \"tp:allreduce:64MiB*160\", found none");
    return HS_OK;
}

enum hs_status hs_job_problem(struct hs_problem *problem, const struct hs_job *job, size_t message,
                              const int *order, struct hs_error *err)
{
    const struct hs_job_message *asked = &job->messages[message];
    struct hs_mesh mesh = {.count = job->mesh.count};
    int64_t ranks = hs_mesh_ranks(&job->mesh);

    for (int i = 0; i < mesh.count; i++) {
        mesh.axes[i] = job->mesh.axes[order[i]];
        mesh.over |= (asked->over >> order[i] & 1) << i;
    }
    if (hs_mesh_check_over(&mesh, err))
        return HS_INVALID;
    *problem = hs_problem_of(asked->collective, asked->layout, ranks, asked->bytes);
    problem->group = hs_mesh_group(&mesh, ranks);
    if (asked->sends)
        problem->bytes *= (double)problem->group.size;
    return HS_OK;
}

const char *hs_job_message_name(const struct hs_job_message *message)
{
    return message->sends ? SENDRECV : hs_collective_names[message->collective];
}

double hs_job_message_steps(const struct hs_job_message *message, const struct hs_problem *problem)
{
    return message->sends && problem->group.size > 1 ? (double)(problem->group.size - 1) : 1;
}
