/* nccl_splits.c - see nccl_splits.h. */
#include "apply/nccl_splits.h"

/* The one that was made, or failed. */
static void record(struct hs_nccl_family *family, hs_nccl_result result)
{
    struct hs_nccl_splits *splits = &family->splits;
    int i = splits->count++;

    splits->waits = splits->given = false;
    splits->ended[i].comm = splits->made;
    splits->ended[i].size = 0;
    splits->ended[i].rank = -1;
    if (result != HS_NCCL_SUCCESS || !splits->made ||
        family->nccl.ncclCommCount(splits->made, &splits->ended[i].size) != HS_NCCL_SUCCESS ||
        family->nccl.ncclCommUserRank(splits->made, &splits->ended[i].rank) != HS_NCCL_SUCCESS)
        splits->ended[i].rank = -1;
}

int hs_nccl_split(struct hs_nccl_family *family, int color, hs_nccl_comm *made, int *size)
{
    struct hs_nccl_splits *splits = &family->splits;
    hs_nccl_result result;

    *made = NULL;
    *size = 0;
    if (splits->waits || splits->at == HS_NCCL_SPLITS_MAX)
        return -1;
    if (splits->at == splits->count) {
        splits->made = NULL;
        result = family->nccl.ncclCommSplit(family->comm, color, family->rank, &splits->made, NULL);
        splits->waits = result == HS_NCCL_IN_PROGRESS;
        if (splits->waits)
            return -1;
        record(family, result);
    }
    *made = splits->ended[splits->at].comm;
    *size = splits->ended[splits->at].size;
    return splits->ended[splits->at++].rank;
}

/* NCCL says where the new one is when the program's is ready again; it may itself be later. */
bool hs_nccl_splits_again(struct hs_nccl_family *family)
{
    struct hs_nccl_splits *splits = &family->splits;
    hs_nccl_result state = HS_NCCL_SUCCESS;

    if (splits->waits) {
        splits->given = splits->made != NULL;
        if (splits->given &&
            family->nccl.ncclCommGetAsyncError(splits->made, &state) != HS_NCCL_SUCCESS)
            state = HS_NCCL_INVALID_USAGE;
        if (state == HS_NCCL_IN_PROGRESS)
            return false;
        record(family, state);
    }
    splits->at = 0;
    return true;
}

/* 0 is nobody's. */
static int color_of(uint64_t value)
{
    return (int)((value ^ value >> 32) & INT32_MAX) | 1;
}

static int look_for_color(struct hs_nccl_family *family, int color, int *size)
{
    hs_nccl_comm alike;
    int rank = hs_nccl_split(family, color, &alike, size);

    if (!alike)
        return rank;
    family->nccl.ncclCommDestroy(alike);
    family->splits.ended[family->splits.at - 1].comm = NULL;
    return rank;
}

int hs_nccl_look_for_alike(struct hs_nccl_family *family, uint64_t value, int *size)
{
    return look_for_color(family, color_of(value), size);
}

bool hs_nccl_agree(struct hs_nccl_family *family, bool able, uint64_t value)
{
    int size, rank = look_for_color(family, able ? color_of(value) : 0, &size);

    return able && rank >= 0 && size == family->size;
}
