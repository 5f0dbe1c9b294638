/* executors.c - the table of executors.h. */
#include "engine/executors.h"

const struct hs_executor *const hs_executors[HS_ALGORITHM_COUNT] = {
#define HS_ROW(name, text, letter, meaning) &hs_executor_##name,
    HS_ALGORITHMS(HS_ROW)
#undef HS_ROW
};
