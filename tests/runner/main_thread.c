/*
 * main_thread.c - a library to be preloaded: ends the process where a thread other than the main
 * one asks MPI for something, which MPI_THREAD_FUNNELED forbids. MPI_Abort is let through: it is
 * the guard's last word.
 */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

static void check(const char *call)
{
    if (gettid() == getpid())
        return;
    fprintf(stderr, "%s was called by another thread than the main one\n", call);
    _exit(99);
}

int MPI_Comm_group(MPI_Comm comm, MPI_Group *group)
{
    check("MPI_Comm_group");
    return PMPI_Comm_group(comm, group);
}

int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
    check("MPI_Comm_rank");
    return PMPI_Comm_rank(comm, rank);
}

int MPI_Comm_size(MPI_Comm comm, int *size)
{
    check("MPI_Comm_size");
    return PMPI_Comm_size(comm, size);
}

int MPI_Group_translate_ranks(MPI_Group from, int count, const int ranks[], MPI_Group to,
                              int translated[])
{
    check("MPI_Group_translate_ranks");
    return PMPI_Group_translate_ranks(from, count, ranks, to, translated);
}

int MPI_Group_free(MPI_Group *group)
{
    check("MPI_Group_free");
    return PMPI_Group_free(group);
}
