/*
 * nccl_driver_abi.c - nccl_driver.h against cuda.h, or with -DRCCL against hip_runtime_api.h:
 * compiling it is the test.
 */
#ifdef RCCL
#include <rccl/rccl.h>
#else
#include <cuda.h>
#endif

#include "apply/nccl_driver.h"

#define SAME(name, parameters)                                                                     \
    _Static_assert(                                                                                \
        __builtin_types_compatible_p(__typeof__(&name), hs_driver_result(*) parameters), #name);
#define OF_CUDA(cuda, hip, field, parameters) SAME(cuda, parameters)
#define OF_HIP(cuda, hip, field, parameters)  SAME(hip, parameters)
#define OF_ONE(name, field, parameters)       SAME(name, parameters)
#ifdef RCCL
HS_NCCL_DRIVER(OF_HIP)
HS_NCCL_DRIVER_HIP(OF_ONE)
_Static_assert((int)HS_DRIVER_RELAXED == (int)hipStreamCaptureModeRelaxed &&
                   (int)HS_DRIVER_NO_TIME == hipEventDisableTiming &&
                   (int)HS_DRIVER_NON_BLOCKING == hipStreamNonBlocking &&
                   (int)HS_DRIVER_COPY_BY_POINTERS == (int)hipMemcpyDefault &&
                   (int)hipStreamCaptureStatusNone == 0 && (int)hipSuccess == 0 &&
                   hipHostMallocDefault == 0,
               "numbers");
#else
HS_NCCL_DRIVER(OF_CUDA)
HS_NCCL_DRIVER_CUDA(OF_ONE)
_Static_assert((int)HS_DRIVER_RELAXED == (int)CU_STREAM_CAPTURE_MODE_RELAXED &&
                   (int)HS_DRIVER_NO_TIME == (int)CU_EVENT_DISABLE_TIMING &&
                   (int)HS_DRIVER_NON_BLOCKING == (int)CU_STREAM_NON_BLOCKING &&
                   (int)HS_DRIVER_ANY_MEMORY == (int)CU_MEMORYTYPE_UNIFIED &&
                   (int)CU_STREAM_CAPTURE_STATUS_NONE == 0 && (int)CUDA_SUCCESS == 0,
               "numbers");

/* What rows are copied by. */
#define PLACE(here, cuda)                                                                          \
    _Static_assert(offsetof(struct hs_nccl_rows, here) == offsetof(CUDA_MEMCPY2D, cuda), #here);
PLACE(from.kind, srcMemoryType)
PLACE(from.memory, srcDevice)
PLACE(from.pitch, srcPitch)
PLACE(to.kind, dstMemoryType)
PLACE(to.memory, dstDevice)
PLACE(to.pitch, dstPitch)
PLACE(bytes, WidthInBytes)
PLACE(count, Height)
_Static_assert(sizeof(struct hs_nccl_rows) == sizeof(CUDA_MEMCPY2D), "rows");
#endif

/* As numbers and pointers they are handed over in the same way. */
_Static_assert(sizeof(hs_driver_memory) == sizeof(uintptr_t) &&
                   sizeof(hs_driver_event) == sizeof(void *) &&
                   sizeof(hs_driver_result) == sizeof(int) &&
                   sizeof(hs_driver_captures) == sizeof(int) &&
                   sizeof(hs_driver_mode) == sizeof(int) && sizeof(hs_driver_kind) == sizeof(int),
               "sizes");
