/*
 * stub.c - an MPI library that does nothing, for `bench/apply.py --parts cost`: what a call costs
 * in front of it is the interposer's own. One process says that it is rank 0 of STUB_RANKS.
 */
#include <mpi.h>
#include <string.h>

#define STUB_RANKS 16
#define KEYS       8

static struct {
    MPI_Comm comm;
    void *value;
} attributes[KEYS];
static int keys;

#define BOTH(name, parameters, body) int PMPI_##name parameters body int MPI_##name parameters body

BOTH(Init, (int *argc, char ***argv), {
    (void)argc;
    (void)argv;
    return MPI_SUCCESS;
})
BOTH(Finalize, (void), { return MPI_SUCCESS; })
BOTH(Comm_rank, (MPI_Comm comm, int *rank), {
    (void)comm;
    *rank = 0;
    return MPI_SUCCESS;
})
BOTH(Comm_size, (MPI_Comm comm, int *size), {
    (void)comm;
    *size = STUB_RANKS;
    return MPI_SUCCESS;
})
BOTH(Comm_test_inter, (MPI_Comm comm, int *inter), {
    (void)comm;
    *inter = 0;
    return MPI_SUCCESS;
})
BOTH(Comm_get_parent, (MPI_Comm * comm), {
    *comm = MPI_COMM_NULL;
    return MPI_SUCCESS;
})
BOTH(Comm_group, (MPI_Comm comm, MPI_Group *group), {
    (void)comm;
    *group = MPI_GROUP_EMPTY;
    return MPI_SUCCESS;
})
BOTH(Group_free, (MPI_Group * group), {
    *group = MPI_GROUP_NULL;
    return MPI_SUCCESS;
})
BOTH(Group_translate_ranks,
     (MPI_Group from, int count, const int *ranks, MPI_Group to, int *translated), {
         (void)from;
         (void)to;
         memcpy(translated, ranks, (size_t)count * sizeof(int));
         return MPI_SUCCESS;
     })
BOTH(Comm_create_keyval,
     (MPI_Comm_copy_attr_function * copy, MPI_Comm_delete_attr_function *drop, int *key,
      void *extra),
     {
         (void)copy;
         (void)drop;
         (void)extra;
         *key = keys++ % KEYS;
         return MPI_SUCCESS;
     })
BOTH(Comm_free_keyval, (int *key), {
    *key = MPI_KEYVAL_INVALID;
    return MPI_SUCCESS;
})
BOTH(Comm_get_attr, (MPI_Comm comm, int key, void *value, int *found), {
    *found = key >= 0 && key < KEYS && attributes[key].comm == comm;
    if (*found)
        *(void **)value = attributes[key].value;
    return MPI_SUCCESS;
})
BOTH(Comm_set_attr, (MPI_Comm comm, int key, void *value), {
    attributes[key].comm = comm;
    attributes[key].value = value;
    return MPI_SUCCESS;
})
BOTH(Type_size, (MPI_Datatype type, int *size), {
    (void)type;
    *size = 4;
    return MPI_SUCCESS;
})
BOTH(Query_thread, (int *level), {
    *level = MPI_THREAD_SINGLE;
    return MPI_SUCCESS;
})
BOTH(Get_library_version, (char *text, int *length), {
    memcpy(text, "stub", sizeof("stub"));
    *length = 4;
    return MPI_SUCCESS;
})
BOTH(Reduce,
     (const void *from, void *to, int count, MPI_Datatype type, MPI_Op operation, int root,
      MPI_Comm comm),
     {
         (void)type;
         (void)operation;
         (void)root;
         (void)comm;
         memcpy(to, from, (size_t)count * 2 * sizeof(int)); /* of MPI_2INT */
         return MPI_SUCCESS;
     })
BOTH(Barrier, (MPI_Comm comm), {
    (void)comm;
    return MPI_SUCCESS;
})
BOTH(Bcast, (void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm), {
    (void)buffer;
    (void)count;
    (void)type;
    (void)root;
    (void)comm;
    return MPI_SUCCESS;
})
BOTH(Allreduce,
     (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm), {
         (void)from;
         (void)to;
         (void)count;
         (void)type;
         (void)op;
         (void)comm;
         return MPI_SUCCESS;
     })
BOTH(Allgather,
     (const void *from, int give, MPI_Datatype given, void *to, int take, MPI_Datatype taken,
      MPI_Comm comm),
     {
         (void)from;
         (void)give;
         (void)given;
         (void)to;
         (void)take;
         (void)taken;
         (void)comm;
         return MPI_SUCCESS;
     })
