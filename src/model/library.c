#include "model/library.h"

const char *const hs_library_call_names[HS_LIBRARY_CALL_COUNT] = {
#define HS_ROW(name, text, passes) text,
    HS_LIBRARY_CALLS(HS_ROW)
#undef HS_ROW
};

const int hs_library_call_passes[HS_LIBRARY_CALL_COUNT] = {
#define HS_ROW(name, text, passes) passes,
    HS_LIBRARY_CALLS(HS_ROW)
#undef HS_ROW
};
