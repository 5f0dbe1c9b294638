#include "system/library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

enum hs_library hs_library_mpi_rule(enum hs_library library)
{
    switch (library) {
    case HS_LIBRARY_MPICH:
    case HS_LIBRARY_CRAYMPICH:
    case HS_LIBRARY_INTELMPI:
        return HS_LIBRARY_MPICH;
    case HS_LIBRARY_OPENMPI:
    case HS_LIBRARY_OPENMPIHAN:
        return HS_LIBRARY_OPENMPI;
    case HS_LIBRARY_UNSAID:
    case HS_LIBRARY_NCCL:
    case HS_LIBRARY_RCCL:
    case HS_LIBRARY_COUNT:
        break;
    }
    return HS_LIBRARY_UNSAID;
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

const char *hs_nccl_version_format(char text[HS_NCCL_VERSION_TEXT], int version)
{
    snprintf(text, HS_NCCL_VERSION_TEXT, "%d.%d.%d", version / 10000 % 10, version / 100 % 100,
             version % 100);
    return text;
}

int hs_nccl_version_parse(const char *text)
{
    unsigned long parts[3] = {0};
    char again[HS_NCCL_VERSION_TEXT], *end;
    const char *at = text;

    if (strlen(text) >= HS_NCCL_VERSION_TEXT)
        return 0;
    for (int i = 0; i < 3; i++, at = end + (*end == '.'))
        parts[i] = strtoul(at, &end, 10) % 100;
    if (parts[0] < 2)
        return 0;
    hs_nccl_version_format(again, (int)HS_NCCL_VERSION(parts[0], parts[1], parts[2]));
    return strcmp(again, text) == 0 ? (int)HS_NCCL_VERSION(parts[0], parts[1], parts[2]) : 0;
}
