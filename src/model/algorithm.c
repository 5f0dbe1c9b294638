#include "model/algorithm.h"

const char *const hs_algorithm_names[HS_ALGORITHM_COUNT] = {
#define HS_ROW(name, text, letter, meaning) text,
    HS_ALGORITHMS(HS_ROW)
#undef HS_ROW
};

const char hs_algorithm_letters[HS_ALGORITHM_COUNT] = {
#define HS_ROW(name, text, letter, meaning) letter,
    HS_ALGORITHMS(HS_ROW)
#undef HS_ROW
};

const struct hs_algorithm_row *const hs_algorithms[HS_ALGORITHM_COUNT] = {
#define HS_ROW(name, text, letter, meaning) &hs_algorithm_##name,
    HS_ALGORITHMS(HS_ROW)
#undef HS_ROW
};

bool hs_algorithm_find(enum hs_algorithm *out, char letter)
{
    for (int a = 0; a < HS_ALGORITHM_COUNT; a++)
        if (hs_algorithm_letters[a] == letter) {
            *out = (enum hs_algorithm)a;
            return true;
        }
    return false;
}
