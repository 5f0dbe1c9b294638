/* A library in front of MPI whose sums of integers are wrong by one: what --verify has to see. */
#include <mpi.h>

int PMPI_Reduce_local(const void *in, void *inout, int count, MPI_Datatype type, MPI_Op operation);
int PMPI_Reduce_local(const void *in, void *inout, int count, MPI_Datatype type, MPI_Op operation)
{
    int status = MPI_Reduce_local(in, inout, count, type, operation);

    if (type == MPI_INT && count > 0)
        *(int *)inout += 1;
    return status;
}
