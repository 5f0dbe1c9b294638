/*
 * price_native.h - what a layer takes by the MPI library's default call, step by step.
 */
#ifndef HS_LIBRARY_PRICE_NATIVE_H
#define HS_LIBRARY_PRICE_NATIVE_H

#include "model/price.h"

/* The price function (model/algorithm.h) of HS_NATIVE on a system whose library has a rule
 * (hs_system_has_rule). */
void hs_native_price(struct hs_stage_price *price, const struct hs_system *system, int64_t ranks);

#endif
