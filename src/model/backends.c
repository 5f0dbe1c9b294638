#include "model/backends.h"

#include <stddef.h>
#include <string.h>

bool hs_backend_is_nccl(const char *name)
{
    return strncmp(name, "nccl", strlen("nccl")) == 0;
}

const char *const hs_backend_names[] = {
    HS_BACKEND_AUTO,
#define HS_ROW(identifier, name) name,
    HS_BACKENDS(HS_ROW)
#undef HS_ROW
        NULL,
};

const char *const hs_buffers_names[HS_BUFFERS_COUNT + 1] = {
    [HS_BUFFERS_AUTO] = "auto", [HS_BUFFERS_HOST] = "host", [HS_BUFFERS_DEVICE] = "device"};
