/* nccl_api.c - see nccl_api.h. */
#include "engine/nccl_api.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where NCCL lay when this was built; the Makefile says. */
#ifndef HS_NCCL_BUILT_WITH
#define HS_NCCL_BUILT_WITH "libnccl.so.2"
#endif

/* dlsym gives a data pointer; ISO C has no cast from it to a function. */
static bool find(void *library, const char *name, void *function, size_t bytes)
{
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, bytes);
    return symbol != NULL;
}

static enum hs_status open_library(void **library, struct hs_error *err)
{
    const char *named = getenv("HIERSEARCH_NCCL");
    char first_reason[256];
    *library = dlopen(named != NULL ? named : "libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    if (*library != NULL)
        return HS_OK;
    snprintf(first_reason, sizeof first_reason, "%s", dlerror());
    if (named == NULL)
        *library = dlopen(HS_NCCL_BUILT_WITH, RTLD_NOW | RTLD_LOCAL);
    return *library != NULL ? HS_OK : hs_fail(err, HS_FAILED, "NCCL: %s", first_reason);
}

static enum hs_status load(struct hs_nccl_api *api, struct hs_error *err)
{
    const char *missing = NULL;
    enum hs_status status = open_library(&api->library, err);
    if (status != HS_OK)
        return status;
#define HS_ROW(name)                                                                               \
    if (!find(api->library, "nccl" #name, &api->name, sizeof api->name))                           \
        missing = "nccl" #name;
    HS_NCCL_OPTIONAL(HS_ROW)
    missing = NULL;
    HS_NCCL_NEEDED(HS_ROW)
#undef HS_ROW
    if (missing != NULL)
        return hs_fail(err, HS_FAILED, "NCCL: the library has no %s, 2.14 or newer is needed",
                       missing);
    return hs_nccl_status(api, api->GetVersion(&api->version), "ncclGetVersion", err);
}

enum hs_status hs_nccl_api_get(const struct hs_nccl_api **out, struct hs_error *err)
{
    static struct hs_nccl_api loaded;
    *out = &loaded;
    if (loaded.library != NULL)
        return HS_OK;
    struct hs_nccl_api api = {0};
    enum hs_status status = load(&api, err);
    if (status == HS_OK)
        loaded = api;
    else if (api.library != NULL)
        dlclose(api.library);
    return status;
}

bool hs_nccl_api_windows(const struct hs_nccl_api *api)
{
    return api->CommWindowRegister && api->CommWindowDeregister;
}

enum hs_status hs_nccl_status(const struct hs_nccl_api *api, ncclResult_t result, const char *call,
                              struct hs_error *err)
{
    if (hs_nccl_went_well(result))
        return HS_OK;
    const char *last = api->GetLastError(NULL);
    return hs_fail(err, HS_FAILED, "%s: %s%s%s", call, api->GetErrorString(result),
                   last != NULL && last[0] != '\0' ? ": " : "", last != NULL ? last : "");
}

enum hs_status hs_cuda_status(cudaError_t code, const char *call, struct hs_error *err)
{
    if (code == cudaSuccess)
        return HS_OK;
    return hs_fail(err, code == cudaErrorMemoryAllocation ? HS_MEMORY : HS_FAILED, "%s: %s", call,
                   cudaGetErrorString(code));
}
