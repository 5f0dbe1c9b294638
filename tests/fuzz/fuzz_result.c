/*
 * Any text is either refused with one line, or it is a result whose print can be read and printed
 * again without a change.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "result/result.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void print(struct hs_text *out, const struct hs_result *result)
{
    struct hs_error err = {HS_OK, ""};

    if (hs_result_print(out, result, &err))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hs_error err = {HS_OK, ""};
    struct hs_result result, again;
    struct hs_text first = {0}, second = {0};

    if (hs_result_parse(&result, "fuzz", (const char *)data, size, &err)) {
        if (err.message[0] == '\0' || strchr(err.message, '\n'))
            abort();
        return 0;
    }
    print(&first, &result);
    if (hs_result_parse(&again, "again", first.data, first.length, &err))
        abort();
    print(&second, &again);
    if (first.length != second.length || memcmp(first.data, second.data, first.length) != 0)
        abort();
    for (size_t i = 0; i < again.message_count; i++)
        (void)hs_result_rank(&again.messages[i], &err);
    hs_result_release(&result);
    hs_result_release(&again);
    hs_text_release(&first);
    hs_text_release(&second);
    return 0;
}
