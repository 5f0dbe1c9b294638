#include "apply/mpi_handles.h"

#include <stdlib.h>

int *hs_world_ranks(MPI_Comm comm, int size)
{
    MPI_Group world_group, group;
    int *mine = malloc(2 * sizeof(*mine) * (size_t)size), *theirs;

    if (!mine)
        return NULL;
    theirs = mine + size;
    for (int i = 0; i < size; i++)
        theirs[i] = i;
    PMPI_Comm_group(comm, &group);
    PMPI_Comm_group(MPI_COMM_WORLD, &world_group);
    PMPI_Group_translate_ranks(group, size, theirs, world_group, mine);
    PMPI_Group_free(&group);
    PMPI_Group_free(&world_group);
    return mine;
}

struct type_row {
    MPI_Datatype type;
    enum hs_counted_type counted;
};
struct operation_row {
    MPI_Op operation;
    enum hs_counted_operation counted;
};

enum hs_counted_type hs_type_of(MPI_Datatype type)
{
    static const struct type_row known[] = {
        {MPI_DATATYPE_NULL, HS_COUNTED_TYPE_NONE},
        {MPI_FLOAT, HS_COUNTED_TYPE_FLOAT32},
        {MPI_DOUBLE, HS_COUNTED_TYPE_FLOAT64},
        {MPI_INT, HS_COUNTED_TYPE_INT32},
        {MPI_LONG, HS_COUNTED_TYPE_INT64},
        {MPI_BYTE, HS_COUNTED_TYPE_BYTE},
        {MPI_CHAR, HS_COUNTED_TYPE_INT8},
        {MPI_INT64_T, HS_COUNTED_TYPE_INT64},
        {MPI_INT32_T, HS_COUNTED_TYPE_INT32},
        {MPI_UINT64_T, HS_COUNTED_TYPE_UINT64},
        {MPI_UINT32_T, HS_COUNTED_TYPE_UINT32},
        {MPI_REAL, HS_COUNTED_TYPE_FLOAT32},
        {MPI_DOUBLE_PRECISION, HS_COUNTED_TYPE_FLOAT64},
        {MPI_INTEGER, HS_COUNTED_TYPE_INT32},
        {MPI_REAL4, HS_COUNTED_TYPE_FLOAT32},
        {MPI_REAL8, HS_COUNTED_TYPE_FLOAT64},
        {MPI_INTEGER4, HS_COUNTED_TYPE_INT32},
        {MPI_INTEGER8, HS_COUNTED_TYPE_INT64},
        {MPI_LONG_LONG, HS_COUNTED_TYPE_INT64},
        {MPI_UNSIGNED, HS_COUNTED_TYPE_UINT32},
        {MPI_UNSIGNED_LONG, HS_COUNTED_TYPE_UINT64},
        {MPI_UNSIGNED_LONG_LONG, HS_COUNTED_TYPE_UINT64},
        {MPI_SIGNED_CHAR, HS_COUNTED_TYPE_INT8},
        {MPI_UNSIGNED_CHAR, HS_COUNTED_TYPE_UINT8},
        {MPI_INT8_T, HS_COUNTED_TYPE_INT8},
        {MPI_UINT8_T, HS_COUNTED_TYPE_UINT8},
        {MPI_SHORT, HS_COUNTED_TYPE_INT16},
        {MPI_INT16_T, HS_COUNTED_TYPE_INT16},
        {MPI_UNSIGNED_SHORT, HS_COUNTED_TYPE_UINT16},
        {MPI_UINT16_T, HS_COUNTED_TYPE_UINT16},
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (known[i].type == type)
            return known[i].counted;
    return HS_COUNTED_TYPE_OTHER;
}

enum hs_counted_operation hs_operation_of(MPI_Op operation)
{
    static const struct operation_row known[] = {
        {MPI_OP_NULL, HS_COUNTED_OPERATION_NONE},    {MPI_SUM, HS_COUNTED_OPERATION_SUM},
        {MPI_MAX, HS_COUNTED_OPERATION_MAX},         {MPI_MIN, HS_COUNTED_OPERATION_MIN},
        {MPI_PROD, HS_COUNTED_OPERATION_PRODUCT},    {MPI_LAND, HS_COUNTED_OPERATION_LOGICAL},
        {MPI_LOR, HS_COUNTED_OPERATION_LOGICAL},     {MPI_LXOR, HS_COUNTED_OPERATION_LOGICAL},
        {MPI_BAND, HS_COUNTED_OPERATION_BITS},       {MPI_BOR, HS_COUNTED_OPERATION_BITS},
        {MPI_BXOR, HS_COUNTED_OPERATION_BITS},       {MPI_MAXLOC, HS_COUNTED_OPERATION_LOCATION},
        {MPI_MINLOC, HS_COUNTED_OPERATION_LOCATION},
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (known[i].operation == operation)
            return known[i].counted;
    return HS_COUNTED_OPERATION_USER;
}
