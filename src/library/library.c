#include "library/library.h"

const char *const hs_library_names[HS_LIBRARY_COUNT - 1] = {
#define HS_ROW(name, text, written) text,
    HS_LIBRARIES(HS_ROW)
#undef HS_ROW
};

const char *hs_library_written(enum hs_library library)
{
    static const char *const written[HS_LIBRARY_COUNT] = {"the library",
#define HS_ROW(name, text, as) as,
                                                          HS_LIBRARIES(HS_ROW)
#undef HS_ROW
    };

    return written[library];
}

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
