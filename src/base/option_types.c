/* How the text of an option becomes a value: one const struct per type. */
#include <inttypes.h>
#include <string.h>

#include "base/options.h"

static enum hs_status parse_flag(void *field, const struct hs_option *option, const char *text,
                                 struct hs_error *err)
{
    (void)option;
    (void)text;
    (void)err;
    *(bool *)field = true;
    return HS_OK;
}

static enum hs_status parse_text(void *field, const struct hs_option *option, const char *text,
                                 struct hs_error *err)
{
    if (text[0] == '\0')
        return hs_fail(err, HS_INVALID, "expected %s, found nothing", option->argument);
    *(const char **)field = text;
    return HS_OK;
}

static enum hs_status parse_word(void *field, const struct hs_option *option, const char *text,
                                 struct hs_error *err)
{
    const char *const *words = option->words();
    const char *nearest;
    size_t count = 0;
    struct hs_text list = {0};

    for (; words[count]; count++) {
        if (strcmp(words[count], text) == 0) {
            *(const char **)field = words[count];
            hs_text_release(&list);
            return HS_OK;
        }
        hs_text_append(&list, "%s%s", count ? ", " : "", words[count]);
    }
    nearest = hs_nearest_name(text, words, count);
    if (nearest)
        hs_error_set(err, HS_INVALID, "unknown \"%.60s\", did you mean \"%s\"?", text, nearest);
    else
        hs_error_set(err, HS_INVALID, "unknown \"%.60s\", expected one of %s", text,
                     list.data ? list.data : "");
    hs_text_release(&list);
    return HS_INVALID;
}

static enum hs_status parse_count(void *field, const struct hs_option *option, const char *text,
                                  struct hs_error *err)
{
    return hs_count_parse(field, text, option->noun, option->min, option->max, err);
}

/* Inserts into the ascending list. */
static enum hs_status insert_count(struct hs_count_list *list, int value, struct hs_error *err)
{
    size_t place = 0;

    while (place < list->count && list->values[place] < value)
        place++;
    if (place < list->count && list->values[place] == value)
        return hs_fail(err, HS_INVALID, "%d is in the list twice", value);
    if (list->count == HS_COUNT_LIST_MAX)
        return hs_fail(err, HS_INVALID, "more than %d numbers", HS_COUNT_LIST_MAX);
    memmove(list->values + place + 1, list->values + place,
            (list->count - place) * sizeof(list->values[0]));
    list->values[place] = value;
    list->count++;
    return HS_OK;
}

/* "4", or "4-7", which is 4, 5, 6 and 7. */
static enum hs_status insert_item(struct hs_count_list *list, const struct hs_option *option,
                                  char *item, struct hs_error *err)
{
    char *dash = item[0] ? strchr(item + 1, '-') : NULL;
    int64_t first, last;
    enum hs_status status;

    if (dash && dash[1] == '\0')
        dash = NULL;
    if (dash)
        *dash = '\0';
    status = hs_count_parse(&first, item, option->noun, option->min, option->max, err);
    last = first;
    if (status == HS_OK && dash)
        status = hs_count_parse(&last, dash + 1, option->noun, option->min, option->max, err);
    if (status == HS_OK && last < first)
        status = hs_fail(err, HS_INVALID,
                         "expected a range from the lower number to the higher one, found "
                         "\"%" PRId64 "-%" PRId64 "\"",
                         first, last);
    for (int64_t value = first; value <= last && status == HS_OK; value++)
        status = insert_count(list, (int)value, err);
    return status;
}

static enum hs_status parse_count_list(void *field, const struct hs_option *option,
                                       const char *text, struct hs_error *err)
{
    struct hs_count_list list = {.count = 0};

    for (const char *at = text, *comma = text; comma; at = comma ? comma + 1 : at) {
        char item[64];
        size_t length;
        enum hs_status status;

        comma = strchr(at, ',');
        length = comma ? (size_t)(comma - at) : strlen(at);
        if (length >= sizeof(item))
            return hs_fail(err, HS_INVALID, "expected numbers with commas between, found \"%.60s\"",
                           text);
        memcpy(item, at, length);
        item[length] = '\0';
        status = insert_item(&list, option, item, err);
        if (status != HS_OK)
            return status;
    }
    *(struct hs_count_list *)field = list;
    return HS_OK;
}

static enum hs_status parse_np_range(void *field, const struct hs_option *option, const char *text,
                                     struct hs_error *err)
{
    (void)option;
    return hs_np_range_parse(field, text, err);
}

static enum hs_status parse_bytes_range(void *field, const struct hs_option *option,
                                        const char *text, struct hs_error *err)
{
    (void)option;
    return hs_bytes_range_parse(field, text, err);
}

const struct hs_option_type hs_option_flag = {.is_flag = true, .parse = parse_flag};
const struct hs_option_type hs_option_text = {.parse = parse_text};
const struct hs_option_type hs_option_file = {.files = true, .parse = parse_text};
const struct hs_option_type hs_option_word = {.one_of_words = true, .parse = parse_word};
const struct hs_option_type hs_option_count = {.parse = parse_count};
const struct hs_option_type hs_option_count_list = {.parse = parse_count_list};
const struct hs_option_type hs_option_np_range = {.parse = parse_np_range};
const struct hs_option_type hs_option_bytes_range = {.parse = parse_bytes_range};
