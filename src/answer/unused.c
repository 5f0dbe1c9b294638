/* Why a file could not be compared: the nearest miss is the most useful thing to say. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "answer/cases.h"
#include "base/units.h"

/* How near two files come to each other; larger is nearer. */
enum nearness { OTHER_COUNT, OTHER_SIZES, OTHER_MACHINE };

static bool share_size(const struct hs_result *a, const struct hs_result *b)
{
    for (size_t i = 0; i < a->message_count; i++)
        for (size_t k = 0; k < b->message_count; k++)
            if (a->messages[i].message_bytes == b->messages[k].message_bytes)
                return true;
    return false;
}

static enum nearness compare_files(const struct hs_result *a, const struct hs_result *b)
{
    if (a->np != b->np)
        return OTHER_COUNT;
    return share_size(a, b) ? OTHER_MACHINE : OTHER_SIZES;
}

/* The nearest input that has measurements where `input` has none, or the other way round. */
static const struct hs_named_result *find_nearest(const struct hs_compare_job *job,
                                                  const struct hs_named_result *input,
                                                  bool wants_measured)
{
    const struct hs_named_result *nearest = NULL;

    for (size_t i = 0; i < job->input_count; i++) {
        const struct hs_named_result *other = &job->inputs[i];

        if (other == input || hs_compare_has_measured(other, 0) != wants_measured)
            continue;
        if (!nearest || compare_files(input->result, other->result) >
                            compare_files(input->result, nearest->result))
            nearest = other;
    }
    return nearest;
}

/* "1MiB, 64MiB": those that were measured, or (nothing is) all. */
static void append_sizes(struct hs_text *out, const struct hs_named_result *input)
{
    bool measured = hs_compare_has_measured(input, 0);
    const char *separator = "";
    char size[HS_UNIT_TEXT];

    for (size_t i = 0; i < input->result->message_count; i++) {
        uint64_t bytes = input->result->messages[i].message_bytes;

        if (measured && !hs_compare_has_measured(input, bytes))
            continue;
        hs_text_append(out, "%s%s", separator, hs_bytes_format(size, bytes));
        separator = ", ";
    }
}

static void say_difference(struct hs_text *out, const struct hs_named_result *input,
                           const struct hs_named_result *other)
{
    const struct hs_result *a = input->result, *b = other->result;

    switch (compare_files(a, b)) {
    case OTHER_COUNT:
        hs_text_append(out, "is of %" PRId64 " processes, %s of %" PRId64, a->np, other->name,
                       b->np);
        return;
    case OTHER_SIZES:
        hs_text_append(out, "is of messages of ");
        append_sizes(out, input);
        hs_text_append(out, ", %s of ", other->name);
        append_sizes(out, other);
        return;
    case OTHER_MACHINE:
        if (hs_compare_same_system(hs_compare_system_of(a), hs_compare_system_of(b)))
            hs_text_append(out, "has no prediction of what %s measured", other->name);
        else
            hs_text_append(out,
                           "predicts for another machine than the one in %s; --predict compares "
                           "with that",
                           other->name);
        return;
    }
}

static void say(struct hs_text *out, const struct hs_compare_job *job,
                const struct hs_named_result *input)
{
    bool measured = hs_compare_has_measured(input, 0);
    const struct hs_named_result *other = find_nearest(job, input, !measured);
    char size[HS_UNIT_TEXT];

    if (job->message_bytes && measured && !hs_compare_has_measured(input, job->message_bytes)) {
        hs_text_append(out, "has no measurement of %s, but ",
                       hs_bytes_format(size, job->message_bytes));
        append_sizes(out, input);
    } else if (!measured && (job->system || !other)) {
        hs_text_append(out, "has no measured candidate");
    } else if (other) {
        say_difference(out, input, other);
    } else {
        hs_text_append(out, "has neither predictions nor a machine that could make them; give "
                            "--predict SYSTEM, or a file of `hiersearch predict`");
    }
}

void hs_compare_say_why(char *why, size_t bytes, const struct hs_compare_job *job,
                        const struct hs_named_result *input)
{
    struct hs_text text = {0};

    say(&text, job, input);
    snprintf(why, bytes, "%s", text.data ? text.data : "cannot be compared");
    hs_text_release(&text);
}
