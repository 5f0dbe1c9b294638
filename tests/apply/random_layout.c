/* random_layout.c - types that say the same in other words, and the memory they lie in. */
#include "random_layout.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "random_check.h"

#define GUARD_BYTES 64

static struct datum data[20];
static size_t reduced_count, data_count;
static MPI_Op commutes, keeps_order;

static MPI_User_function commute, keep_order;

static void add(const char *name, MPI_Datatype type, size_t bytes, size_t align, int is)
{
    data[data_count++] = (struct datum){name, type, bytes, align, (unsigned)is};
}

void data_begin(void)
{
    MPI_Datatype two, gapped;

    PMPI_Type_contiguous(2, MPI_UINT32_T, &two);
    PMPI_Type_create_resized(two, 0, 24, &gapped);
    PMPI_Type_commit(&two);
    PMPI_Type_commit(&gapped);
    MPI_Op_create(commute, 1, &commutes);
    MPI_Op_create(keep_order, 0, &keeps_order);
    /* First what is only reduced, as it has padding; last what is only moved. */
    add("DOUBLE_INT", MPI_DOUBLE_INT, 16, 8, PAIR);
    add("2INT", MPI_2INT, 8, 4, PAIR);
    add("FLOAT", MPI_FLOAT, 4, 4, REAL);
    add("DOUBLE", MPI_DOUBLE, 8, 8, REAL);
    add("C_FLOAT_COMPLEX", MPI_C_FLOAT_COMPLEX, sizeof(float complex), 4, COMPLEX);
    add("C_DOUBLE_COMPLEX", MPI_C_DOUBLE_COMPLEX, sizeof(double complex), 8, COMPLEX);
    add("INT", MPI_INT, sizeof(int), 4, SIGNED);
    add("LONG", MPI_LONG, sizeof(long), 8, SIGNED);
    add("INT64_T", MPI_INT64_T, 8, 8, SIGNED);
    add("SHORT", MPI_SHORT, sizeof(short), 2, SIGNED);
    add("SIGNED_CHAR", MPI_SIGNED_CHAR, 1, 1, SIGNED);
    add("UINT8_T", MPI_UINT8_T, 1, 1, UNSIGNED);
    add("UNSIGNED", MPI_UNSIGNED, sizeof(unsigned), 4, UNSIGNED);
    add("UINT64_T", MPI_UINT64_T, 8, 8, UNSIGNED);
    add("two UINT32_T", two, 8, 8, USER);
#ifdef MPICH_VERSION /* 4.0.2 writes behind memory of its own by reductions of types with gaps */
    reduced_count = data_count;
#endif
    add("two UINT32_T and a gap", gapped, 24, 8, USER);
#ifndef MPICH_VERSION
    reduced_count = data_count;
#endif
    add("CHAR", MPI_CHAR, 1, 1, TEXT);
    add("BYTE", MPI_BYTE, 1, 1, TEXT);
}

void data_end(void)
{
    for (size_t i = 0; i < data_count; i++)
        if (data[i].is == USER)
            PMPI_Type_free(&data[i].type);
    MPI_Op_free(&commutes);
    MPI_Op_free(&keeps_order);
}

const struct datum *datum_draw(uint64_t *shared, bool reduced)
{
    return &data[reduced ? below(shared, reduced_count) : 1 + below(shared, data_count - 1)];
}

/* ---- operations, and values that are safe with them ---- */

/* (1 + a) (1 + b) - 1, of what lies at the type's extent from each other. */
static void commute(void *from, void *to, int *count, MPI_Datatype *type)
{
    MPI_Aint low, extent;

    PMPI_Type_get_extent(*type, &low, &extent);
    for (int i = 0; i < *count; i++) {
        uint64_t *a = (uint64_t *)((char *)from + i * extent);
        uint64_t *b = (uint64_t *)((char *)to + i * extent);

        *b = *a * *b + *a + *b;
    }
}

/* x -> a[0] x + a[1] behind x -> b[0] x + b[1]: associative, and the order matters. */
static void keep_order(void *from, void *to, int *count, MPI_Datatype *type)
{
    MPI_Aint low, extent;

    PMPI_Type_get_extent(*type, &low, &extent);
    for (int i = 0; i < *count; i++) {
        const uint32_t *a = (const uint32_t *)((char *)from + i * extent);
        uint32_t *b = (uint32_t *)((char *)to + i * extent);

        b[1] = a[0] * b[1] + a[1];
        b[0] = a[0] * b[0];
    }
}

struct op op_draw(uint64_t *shared, const struct datum *datum)
{
    const struct op all[] = {{"SUM", MPI_SUM},   {"MAX", MPI_MAX},   {"MIN", MPI_MIN},
                             {"PROD", MPI_PROD}, {"BAND", MPI_BAND}, {"BOR", MPI_BOR},
                             {"BXOR", MPI_BXOR}, {"LAND", MPI_LAND}, {"LOR", MPI_LOR}};

    switch (datum->is) {
    case SIGNED:
    case UNSIGNED:
        return all[below(shared, sizeof(all) / sizeof(all[0]))];
    case REAL:
        return all[below(shared, 3) ? 0 : 1 + below(shared, 3)];
    case COMPLEX:
        return all[0];
    case PAIR:
        return below(shared, 2) ? (struct op){"MINLOC", MPI_MINLOC}
                                : (struct op){"MAXLOC", MPI_MAXLOC};
    case USER:
        break;
    default:
        abort();
    }
    return below(shared, 2) ? (struct op){"a commutative one", commutes}
                            : (struct op){"one that keeps the order", keeps_order};
}

static double real_of(MPI_Op op, uint64_t random)
{
    const double exact[] = {1, 2, 0.5, -1};
    double value = (double)(random >> 11) / 0x1p53 + 0x1p-40;

    if (op == MPI_PROD)
        return exact[random % 4];
    return ldexp(random & 1 ? value : -value, (int)(random >> 1 & 15));
}

/* Sums of 16 stay in range; products are of small numbers. */
static int64_t integer_of(const struct datum *datum, MPI_Op op, uint64_t random)
{
    const int64_t small[] = {1, -1, 1, 2};
    uint64_t bits = 8 * datum->bytes;

    if (op == MPI_PROD)
        return datum->is == SIGNED ? small[random % 4] : (int64_t)(random % 3);
    if (op == MPI_LAND || op == MPI_LOR)
        return (random & 7) != (op == MPI_LOR ? 1 : 0) && (random & 3) != 0;
    if (op == MPI_SUM && datum->is == SIGNED)
        return (int64_t)random >> (64 - bits + 4);
    return (int64_t)random;
}

void put_value(const struct datum *datum, MPI_Op op, char *at, uint64_t random)
{
    int64_t integer = integer_of(datum, op, random);
    int pair[2] = {(int)(random % 5), (int)(random >> 8 & 1023)};
    double first = datum->is == PAIR ? pair[0] * 0.5 : real_of(op, random);
    size_t reals = datum->is == COMPLEX ? 2 : 1;

    if (datum->is == SIGNED || datum->is == UNSIGNED) {
        memcpy(at, &integer, datum->bytes); /* of a little-endian machine */
    } else if (datum->is == PAIR && datum->bytes == sizeof(pair)) {
        memcpy(at, pair, sizeof(pair));
    } else if (datum->is == PAIR) {
        memcpy(at, &first, sizeof(first));
        memcpy(at + sizeof(first), &pair[1], sizeof(int));
    } else if (datum->is == USER) {
        memcpy(at, &random, sizeof(random));
    } else {
        for (size_t i = 0; i < reals; i++) {
            double value = i ? real_of(op, random * 0x9e3779b97f4a7c15u) : first;
            float narrow = (float)value;

            if (datum->bytes / reals == sizeof(float))
                memcpy(at + i * sizeof(float), &narrow, sizeof(float));
            else
                memcpy(at + i * sizeof(double), &value, sizeof(double));
        }
    }
}

/* ---- layouts ---- */

static void lay_vector(struct side *side, const struct datum *datum, int count, uint64_t *own)
{
    int block = (int)(1 + below(own, 4)), gap = (int)(1 + below(own, 3));

    while (count % block != 0)
        block--;
    side->name = "a vector";
    side->per = count;
    PMPI_Type_vector(count / block, block, block + gap, datum->type, &side->type);
}

/* The second half lies before the first. */
static void lay_indexed(struct side *side, const struct datum *datum, int count)
{
    const int lengths[2] = {count / 2, count - count / 2};
    const int places[2] = {count - count / 2 + 2, 0};

    side->name = "two halves, the later one first";
    side->per = count;
    PMPI_Type_indexed(2, lengths, places, datum->type, &side->type);
}

/* The second element of two lies before where the item begins. */
static void lay_struct(struct side *side, const struct datum *datum)
{
    const MPI_Aint bytes = (MPI_Aint)datum->bytes;
    const int lengths[2] = {1, 1};
    const MPI_Aint places[2] = {0, -3 * bytes};
    const MPI_Datatype types[2] = {datum->type, datum->type};
    MPI_Datatype both;

    side->name = "a struct that begins before its address";
    side->per = 2;
    PMPI_Type_create_struct(2, lengths, places, types, &both);
    PMPI_Type_create_resized(both, -3 * bytes, 5 * bytes, &side->type);
    PMPI_Type_free(&both);
}

static void lay_resized(struct side *side, const struct datum *datum, uint64_t *own)
{
    side->name = "elements with gaps";
    side->per = 1;
    PMPI_Type_create_resized(datum->type, 0, (MPI_Aint)(datum->bytes * (2 + below(own, 3))),
                             &side->type);
}

static void lay_contiguous(struct side *side, const struct datum *datum, int count, uint64_t *own)
{
    int per = (int)(2 + below(own, 6));

    while (count % per != 0)
        per--;
    side->name = "some at a time";
    side->per = per;
    PMPI_Type_contiguous(per, datum->type, &side->type);
}

/* A type of which whole items make so many elements. */
static void lay(struct side *side, const struct datum *datum, int count, uint64_t *own)
{
    *side = (struct side){
        .name = "plain", .type = datum->type, .per = 1, .made = true, .align = datum->align};
    switch (own && count > 0 ? below(own, 8) : 7) {
    case 0:
        lay_vector(side, datum, count, own);
        break;
    case 1:
        lay_indexed(side, datum, count);
        break;
    case 2:
        if (count % 2 == 0) {
            lay_struct(side, datum);
            break;
        } /* fall through */
    case 3:
        lay_resized(side, datum, own);
        break;
    case 4:
        lay_contiguous(side, datum, count, own);
        break;
    default:
        side->made = false;
    }
    if (side->made)
        PMPI_Type_commit(&side->type);
}

static void span(struct side *side, int items)
{
    MPI_Aint low, extent, bytes;

    PMPI_Type_get_extent(side->type, &low, &extent);
    PMPI_Type_get_true_extent(side->type, &side->low, &bytes);
    side->bytes = items > 0 ? (size_t)(bytes + (items - 1) * extent) : 0;
}

void side_of_all(struct side *side, const struct datum *datum, int count, int blocks, uint64_t *own)
{
    lay(side, datum, count, own);
    side->items = count / side->per;
    span(side, side->items * blocks);
}

void side_of_parts(struct side *side, const struct datum *datum, const int *counts, int size,
                   uint64_t *own)
{
    int first = (int)below(own, (uint64_t)size), end = 0;
    int step = below(own, 2) ? 1 : size - 1;

    lay(side, datum, below(own, 2) ? 1 : 0, own);
    if (side->per != 1)
        abort();
    for (int i = 0; i < size; i++) {
        int rank = (first + i * step) % size;

        side->counts[rank] = counts[rank];
        side->at[rank] = end;
        end += counts[rank] + (int)below(own, 3);
    }
    span(side, end);
}

void side_plain(struct side *side, const struct datum *datum)
{
    side_free(side);
    side->type = datum->type;
    side->name = "plain";
    side->low = 0; /* and more memory than it needs */
}

void side_free(struct side *side)
{
    if (side->made)
        PMPI_Type_free(&side->type);
    side->made = false;
}

/* ---- memory ---- */

struct area area_new(const struct side *side, uint64_t background, uint64_t *own)
{
    struct area area = {.bytes = (side->bytes + 2 * GUARD_BYTES + 8 * side->align + 7) / 8 * 8};

    area.memory = malloc(area.bytes);
    if (!area.memory)
        abort();
    area.at = (size_t)(GUARD_BYTES + (MPI_Aint)(own ? below(own, 8) * side->align : 0) - side->low);
    for (size_t i = 0; i < area.bytes; i += sizeof(uint64_t)) {
        uint64_t random = draw(&background);

        memcpy(area.memory + i, &random, sizeof(random));
    }
    return area;
}

struct area area_copy(const struct area *area)
{
    struct area copy = *area;

    copy.memory = malloc(area->bytes);
    if (!copy.memory)
        abort();
    memcpy(copy.memory, area->memory, area->bytes);
    return copy;
}

void area_free(struct area *area)
{
    free(area->memory);
    area->memory = NULL;
}

char *area_at(const struct area *area)
{
    return (char *)area->memory + area->at;
}
