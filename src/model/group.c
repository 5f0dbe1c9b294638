#include "model/group.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "base/units.h"

struct hs_group hs_group_world(int64_t ranks)
{
    return (struct hs_group){.ranks = ranks, .stride = 1, .size = ranks};
}

bool hs_group_is_world(const struct hs_group *group)
{
    return group->size == group->ranks;
}

bool hs_group_equal(const struct hs_group *a, const struct hs_group *b)
{
    bool equal = a->ranks == b->ranks && a->stride == b->stride && a->size == b->size;

    for (int i = 0; i < HS_SKIPS_MAX; i++)
        equal = equal && a->skips[i].inside == b->skips[i].inside &&
                a->skips[i].factor == b->skips[i].factor;
    return equal;
}

/* The skip, or NULL behind the last. */
static const struct hs_skip *skip_of(const struct hs_group *group, int i)
{
    return i < HS_SKIPS_MAX && group->skips[i].inside > 0 ? &group->skips[i] : NULL;
}

int64_t hs_group_stride(const struct hs_group *group, int64_t inside)
{
    int64_t stride = group->stride * inside;
    const struct hs_skip *skip;

    for (int i = 0; (skip = skip_of(group, i)) && skip->inside <= inside; i++)
        stride *= skip->factor;
    return stride;
}

int64_t hs_group_inside(const struct hs_group *group, int64_t stride)
{
    int64_t inside = stride / group->stride;
    const struct hs_skip *skip;

    for (int i = 0; (skip = skip_of(group, i)) && inside >= skip->inside * skip->factor; i++)
        inside /= skip->factor;
    return inside;
}

int64_t hs_group_span(const struct hs_group *group, int64_t inside)
{
    int64_t span = group->stride * inside;
    const struct hs_skip *skip;

    for (int i = 0; (skip = skip_of(group, i)) && skip->inside < inside; i++)
        span *= skip->factor;
    return span;
}

bool hs_group_has_node(const struct hs_group *group, int64_t inside)
{
    const struct hs_skip *skip;

    for (int i = 0; (skip = skip_of(group, i)); i++)
        if (skip->inside % inside != 0 && inside % skip->inside != 0)
            return false;
    return true;
}

bool hs_group_has_layer(const struct hs_group *group, int64_t inside, int64_t larger)
{
    const struct hs_skip *skip;

    for (int i = 0; (skip = skip_of(group, i)); i++)
        if (inside < skip->inside && skip->inside < larger)
            return false;
    return true;
}

static bool skips_divide(const struct hs_group *group)
{
    int64_t inside = 1;
    const struct hs_skip *skip;

    for (int i = 0; (skip = skip_of(group, i)); i++) {
        if (skip->factor < 2 || skip->inside <= inside || skip->inside % inside != 0)
            return false;
        inside = skip->inside;
    }
    return group->size % inside == 0 && (inside == 1 || inside < group->size);
}

enum hs_status hs_group_check(const struct hs_group *group, struct hs_error *err)
{
    int64_t span;

    if (group->ranks < 1 || group->ranks > HS_NP_MAX)
        return hs_fail(err, HS_INVALID, "expected 1 to %" PRId64 " processes, found %" PRId64,
                       HS_NP_MAX, group->ranks);
    if (group->stride >= 1 && group->size >= 1 && group->stride <= group->ranks / group->size &&
        skips_divide(group)) {
        span = hs_group_span(group, group->size);
        if (span <= group->ranks && group->ranks % span == 0)
            return HS_OK;
    }
    return hs_fail(err, HS_INVALID,
                   "groups of %" PRId64 " ranks at stride %" PRId64 " do not divide %" PRId64
                   " processes",
                   group->size, group->stride, group->ranks);
}

enum hs_status hs_group_check_split(const struct hs_group *group, const struct hs_split *split,
                                    struct hs_error *err)
{
    int64_t inside = 1;

    for (int i = 0; i < split->count; i++) {
        int64_t larger = inside * split->sizes[i];

        for (int k = 0; k < HS_SKIPS_MAX; k++)
            if (inside < group->skips[k].inside && group->skips[k].inside < larger)
                return hs_fail(err, HS_INVALID,
                               "layer %d: expected none over the gap between ranks %" PRId64
                               " and %" PRId64 " of a group",
                               i + 1, group->skips[k].inside - 1, group->skips[k].inside);
        inside = larger;
    }
    return HS_OK;
}

int hs_group_parts(struct hs_layer parts[HS_GROUP_PARTS_MAX], const struct hs_group *group)
{
    const struct hs_skip *skip;
    int64_t inside = 1;
    int count = 0;

    for (; (skip = skip_of(group, count)); count++) {
        parts[count] = (struct hs_layer){hs_group_stride(group, inside), skip->inside / inside};
        inside = skip->inside;
    }
    parts[count] = (struct hs_layer){hs_group_stride(group, inside), group->size / inside};
    return count + 1;
}

struct hs_split hs_group_flat(const struct hs_group *group)
{
    struct hs_layer parts[HS_GROUP_PARTS_MAX];
    struct hs_split flat = {.count = hs_group_parts(parts, group)};

    for (int i = 0; i < flat.count; i++)
        flat.sizes[i] = parts[i].size;
    return flat;
}

bool hs_group_is_flat(const struct hs_group *group)
{
    struct hs_layer parts[HS_GROUP_PARTS_MAX];
    int count = hs_group_parts(parts, group);
    bool flat = true;

    for (int i = 0; i < count; i++)
        flat = flat && (parts[i].size == 1 || hs_is_prime(parts[i].size));
    return flat;
}

int64_t hs_group_ranks_of_unit(const struct hs_group *group, int64_t unit)
{
    struct hs_layer parts[HS_GROUP_PARTS_MAX];
    int count = hs_group_parts(parts, group);
    int64_t inside = 1;

    for (int i = 0; i < count; i++) {
        int64_t stride = parts[i].stride, span = stride * parts[i].size;

        if (unit % span == 0)
            inside *= parts[i].size;
        else if (unit % stride == 0 && span % unit == 0)
            inside *= unit / stride;
        else if (stride % unit != 0)
            return 0;
    }
    return inside;
}

#define SPREAD_GROUPS 65536
#define SPREAD_RANKS  1048576

/* Of ranks first, first + stride, ..., stride < unit: all units between have some. */
static struct hs_spread spread_from(int64_t first, struct hs_layer layer, int64_t unit)
{
    int64_t offset = first % unit, last = offset + (layer.size - 1) * layer.stride;
    int64_t begin = (unit - offset + layer.stride - 1) / layer.stride;
    int64_t end = last % unit / layer.stride + 1;
    struct hs_spread spread = {.units = last / unit + 1, .least = layer.size, .most = layer.size};

    if (spread.units == 1)
        return spread;
    spread.least = begin < end ? begin : end;
    spread.most = begin > end ? begin : end;
    for (int64_t u = 1; u < spread.units - 1 && u <= layer.stride; u++) { /* then as before */
        int64_t place = (u * unit - offset + layer.stride - 1) / layer.stride;
        int64_t from = offset + place * layer.stride - u * unit;
        int64_t here = (unit - from + layer.stride - 1) / layer.stride;

        spread.least = here < spread.least ? here : spread.least;
        spread.most = here > spread.most ? here : spread.most;
    }
    return spread;
}

/* Of the group of rank `first`, rank by rank, as where there are gaps. */
static struct hs_spread spread_counted(const struct hs_group *group, int64_t first, int64_t unit)
{
    struct hs_spread spread = {.least = group->size};
    int64_t here = 0, at = -1;

    for (int64_t place = 0; place <= group->size; place++) {
        int64_t next = place < group->size ? hs_group_rank(group, first, place) / unit : -1;

        if (next != at && place > 0) {
            spread.units++;
            spread.least = here < spread.least ? here : spread.least;
            spread.most = here > spread.most ? here : spread.most;
            here = 0;
        }
        at = next;
        here++;
    }
    return spread;
}

struct hs_spread hs_group_spread(const struct hs_group *group, int64_t unit)
{
    int64_t same = hs_group_ranks_of_unit(group, unit), looked = 0;
    bool gaps = group->skips[0].inside > 0;
    struct hs_layer layer = {group->stride, group->size};
    struct hs_spread worst = {0, 0, 0};

    if (unit > group->ranks) /* one has all of them */
        unit = group->ranks;
    if (same > 0 || (!gaps && group->stride >= unit)) {
        same = same > 0 ? same : 1;
        return (struct hs_spread){group->size / same, same, same};
    }
    for (int64_t rank = 0; rank < group->ranks && looked < SPREAD_GROUPS; rank++) {
        struct hs_spread spread;

        if (rank > 0 && rank % unit == 0 && rank % hs_group_span(group, group->size) == 0)
            break; /* from here on all lies as before */
        if (hs_group_place(group, rank) > 0) {
            if (!gaps) /* those of a block begin side by side */
                rank += layer.stride * (layer.size - 1) - 1;
            continue;
        }
        spread = gaps ? spread_counted(group, rank, unit) : spread_from(rank, layer, unit);
        if (looked++ == 0 ||
            (spread.units > 1 && (worst.units == 1 || spread.least < worst.least ||
                                  (spread.least == worst.least && spread.units > worst.units))))
            worst = spread;
        if (gaps && looked * group->size > SPREAD_RANKS)
            break;
    }
    return worst;
}

/* The parts of a group that lead from unit to unit, in units. */
static int parts_of_units(struct hs_layer parts[HS_GROUP_PARTS_MAX], const struct hs_group *group,
                          int64_t unit)
{
    struct hs_layer all[HS_GROUP_PARTS_MAX];
    int all_count = hs_group_parts(all, group), count = 0;

    for (int i = 0; i < all_count; i++) {
        int64_t span = all[i].stride * all[i].size;

        if (all[i].stride >= unit)
            parts[count++] = (struct hs_layer){all[i].stride / unit, all[i].size};
        else if (span > unit)
            parts[count++] = (struct hs_layer){1, span / unit};
    }
    return count;
}

#define BLOCKS_MAX 4096

int64_t hs_group_crossings(const struct hs_group *group, int64_t unit, int64_t block)
{
    struct hs_layer parts[HS_GROUP_PARTS_MAX];
    int count = parts_of_units(parts, group, unit);
    int64_t units = group->ranks / unit, crossing = 0, most = 0;

    for (int64_t u = 0; u < units && u / block < BLOCKS_MAX; u++) {
        int64_t next = u;

        /* One further in the innermost part that has one; those inside of it begin again. */
        for (int i = 0; i < count; i++) {
            int64_t digit = u / parts[i].stride % parts[i].size;

            if (digit + 1 < parts[i].size) {
                next += parts[i].stride;
                break;
            }
            next -= digit * parts[i].stride;
        }
        crossing = (u % block == 0 ? 0 : crossing) + (next / block != u / block);
        most = crossing > most ? crossing : most;
    }
    return most;
}

int64_t hs_group_place(const struct hs_group *group, int64_t rank)
{
    struct hs_layer parts[HS_GROUP_PARTS_MAX];
    int count = hs_group_parts(parts, group);
    int64_t place = 0, inside = 1;

    for (int i = 0; i < count; inside *= parts[i++].size)
        place += rank / parts[i].stride % parts[i].size * inside;
    return place;
}

int64_t hs_group_rank(const struct hs_group *group, int64_t rank, int64_t place)
{
    struct hs_layer parts[HS_GROUP_PARTS_MAX];
    int count = hs_group_parts(parts, group);

    for (int i = 0; i < count; place /= parts[i++].size)
        rank += (place % parts[i].size - rank / parts[i].stride % parts[i].size) * parts[i].stride;
    return rank;
}

/* The digits of the rank that its group's members share: those of the parts are taken out, the
 * outermost first, which leaves the strides of the others as they are. */
int64_t hs_group_number(const struct hs_group *group, int64_t rank)
{
    struct hs_layer parts[HS_GROUP_PARTS_MAX];

    for (int i = hs_group_parts(parts, group) - 1; i >= 0; i--)
        rank = rank / (parts[i].stride * parts[i].size) * parts[i].stride + rank % parts[i].stride;
    return rank;
}

#define MEMBERS_SHOWN 4

char *hs_group_format(char text[HS_GROUP_TEXT], const struct hs_group *group, int64_t rank)
{
    int64_t shown = group->size > MEMBERS_SHOWN + 1 ? MEMBERS_SHOWN : group->size;
    int length = snprintf(text, HS_GROUP_TEXT, "%" PRId64 " of %" PRId64 ", rank%s",
                          hs_group_number(group, rank) + 1, group->ranks / group->size,
                          group->size == 1 ? "" : "s");

    for (int64_t place = 0; place < shown; place++)
        length += snprintf(text + length, (size_t)(HS_GROUP_TEXT - length), "%s %" PRId64,
                           place > 0 ? "," : "", hs_group_rank(group, rank, place));
    if (shown < group->size)
        snprintf(text + length, (size_t)(HS_GROUP_TEXT - length), ", ...");
    return text;
}
