#include "library/known_faults.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "library/library_mpi.h"
#include "library/price_nccl.h"

#define KIB        1024.0
#define MIB        (1024 * KIB)
#define V          HS_NCCL_VERSION
#define BIT(value) (1U << (value))

enum where { ANYWHERE, INSIDE, BETWEEN }; /* NVLink domains, or nodes */

/* When a call runs into one: 0 and NULL stand for any. */
struct when {
    enum hs_library library;
    int from,
        before; /* NCCL's versions: the first with it, and the first without it, 0: not known */
    unsigned calls, algorithms, protocols, nics; /* bits of library.h, library_nccl.h, parts.h */
    const char *const *gpus;                     /* of parts.h, up to NULL */
    enum where where;
    int64_t units, gpus_each; /* so many domains or more, of just so many GPUs */
    int64_t units_most;
    double bytes_most; /* per process */
    bool many_groups;  /* others call in the same domain */
    bool few_elements; /* less than ranks, where halving falls back */
};

static const char *const grace_hopper[] = {"GH200", NULL};
static const char *const grace[] = {"GH200", "GB200", "GB300", NULL};
static const char *const hopper[] = {"H100", "H200", NULL};
static const char *const h200[] = {"H200", NULL};
static const char *const h100[] = {"H100", NULL};
static const char *const a100[] = {"A100", NULL};
static const char *const gb300[] = {"GB300", NULL};
static const char *const mi300x[] = {"MI300X", NULL};
static const char *const mi350[] = {"MI350X", "MI355X", NULL};

/* Wrong results before hangs and errors, these before what is slower. */
static const struct {
    struct hs_known_fault fault;
    struct when when;
} rows[] = {
    {{"NCCL from 2.27.3 on gave wrong sums by LL128 between nodes of GH200 over Slingshot with "
      "GPUDirect, now and then: run with NCCL_PROTO=^LL128",
      "NVIDIA/nccl/issues/2001"},
     {.library = HS_LIBRARY_NCCL,
      .from = V(2, 27, 3),
      .protocols = BIT(HS_NCCL_LL128),
      .nics = BIT(HS_NIC_SLINGSHOT),
      .gpus = grace_hopper,
      .where = BETWEEN}},
    {{"One cluster got wrong sums by NVLSTree of NCCL 2.18 on two nodes, for a reason that was not "
      "found: check results, take 2.19.3 or later, or run with NCCL_ALGO=^NVLSTree",
      "NVIDIA/nccl-tests/issues/167"},
     {.library = HS_LIBRARY_NCCL,
      .from = V(2, 18, 0),
      .before = V(2, 19, 3),
      .algorithms = BIT(HS_NCCL_NVLSTREE),
      .where = BETWEEN}},
    {{"NCCL before 2.29.3 hangs on Arm hosts once its pool of network operations has leaked away: "
      "take a later version",
      "NVIDIA/nccl/issues/2353"},
     {.library = HS_LIBRARY_NCCL, .before = V(2, 29, 3), .gpus = grace, .where = BETWEEN}},
    {{"NCCL from 2.29.7 on ends with an error where many groups inside a node use NVLS and "
      "NVSwitch has no multicast slot left: run with NCCL_NVLS_ENABLE=0",
      "NVIDIA/nccl/issues/2077"},
     {.library = HS_LIBRARY_NCCL, .from = V(2, 29, 7), .gpus = hopper, .many_groups = true}},
    {{"NCCL from 2.25.1 to 2.28 finds no balanced tree on some nodes of 4 A100 with 4 NICs, and "
      "then a ring uses one NIC of them, 7 times slower: look for \"falling back to simple "
      "order\" with NCCL_DEBUG=WARN",
      "NVIDIA/nccl/issues/1876"},
     {.library = HS_LIBRARY_NCCL,
      .from = V(2, 25, 1),
      .before = V(2, 29, 0),
      .calls = BIT(HS_CALL_ALLREDUCE),
      .nics = BIT(HS_NIC_INFINIBAND),
      .gpus = a100,
      .where = BETWEEN,
      .gpus_each = 4}},
    {{"NCCL 2.19.3 was 2.7 times slower by NVLSTree than with its fix, on 8 nodes of H100 with "
      "EFA: take a later version",
      "pytorch/pytorch/issues/117748"},
     {.library = HS_LIBRARY_NCCL,
      .from = V(2, 19, 3),
      .before = V(2, 19, 4),
      .algorithms = BIT(HS_NCCL_NVLSTREE),
      .nics = BIT(HS_NIC_LATER_EFA),
      .where = BETWEEN}},
    {{"NVLSTree's times jumped up and down on 64 nodes of H200 over Ethernet, those of trees and "
      "rings did not: compare with NCCL_ALGO=^NVLSTree",
      "NVIDIA/nccl/issues/1752"},
     {.library = HS_LIBRARY_NCCL,
      .algorithms = BIT(HS_NCCL_NVLSTREE),
      .nics = BIT(HS_NIC_ROCE),
      .gpus = h200,
      .where = BETWEEN,
      .units = 64}},
    {{"NCCL 2.30.4 was slower than 2.29.7 in short all-to-alls of GB300, every other run: compare "
      "both",
      "NVIDIA/TensorRT-LLM/pull/17160"},
     {.library = HS_LIBRARY_NCCL,
      .from = V(2, 30, 4),
      .calls = BIT(HS_CALL_ALLTOALL),
      .gpus = gb300,
      .bytes_most = MIB}},
    {{"NCCL from 2.29 on was slower than 2.28 in short AllReduces inside a node of H100: compare "
      "both",
      "NVIDIA/nccl/issues/2094"},
     {.library = HS_LIBRARY_NCCL,
      .from = V(2, 29, 0),
      .calls = BIT(HS_CALL_ALLREDUCE),
      .protocols = BIT(HS_NCCL_LL),
      .gpus = h100,
      .where = INSIDE}},
    {{"NCCL from 2.24 on spills registers in AllReduces by ring and Simple, which was slower than "
      "2.22 on two H200: compare both",
      "NVIDIA/nccl/issues/1997"},
     {.library = HS_LIBRARY_NCCL,
      .from = V(2, 24, 0),
      .calls = BIT(HS_CALL_ALLREDUCE),
      .algorithms = BIT(HS_NCCL_RING),
      .protocols = BIT(HS_NCCL_SIMPLE),
      .gpus = hopper,
      .where = INSIDE}},
    {{"RCCL of ROCm 7.1.1 is slow in all-to-alls of MI300X with Pollara NICs: take ROCm 7.2.0",
      "ROCm/legacy-rocm-build/issues/5717"},
     {.library = HS_LIBRARY_RCCL,
      .calls = BIT(HS_CALL_ALLTOALL),
      .nics = BIT(HS_NIC_ROCE),
      .gpus = mi300x,
      .where = BETWEEN}},
    {{"RCCL as of NCCL 2.29 took twice the channels for each peer in all-to-alls of two nodes of "
      "MI350X, and was slower for it, until it was mended",
      "ROCm/rocm-systems/pull/6453"},
     {.library = HS_LIBRARY_RCCL,
      .calls = BIT(HS_CALL_ALLTOALL),
      .gpus = mi350,
      .where = BETWEEN,
      .units_most = 2}},
    {{"Open MPI falls back to its linear AllReduce where elements are fewer than ranks, which "
      "takes far longer than the price (4.1.6, 5.0.3): pad the message",
      "open-mpi/ompi/issues/12550"},
     {.library = HS_LIBRARY_OPENMPI, .calls = BIT(HS_CALL_ALLREDUCE), .few_elements = true}},
};
static_assert(sizeof(rows) / sizeof(*rows) == HS_KNOWN_FAULTS, "one for each row");

const struct hs_known_fault *hs_known_fault(size_t index)
{
    return &rows[index].fault;
}

struct call {
    const struct hs_system *system;
    const struct hs_problem *problem;
    const struct hs_library_price *price;
    enum hs_library_call kind;
    int version;
    int64_t unit, units; /* GPUs of a domain or ranks of a node; of these that a group lies in */
    double elements;
};

static bool is_one_of(const char *const *gpus, const struct hs_system *system)
{
    const char *name = system->nccl.parts.gpu.name; /* a line's, also where NCCL does not run */

    for (; *gpus && name; gpus++)
        if (strcmp(*gpus, name) == 0)
            return true;
    return false;
}

/* Whether a bit is among those that count, all where none is said. */
static bool has(unsigned bits, int bit)
{
    return bits == 0 || (bit >= 0 && bits & BIT(bit));
}

static bool lies_there(const struct when *when, const struct call *call)
{
    const struct hs_group *group = &call->problem->group;

    return (when->where == ANYWHERE || (when->where == BETWEEN) == (call->units > 1)) &&
           call->units >= when->units && (!when->units_most || call->units <= when->units_most) &&
           (!when->gpus_each || call->unit == when->gpus_each) &&
           (!when->many_groups ||
            (call->units == 1 && group->size < call->unit && group->ranks > group->size));
}

static bool runs_into(const struct when *when, const struct call *call)
{
    const struct hs_parts *parts = &call->system->nccl.parts;
    const struct hs_library_price *price = call->price;
    int64_t power = hs_mpi_power_of_two(call->problem->group.size);
    double bytes = call->problem->bytes;

    return when->library == price->library && call->version >= when->from &&
           (!when->before || call->version < when->before) && has(when->calls, (int)call->kind) &&
           has(when->algorithms, price->nccl_algorithm) &&
           has(when->protocols, price->nccl_protocol) &&
           has(when->nics, parts->nic_count > 0 ? (int)parts->nic.class : -1) &&
           (!when->gpus || is_one_of(when->gpus, call->system)) && lies_there(when, call) &&
           (when->bytes_most == 0 || bytes <= when->bytes_most) &&
           (!when->few_elements ||
            (price->mpi.algorithm == HS_MPI_HALVING && call->elements < (double)power));
}

size_t hs_known_faults_of(const struct hs_known_fault *found[HS_KNOWN_FAULTS],
                          const struct hs_system *system, const struct hs_problem *problem,
                          const struct hs_library_price *price, size_t element_bytes)
{
    bool nccl = price->library == HS_LIBRARY_NCCL;
    struct call call = {system,
                        problem,
                        price,
                        .kind = hs_nccl_call_of(hs_collectives[problem->collective].last),
                        .version = nccl && system->nccl.version ? system->nccl.version
                                                                : HS_NCCL_VERSION_USUAL,
                        .elements = problem->bytes / (double)element_bytes};
    size_t count = 0;

    if (!hs_library_is_priced(price))
        return 0;
    call.unit = nccl ? system->nccl.gpus : hs_system_node_ranks(system);
    call.units = hs_group_spread(&problem->group, call.unit).units;
    for (size_t i = 0; i < HS_KNOWN_FAULTS; i++)
        if (runs_into(&rows[i].when, &call))
            found[count++] = &rows[i].fault;
    return count;
}
