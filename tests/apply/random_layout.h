/*
 * random_layout.h - elements of every kind, and the many ways in which as many of them can lie in
 * memory: MPI's types of one signature, and memory around them that nothing may touch.
 */
#ifndef HS_RANDOM_LAYOUT_H
#define HS_RANDOM_LAYOUT_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RANKS_MAX 64

struct datum {
    const char *name;
    MPI_Datatype type;
    size_t bytes, align; /* bytes: to the next one, gaps included */
    enum { SIGNED, UNSIGNED, REAL, COMPLEX, PAIR, USER, TEXT } is;
};
void data_begin(void);
void data_end(void);
/* One that reductions know, or one whose every byte is moved. */
const struct datum *datum_draw(uint64_t *shared, bool reduced);

struct op {
    const char *name;
    MPI_Op op;
};
/* One that such elements have; of their own kind the user's two, of which one keeps the order. */
struct op op_draw(uint64_t *shared, const struct datum *datum);
/* An element that the operation is safe with: no overflow, and products without rounding. */
void put_value(const struct datum *datum, MPI_Op op, char *at, uint64_t random);

/* What one side of a call names: items of a type, in blocks behind each other or in parts. */
struct side {
    const char *name; /* of the layout */
    MPI_Datatype type;
    bool made;                            /* the type is the side's own */
    int per;                              /* elements in one item */
    int items;                            /* of one block */
    int counts[RANKS_MAX], at[RANKS_MAX]; /* of parts, in items */
    MPI_Aint low;                         /* where the first byte lies, often not 0 */
    size_t bytes, align;                  /* from there to behind the last one */
};
/* `own`: draws the layout; NULL: one behind the other. */
void side_of_all(struct side *side, const struct datum *datum, int count, int blocks,
                 uint64_t *own);
void side_of_parts(struct side *side, const struct datum *datum, const int *counts, int size,
                   uint64_t *own);
/* Parts as they are, of plain elements. */
void side_plain(struct side *side, const struct datum *datum);
void side_free(struct side *side);

/* Memory for a side, with more before and behind it, all of random bytes. `own` (or NULL) draws how
 * it is aligned. */
struct area {
    unsigned char *memory;
    size_t bytes, at;
};
struct area area_new(const struct side *side, uint64_t background, uint64_t *own);
struct area area_copy(const struct area *area);
void area_free(struct area *area);
/* What a call is given. */
char *area_at(const struct area *area);

#endif
