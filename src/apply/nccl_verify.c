/* nccl_verify.c - see nccl_verify.h. */
#include "apply/nccl_verify.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/counts.h"

/* What is on the host, each of as many bytes as a call may have. */
enum { OF_PLAN, OF_LIBRARY, LARGEST, SMALLEST, COPIES };

static atomic_uint_fast64_t compared, uncompared, different;

/* ---- elements ---- */

/* Bits of exponent and fraction; 0: whole numbers. In the order of NCCL's types. */
struct format {
    enum hs_counted_type type;
    int exponent, fraction;
};
static const struct format floats[] = {
    {HS_COUNTED_TYPE_FLOAT16, 5, 10},   {HS_COUNTED_TYPE_FLOAT32, 8, 23},
    {HS_COUNTED_TYPE_FLOAT64, 11, 52},  {HS_COUNTED_TYPE_BFLOAT16, 8, 7},
    {HS_COUNTED_TYPE_FLOAT8E4M3, 4, 3}, {HS_COUNTED_TYPE_FLOAT8E5M2, 5, 2}};

static int float_of(hs_nccl_type type)
{
#define ROW(name, type, bytes) HS_COUNTED_TYPE_##type,
    static const enum hs_counted_type types[] = {HS_NCCL_TYPES(ROW)};
#undef ROW
    for (int i = 0; i < (int)(sizeof(floats) / sizeof(floats[0])); i++)
        if (floats[i].type == types[(size_t)type])
            return i;
    return -1;
}

/* Of any such type. Where all bits of the exponent are 1 it is infinite or no number; of e4m3 it is
 * one, but for the largest. `fnuz`: of 8 bits as MI300's units have them (RCCL's rccl_float8.h:
 * gfx942), where all are numbers but what else would be -0, and half as large. */
static double value_of(const void *data, size_t i, const struct format *of, bool fnuz)
{
    const int exponent = of->exponent, fraction = of->fraction;
    const int bias = (1 << (exponent - 1)) - !fnuz;
    const size_t width = (size_t)(1 + exponent + fraction) / 8;
    uint64_t bits = 0, part;
    int power;
    double value;

    memcpy(&bits, (const char *)data + i * width, width);
    part = bits & ((UINT64_C(1) << fraction) - 1);
    power = (int)(bits >> fraction & ((UINT64_C(1) << exponent) - 1));
    if (fnuz && bits == UINT64_C(1) << (fraction + exponent))
        return NAN;
    if (!fnuz && power == (1 << exponent) - 1 &&
        (of->type != HS_COUNTED_TYPE_FLOAT8E4M3 || part == (UINT64_C(1) << fraction) - 1))
        return part ? NAN : bits >> (fraction + exponent) & 1 ? -INFINITY : INFINITY;
    value = ldexp((double)part, (power > 0 ? power : 1) - bias - fraction);
    if (power > 0)
        value += ldexp(1, power - bias);
    return bits >> (fraction + exponent) & 1 ? -value : value;
}

/* ---- comparing ---- */

static const char *copy_of(const struct hs_nccl_verify *verify, int which)
{
    return verify->host + (size_t)which * verify->bytes;
}

static bool is(const struct hs_nccl_asked *asked, enum hs_counted_operation operation)
{
#define ROW(name, operation) HS_COUNTED_OPERATION_##operation,
    static const enum hs_counted_operation operations[] = {HS_NCCL_OPERATIONS(ROW)};
#undef ROW
    return asked->collective != HS_COLLECTIVE_ALLGATHER &&
           operations[(size_t)asked->operation] == operation;
}

/* Whether the order of additions or factors may show. */
static bool is_rounded(const struct hs_nccl_asked *asked)
{
    return float_of(asked->type) >= 0 &&
           (is(asked, HS_COUNTED_OPERATION_SUM) || is(asked, HS_COUNTED_OPERATION_AVERAGE) ||
            is(asked, HS_COUNTED_OPERATION_PRODUCT));
}

static bool is_near_as(const struct hs_nccl_verify *verify, size_t i, bool fnuz)
{
    const struct hs_nccl_asked *asked = &verify->asked;
    const struct format *of = &floats[float_of(asked->type)];
    double found = value_of(copy_of(verify, OF_PLAN), i, of, fnuz);
    double right = value_of(copy_of(verify, OF_LIBRARY), i, of, fnuz);
    double share = 2 * verify->ranks * ldexp(1, -of->fraction), most;

    most = fmax(fabs(value_of(copy_of(verify, LARGEST), i, of, fnuz)),
                fabs(value_of(copy_of(verify, SMALLEST), i, of, fnuz)));
    if (is(asked, HS_COUNTED_OPERATION_SUM))
        most *= verify->ranks;
    else if (is(asked, HS_COUNTED_OPERATION_PRODUCT))
        most = fabs(right);
    return found == right || (isnan(found) && isnan(right)) || fabs(found - right) <= share * most;
}

/* Which of the two AMD's floats of 8 bits are depends on the GPU: near is what is so by either. */
static bool is_near(const struct hs_nccl_verify *verify, size_t i)
{
    bool either = hs_nccl_driver_is_hip(verify->driver) && hs_nccl_width(verify->asked.type) == 1;

    return is_near_as(verify, i, false) || (either && is_near_as(verify, i, true));
}

/* Bytes that the call leaves. */
static size_t output_bytes(const struct hs_nccl_asked *asked, int ranks)
{
    return asked->count * hs_nccl_width(asked->type) *
           (asked->collective == HS_COLLECTIVE_ALLGATHER ? (size_t)ranks : 1);
}

static void compare(struct hs_nccl_verify *verify)
{
    const struct hs_nccl_asked *asked = &verify->asked;
    const char *found = copy_of(verify, OF_PLAN), *right = copy_of(verify, OF_LIBRARY);
    const size_t width = hs_nccl_width(asked->type);
    const size_t count = output_bytes(asked, verify->ranks) / width;
    const bool rounded = is_rounded(asked);

    verify->copied = false;
    compared++;
    for (size_t i = 0; i < count; i++) {
        if (memcmp(found + i * width, right + i * width, width) == 0 ||
            (rounded && is_near(verify, i)))
            continue;
        if (different++ == 0)
            fprintf(stderr,
                    "hiersearch run: --verify: %s of %zu bytes among %d ranks: element %zu is "
                    "another by plan than by NCCL's default call\n",
                    hs_collective_names[asked->collective], width * count, verify->ranks, i);
        return;
    }
}

/* What has come of a call before. */
static void look(struct hs_nccl_verify *verify)
{
    if (verify->copied && hs_nccl_event_passed(verify->driver, verify->event))
        compare(verify);
}

/* ---- memory ---- */

struct hs_nccl_verify *hs_nccl_verify_new(const struct hs_nccl_driver *driver, size_t bytes)
{
    struct hs_nccl_verify *verify = driver ? calloc(1, sizeof(*verify)) : NULL;

    if (!verify)
        return NULL;
    verify->driver = driver;
    verify->bytes = bytes;
    verify->input = hs_nccl_memory_new(driver, bytes);
    verify->beside = hs_nccl_memory_new(driver, bytes);
    verify->host = hs_nccl_host_new(driver, COPIES * bytes);
    verify->event = hs_nccl_event_new(driver, false);
    if (verify->input && verify->beside && verify->host && verify->event)
        return verify;
    hs_nccl_verify_free(verify, true);
    return NULL;
}

/* The GPU's memory first, which waits for what is under way. */
void hs_nccl_verify_free(struct hs_nccl_verify *verify, bool aborted)
{
    if (!verify)
        return;
    hs_nccl_memory_free(verify->driver, verify->input);
    hs_nccl_memory_free(verify->driver, verify->beside);
    if (!aborted)
        look(verify);
    uncompared += verify->copied;
    hs_nccl_host_free(verify->driver, verify->host);
    hs_nccl_event_free(verify->driver, verify->event);
    free(verify);
}

/* ---- calls ---- */

static char *host_of(const struct hs_nccl_verify *verify, int which)
{
    return verify->host + (size_t)which * verify->bytes;
}

/* Largest or smallest of all ranks' elements. */
static hs_nccl_result bound(struct hs_nccl_family *family, const struct hs_nccl_asked *asked,
                            int operation, char *host)
{
    struct hs_nccl_verify *verify = family->memory.verify;
    struct hs_nccl_asked call = *asked;
    hs_nccl_result result;

    call.from = verify->input;
    call.to = verify->beside;
    call.operation = (hs_nccl_operation)operation;
    result = hs_nccl_call(&family->nccl, &call);
    if (result == HS_NCCL_SUCCESS && host)
        hs_nccl_copy(verify->driver, host, verify->beside, output_bytes(asked, family->size),
                     asked->stream);
    return result;
}

/* ncclMax, ncclMin */
enum { MAX = 2, MIN = 3 };

/* The plan works on the program's buffers, and the library on what was sent. */
static hs_nccl_result carry_both(struct hs_nccl_family *family, const struct hs_rule *rule,
                                 const struct hs_nccl_asked *asked)
{
    struct hs_nccl_verify *verify = family->memory.verify;
    const size_t bytes = output_bytes(asked, family->size);
    const size_t in = asked->collective == HS_COLLECTIVE_REDUCE_SCATTER
                          ? bytes * (size_t)family->size
                      : asked->collective == HS_COLLECTIVE_ALLGATHER ? bytes / (size_t)family->size
                                                                     : bytes;
    const bool compares = !verify->copied;
    struct hs_nccl_asked own = *asked;
    hs_nccl_result result;

    hs_nccl_order_before(family, asked->stream);
    if (!hs_nccl_copy(verify->driver, verify->input, asked->from, in, asked->stream))
        return HS_NCCL_INVALID_USAGE;
    result = hs_nccl_carry(family, rule, asked);
    if (result == HS_NCCL_SUCCESS && compares)
        hs_nccl_copy(verify->driver, host_of(verify, OF_PLAN), asked->to, bytes, asked->stream);
    own.from = verify->input;
    if (result == HS_NCCL_SUCCESS)
        result = hs_nccl_call(&family->nccl, &own);
    if (result == HS_NCCL_SUCCESS && compares)
        hs_nccl_copy(verify->driver, host_of(verify, OF_LIBRARY), asked->to, bytes, asked->stream);
    if (result == HS_NCCL_SUCCESS && is_rounded(asked))
        result = bound(family, asked, MAX, compares ? host_of(verify, LARGEST) : NULL);
    if (result == HS_NCCL_SUCCESS && is_rounded(asked))
        result = bound(family, asked, MIN, compares ? host_of(verify, SMALLEST) : NULL);
    hs_nccl_order_after(family, asked->stream, result);
    if (!compares)
        uncompared++;
    if (result != HS_NCCL_SUCCESS || !compares ||
        verify->driver->event_record(verify->event, asked->stream) != 0)
        return result;
    verify->copied = true;
    verify->asked = *asked;
    verify->ranks = family->size;
    return result;
}

hs_nccl_result hs_nccl_verify_carry(struct hs_nccl_family *family, const struct hs_rule *rule,
                                    const struct hs_nccl_asked *asked, uint64_t every)
{
    struct hs_nccl_verify *verify = family->memory.verify;

    if (!verify || every == 0)
        return hs_nccl_carry(family, rule, asked);
    if (hs_nccl_captures(verify->driver, asked->stream))
        return hs_nccl_carry(family, rule, asked);
    look(verify);
    if (verify->calls++ % every != 0 || hs_nccl_bytes(asked, family->size) > verify->bytes)
        return hs_nccl_carry(family, rule, asked);
    return carry_both(family, rule, asked);
}

struct hs_nccl_verified hs_nccl_verified(void)
{
    return (struct hs_nccl_verified){compared, uncompared, different};
}
