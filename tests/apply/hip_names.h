/*
 * hip_names.h - for -include: a program of CUDA and NCCL as one of HIP and RCCL, as hipify makes
 * them: other names of functions with the same parameters and numbers. The types stay those of
 * CUDA's headers: pointers and numbers.
 */
#define cudaEventCreateWithFlags  hipEventCreateWithFlags
#define cudaEventDestroy          hipEventDestroy
#define cudaEventQuery            hipEventQuery
#define cudaEventRecord           hipEventRecord
#define cudaFree                  hipFree
#define cudaGetLastError          hipGetLastError
#define cudaGraphDestroy          hipGraphDestroy
#define cudaGraphExecDestroy      hipGraphExecDestroy
#define cudaGraphInstantiate      hipGraphInstantiateWithFlags
#define cudaGraphLaunch           hipGraphLaunch
#define cudaMalloc                hipMalloc
#define cudaMemGetInfo            hipMemGetInfo
#define cudaMemcpyAsync           hipMemcpyAsync
#define cudaStreamBeginCapture    hipStreamBeginCapture
#define cudaStreamCreateWithFlags hipStreamCreateWithFlags
#define cudaStreamDestroy         hipStreamDestroy
#define cudaStreamEndCapture      hipStreamEndCapture
#define cudaStreamQuery           hipStreamQuery
#define cudaStreamSynchronize     hipStreamSynchronize
#define cudaStreamWaitEvent       hipStreamWaitEvent
