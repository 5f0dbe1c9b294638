/* nccl_abi.c - nccl_abi.h against nccl.h, or with -DRCCL against rccl.h, of any version: compiling
 * it is the test. What a version does not have yet is left out by its number. */
#ifdef RCCL
#include <rccl/rccl.h>
#else
#include <nccl.h>
#endif

#include "apply/nccl_abi.h"

#if NCCL_VERSION_CODE < 22700
#error "2.27 or newer"
#endif
#define DECLARED(name, parameters, ...) hs_nccl_result name parameters;
#if NCCL_VERSION_CODE < 22900
HS_NCCL_ONE_SIDED(DECLARED)
#endif
#if NCCL_VERSION_CODE < 22907
HS_NCCL_SUSPENDERS(DECLARED)
#endif
#if NCCL_VERSION_CODE < 23100
HS_NCCL_CONFIGURED(DECLARED)
#endif
#if NCCL_VERSION_CODE < 22900
ncclResult_t ncclCommGrow(ncclComm_t comm, int ranks, const ncclUniqueId *id, int rank,
                          ncclComm_t *made, ncclConfig_t *config);
ncclResult_t ncclCommRevoke(ncclComm_t comm, int flags);
#endif

/* RCCL's own; of versions of RCCL that have one not yet, any. A second declaration has to be the
 * same as the header's. */
#define DECLARED(name, parameters, ...) hs_nccl_result name parameters;
HS_NCCL_PASSED_RCCL(DECLARED)
HS_NCCL_VARYING(DECLARED)
#ifdef RCCL
HS_NCCL_PASSED(DECLARED)
HS_NCCL_MAKERS(DECLARED)
#endif

#define SAME(name, parameters)                                                                     \
    _Static_assert(__builtin_types_compatible_p(__typeof__(&name), hs_nccl_result(*) parameters),  \
                   #name);
#define CALL(name, parameters, arguments, id, of_each, operation)   SAME(name, parameters)
#define MAKER(name, parameters, arguments, made, number, of, tried) SAME(name, parameters)
#define OTHER(name, parameters, arguments, way)                     SAME(name, parameters)
HS_NCCL_CALLS(CALL)
HS_NCCL_MAKERS(MAKER)
HS_NCCL_ENDERS(OTHER)
HS_NCCL_GROUPS(OTHER)
HS_NCCL_WINDOWS(OTHER)
#define PASSED(name, parameters, arguments) SAME(name, parameters)
HS_NCCL_ONE_SIDED(PASSED)
HS_NCCL_SUSPENDERS(PASSED)
HS_NCCL_ASKED(SAME)
HS_NCCL_USED(SAME)

/* Numbers from 0, one after the other; bytes by the name. */
#define ROW(name, type, bytes) type_##name,
enum { HS_NCCL_TYPES(ROW) type_count };
#undef ROW
#define ROW(name, type, bytes) _Static_assert((int)name == (int)type_##name, #name);
HS_NCCL_TYPES(ROW)
#undef ROW
_Static_assert((int)type_count == (int)ncclNumTypes, "all types");
#define ROW(name, operation) operation_##name,
enum { HS_NCCL_OPERATIONS(ROW) operation_count };
#undef ROW
#define ROW(name, operation) _Static_assert((int)name == (int)operation_##name, #name);
HS_NCCL_OPERATIONS(ROW)
_Static_assert((int)operation_count == (int)ncclNumOps, "all operations");

/* What stands for these types without nccl.h. */
_Static_assert(sizeof(ncclResult_t) == sizeof(int) && sizeof(ncclDataType_t) == sizeof(int) &&
                   sizeof(ncclRedOp_t) == sizeof(int),
               "enums are as large as int");
_Static_assert(sizeof(ncclUniqueId) == 128 && _Alignof(ncclUniqueId) == 1, "an id");
_Static_assert((int)HS_NCCL_SUCCESS == (int)ncclSuccess &&
                   (int)HS_NCCL_CUDA_ERROR == (int)ncclUnhandledCudaError &&
                   (int)HS_NCCL_SUM == (int)ncclSum && (int)HS_NCCL_INT64 == (int)ncclInt64 &&
                   (int)HS_NCCL_INVALID_ARGUMENT == (int)ncclInvalidArgument &&
                   (int)HS_NCCL_INVALID_USAGE == (int)ncclInvalidUsage &&
                   (int)HS_NCCL_IN_PROGRESS == (int)ncclInProgress &&
                   (int)HS_NCCL_NO_COLOR == NCCL_SPLIT_NOCOLOR &&
                   (int)HS_NCCL_SHRINK_ABORT == NCCL_SHRINK_ABORT &&
                   (int)HS_NCCL_SCALAR_OF_HOST == (int)ncclScalarHostImmediate,
               "numbers");
_Static_assert(offsetof(struct hs_nccl_config_head, blocking) == offsetof(ncclConfig_t, blocking),
               "the begin of a configuration");
