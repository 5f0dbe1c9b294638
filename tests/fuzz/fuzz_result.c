/*
 * Any text is either refused with one line, or it is a result, or a system, whose print can be read
 * and printed again without a change, and so can that of a copy once the original is gone.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "estimate/system_file.h"
#include "record/result.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static struct hs_text print(const struct hs_fields *fields, const void *object, bool compact)
{
    struct hs_error err = {HS_OK, ""};
    struct hs_text out = {0};

    require(hs_fields_print(&out, fields, object, compact, &err) == HS_OK);
    return out;
}

static void require_same(struct hs_text *a, struct hs_text *b)
{
    require(a->length == b->length && memcmp(a->data, b->data, a->length) == 0);
    hs_text_release(b);
}

/* `object` is released, `again` and `copy` are only room for others of its kind. */
static void check_round_trip(const struct hs_fields *fields, void *object, void *again, void *copy)
{
    struct hs_error err = {HS_OK, ""};
    struct hs_text first = print(fields, object, false), other, line;

    require(hs_fields_parse(fields, again, "again", first.data, first.length, &err) == HS_OK);
    require(hs_fields_equal(fields, object, again));
    hs_fields_release(fields, object);
    other = print(fields, again, false);
    require_same(&first, &other);
    require(hs_fields_copy(fields, copy, again, &err) == HS_OK);
    require(hs_fields_equal(fields, again, copy));
    hs_fields_release(fields, again);
    other = print(fields, copy, false);
    require_same(&first, &other);
    line = print(fields, copy, true);
    hs_fields_release(fields, copy);
    require(hs_fields_parse(fields, again, "line", line.data, line.length, &err) == HS_OK);
    other = print(fields, again, false);
    require_same(&first, &other);
    hs_fields_release(fields, again);
    hs_text_release(&line);
    hs_text_release(&first);
}

static bool is_read(const struct hs_fields *fields, void *object, const uint8_t *data, size_t size)
{
    struct hs_error err = {HS_OK, ""};

    if (hs_fields_parse(fields, object, "fuzz", (const char *)data, size, &err) == HS_OK)
        return true;
    require(err.message[0] != '\0' && !strchr(err.message, '\n'));
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hs_result result, results[2];
    struct hs_system system, systems[2];

    if (is_read(&hs_result_fields, &result, data, size)) {
        for (size_t i = 0; i < result.message_count; i++)
            (void)hs_result_rank(&result.messages[i], NULL);
        check_round_trip(&hs_result_fields, &result, &results[0], &results[1]);
    }
    if (is_read(&hs_system_fields, &system, data, size))
        check_round_trip(&hs_system_fields, &system, &systems[0], &systems[1]);
    return 0;
}
