/* backends.c - the table of backends, in order of preference for `auto`. */
#include "runner/backend.h"

const struct hs_backend *const hs_backends[] = {
#ifdef HS_HAVE_NCCL
    &hs_backend_nccl,
#endif
    &hs_backend_host,       &hs_backend_mpi,
#ifdef HS_HAVE_NCCL
    &hs_backend_nccl_graph, /* asked for by name: the host always works before it */
#endif
    &hs_backend_null,       NULL,
};
