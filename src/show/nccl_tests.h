/*
 * nccl_tests.h - a prediction in the columns of nccl-tests, size by size: what the library takes by
 * itself, and beside it the best plan, each with what it is bound by.
 */
#ifndef HS_VIEW_NCCL_TESTS_H
#define HS_VIEW_NCCL_TESTS_H

#include "library/price_library.h"
#include "show/sheet.h"
#include "system/datatype.h"

/* One size; borrows everything. */
struct hs_nccl_tests_row {
    const struct hs_system *system;
    struct hs_problem problem;
    enum hs_datatype datatype;
    struct hs_library_price library; /* its columns are there where some row has its price */
    struct hs_gain gain;             /* of the plan, over the library's call, else the flat plan */
    const struct hs_plan *plan;      /* the verdict's */
    double seconds;
};

void hs_nccl_tests_init(struct hs_table *table);
void hs_nccl_tests_add(struct hs_table *table, const struct hs_nccl_tests_row *row);
/* Says the average bus bandwidth over the rows, as nccl-tests does, and prints the table. */
void hs_nccl_tests_print(struct hs_sheet *sheet, struct hs_table *table);

#endif
