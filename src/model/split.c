#include "model/split.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

bool hs_size_read(int64_t *value, const char **text)
{
    const char *at = *text;
    int64_t sum = 0;

    if (*at < '0' || *at > '9')
        return false;
    for (; *at >= '0' && *at <= '9'; at++) {
        sum = sum * 10 + (*at - '0');
        if (sum > HS_NP_MAX)
            return false;
    }
    *value = sum;
    *text = at;
    return true;
}

static enum hs_status check_product(const struct hs_split *split, const char *text, int64_t np,
                                    struct hs_error *err)
{
    int64_t product = 1;

    for (int i = 0; i < split->count; i++) {
        if (split->sizes[i] < 2 && !(split->count == 1 && split->sizes[0] == 1))
            return hs_fail(err, HS_INVALID,
                           "split \"%s\": layer %d has size %" PRId64 ", expected 2 or more", text,
                           i + 1, split->sizes[i]);
        if (product > HS_NP_MAX / split->sizes[i])
            return hs_fail(err, HS_INVALID, "split \"%s\": the product is above %" PRId64, text,
                           HS_NP_MAX);
        product *= split->sizes[i];
    }
    if (np > 0 && product != np)
        return hs_fail(err, HS_INVALID,
                       "split \"%s\": expected a product of %" PRId64 ", found %" PRId64, text, np,
                       product);
    return HS_OK;
}

enum hs_status hs_split_parse(struct hs_split *split, const char *text, int64_t np,
                              struct hs_error *err)
{
    const char *at = text;

    memset(split, 0, sizeof(*split));
    for (;;) {
        if (split->count == HS_LAYERS_MAX)
            return hs_fail(err, HS_INVALID, "split \"%.200s\": more than %d layers", text,
                           HS_LAYERS_MAX);
        if (!hs_size_read(&split->sizes[split->count], &at))
            return hs_fail(err, HS_INVALID,
                           "split \"%.200s\": expected layer sizes such as 4x8x4, "
                           "found \"%.40s\"",
                           text, at);
        split->count++;
        if (*at == '\0')
            return check_product(split, text, np, err);
        if (*at != 'x')
            return hs_fail(err, HS_INVALID,
                           "split \"%.200s\": expected 'x' between layer sizes, "
                           "found \"%.40s\"",
                           text, at);
        at++;
    }
}

char *hs_split_format(char text[HS_SPLIT_TEXT], const struct hs_split *split)
{
    int length = 0;

    text[0] = '\0';
    for (int i = 0; i < split->count; i++) {
        length += snprintf(text + length, (size_t)(HS_SPLIT_TEXT - length), "%s%" PRId64,
                           i > 0 ? "x" : "", split->sizes[i]);
        assert(length < HS_SPLIT_TEXT);
    }
    return text;
}

bool hs_is_prime(int64_t number)
{
    for (int64_t divisor = 2; divisor <= number / divisor; divisor++)
        if (number % divisor == 0)
            return false;
    return number > 1;
}

struct hs_split hs_split_flat(int64_t np)
{
    struct hs_split split = {.count = 1, .sizes = {np}};

    return split;
}

int64_t hs_split_product(const struct hs_split *split)
{
    int64_t product = 1;

    for (int i = 0; i < split->count; i++)
        product *= split->sizes[i];
    return product;
}

struct hs_layer hs_split_layer(const struct hs_split *split, int i)
{
    struct hs_layer layer = {.stride = 1, .size = split->sizes[i]};

    for (int j = 0; j < i; j++)
        layer.stride *= split->sizes[j];
    return layer;
}

int hs_split_compare(const struct hs_split *a, const struct hs_split *b)
{
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    for (int i = 0; i < a->count; i++)
        if (a->sizes[i] != b->sizes[i])
            return a->sizes[i] < b->sizes[i] ? -1 : 1;
    return 0;
}
