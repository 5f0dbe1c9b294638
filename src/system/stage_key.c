#include "system/stage_key.h"

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

const char *const hs_phase_names[HS_PHASE_COUNT] = {
#define HS_ROW(name, text, meaning) text,
    HS_PHASES(HS_ROW)
#undef HS_ROW
};

bool hs_layer_equal(struct hs_layer a, struct hs_layer b)
{
    return a.stride == b.stride && a.size == b.size;
}
