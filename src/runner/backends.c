/* backends.c - the table of backends, and the choice from it. */
#include "runner/backends.h"

#include <stdio.h>
#include <string.h>

#include "runner/null.h"

const struct hs_backend *const hs_backends[] = {
#define HS_ROW(identifier, name) &hs_backend_##identifier,
    HS_BACKENDS(HS_ROW)
#undef HS_ROW
        NULL,
};

/* Works on all ranks? */
static enum hs_status check_available(const struct hs_backend *backend, struct hs_ranks *ranks,
                                      struct hs_error *err)
{
    char why[256] = "";
    enum hs_status status = HS_OK;

    if (backend->available && !backend->available(why, sizeof(why)))
        status =
            hs_fail(err, HS_INVALID, "--backend %s: it cannot work here: %s", backend->name, why);
    return hs_ranks_agree(ranks, status, err);
}

/* And for these ranks together? */
static enum hs_status check_suits(const struct hs_backend *backend, char *note,
                                  struct hs_ranks *ranks, struct hs_error *err)
{
    struct hs_error why;
    enum hs_status status =
        backend->suits ? backend->suits(ranks->comm, &ranks->idle, &why) : HS_OK;

    if (status == HS_OK)
        return HS_OK;
    if (note[0] == '\0')
        snprintf(note, HS_BACKEND_NOTE, "not backend %s: %.600s", backend->name, why.message);
    return hs_fail(err, status, "--backend %s: %s", backend->name, why.message);
}

enum hs_status hs_backend_choose(const struct hs_backend **out, char *note, const char *name,
                                 struct hs_ranks *ranks, struct hs_error *err)
{
    bool any = strcmp(name, HS_BACKEND_AUTO) == 0;
    enum hs_status status = HS_INVALID;

    note[0] = '\0';
    for (size_t i = 0; hs_backends[i]; i++) {
        const struct hs_backend *backend = hs_backends[i];

        if (any ? backend == &hs_backend_null : strcmp(backend->name, name) != 0)
            continue;
        status = check_available(backend, ranks, err);
        if (status == HS_OK)
            status = check_suits(backend, note, ranks, err);
        if (status == HS_OK) {
            *out = backend;
            return HS_OK;
        }
        if (!any)
            return status;
    }
    if (any)
        return status;
    return hs_fail(err, HS_INVALID, "--backend: there is no \"%.60s\"", name);
}
