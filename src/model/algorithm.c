#include "model/algorithm.h"

#include <string.h>

#include "base/text.h"

const char *const hs_algorithm_clauses[HS_ALGORITHM_COUNT] = {
#define HS_ROW(name, text, letter, meaning) HS_##name == HS_RING ? "" : " by " text,
    HS_ALGORITHMS(HS_ROW)
#undef HS_ROW
};

const struct hs_algorithm_row *const hs_algorithms[HS_ALGORITHM_COUNT] = {
#define HS_ROW(name, text, letter, meaning) &hs_algorithm_##name,
    HS_ALGORITHMS(HS_ROW)
#undef HS_ROW
};

bool hs_algorithms_uneven(unsigned algorithms)
{
    for (int a = 0; a < HS_ALGORITHM_COUNT; a++)
        if ((algorithms >> a & 1) && hs_algorithms[a]->uneven)
            return true;
    return false;
}

unsigned hs_algorithms_distinct(unsigned algorithms, int64_t size)
{
    return size == 2 ? algorithms & ~(1U << HS_HALVING | 1U << HS_DIRECT) : algorithms;
}

bool hs_algorithm_find(enum hs_algorithm *out, char letter)
{
    for (int a = 0; a < HS_ALGORITHM_COUNT; a++)
        if (hs_algorithm_letters[a] == letter) {
            *out = (enum hs_algorithm)a;
            return true;
        }
    return false;
}

enum hs_status hs_algorithms_parse(unsigned *algorithms, const char *text, struct hs_error *err)
{
    unsigned found = 1U << HS_RING;
    bool all = strcmp(text, "all") == 0;

    for (const char *at = text; at && !all;) {
        const char *comma = strchr(at, ',');
        size_t length = comma ? (size_t)(comma - at) : strlen(at), index;
        char name[32] = "";
        enum hs_status status;

        memcpy(name, at, length < sizeof(name) ? length : sizeof(name) - 1);
        status =
            hs_name_find(&index, name, "algorithm", hs_algorithm_names, HS_ALGORITHM_COUNT, err);
        if (status)
            return status;
        found |= 1U << index;
        at = comma ? comma + 1 : NULL;
    }
    *algorithms = all ? HS_ALGORITHMS_ALL : found;
    return HS_OK;
}
