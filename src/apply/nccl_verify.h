/*
 * nccl_verify.h - `run --verify N` for calls of NCCL: every Nth call by plan of a communicator is
 * made by the library's own call as well, whose result the program gets; both results are copied
 * to the host and compared there as soon as they have come, at a later call or the end. Nothing
 * waits for the GPU, and nothing is agreed upon: a difference is told, and that is all, as a rank
 * cannot leave a plan by itself.
 *
 * Moved data, whole numbers, largest and smallest must be equal. Sums of floats of p ranks may
 * differ by 2 p eps times p times the largest magnitude that any rank has at this place (Higham,
 * Accuracy and Stability of Numerical Algorithms, 2002, section 4.2: p eps times the sum of
 * magnitudes, of each), which the library's own largest and smallest tell; means by a p-th of that,
 * and products by 2 p eps of their own.
 *
 * Which calls these are is the same on all ranks: by their number, their bytes, whether they are
 * captured. Whether a rank can compare one, as the host has copies of one call at a time, is not,
 * and changes what is copied alone.
 */
#ifndef HS_APPLY_NCCL_VERIFY_H
#define HS_APPLY_NCCL_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "apply/nccl_driver.h"
#include "apply/nccl_steps.h"

/* What a family has for it. */
struct hs_nccl_verify {
    const struct hs_nccl_driver *driver;
    size_t bytes;         /* of the larger side of a call that is verified, at most */
    char *input, *beside; /* of the GPU, so many bytes each */
    char *host;           /* four times as many, which the GPU reaches */
    void *event;          /* behind the copies */
    bool copied;          /* there are some, of: */
    struct hs_nccl_asked asked;
    int ranks;
    uint64_t calls; /* by plan, so far */
};

/* Of all families. */
struct hs_nccl_verified {
    uint64_t compared, uncompared, different;
};

/* NULL: no memory, or no driver. */
struct hs_nccl_verify *hs_nccl_verify_new(const struct hs_nccl_driver *driver, size_t bytes);
/* Waits for the GPU, and compares what is left, if it was not aborted. NULL is accepted. */
void hs_nccl_verify_free(struct hs_nccl_verify *verify, bool aborted);
/* As hs_nccl_carry; every `every`th call of the family by both. */
hs_nccl_result hs_nccl_verify_carry(struct hs_nccl_family *family, const struct hs_rule *rule,
                                    const struct hs_nccl_asked *asked, uint64_t every);
struct hs_nccl_verified hs_nccl_verified(void);

#endif
