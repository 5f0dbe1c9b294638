/*
 * What may be the cause: each that has a price is fitted to all rows together.
 *
 * With y the logarithms of measured over predicted times, y = S d + e: S d is the machine's own
 * constants being off, which rows share (S: derivatives of log(seconds) by log(constant), d normal
 * with the deviations of hs_nccl_deviations), e what no constant explains (hs_nccl_noise). So a
 * variant's misfit is y' C^-1 y with C = S D^2 S' + N, and N C^-1 y is what it leaves at each row
 * (the best linear prediction; Henderson 1975).
 *
 * A variant with a free parameter (a rate) is weighed by how much of the parameter's range fits
 * (Occam's factor): a price without one that meets the times tells more than a rate that was
 * chosen to meet them. Causes that share a curve share its fit, and only their priors order them.
 */
#include <gsl/gsl_linalg.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/check.h"
#include "base/statistics.h"

#define GB         1e9
#define ROWS_MOST  40 /* of many rows as many are fitted, the largest among them */
#define GRID       36
#define NOISE_MORE 3.0 /* in chi^2: any times fit noise */
#define TUNED_MOST 5.0 /* times that a tuning cost, in public logs 1.1 to 4 */
#define NICS_MOST  32
#define GOOD_NOISE 0.05
#define SHORT_MOST ((uint64_t)65536)

/* Deviations of the worst row up to which a variant fits, and from which it is excluded. */
#define FITS_TO       2.5
#define EXCLUDED_FROM 4.0
#define SMALL_FACTOR  1.15 /* what a loss has to be, to be one */
#define LAYER_ODDS    0.60 /* a layer is said from such odds on */
#define LEAST_RATE    0.01
#define STEP_TCP_US   10.0 /* vllm issue 42075: a message by sockets, where RDMA takes 1 */
/* GB/s of a node by sockets, as posted (nccl 209, 398, 450, AReaL 639, vllm 42075); by shared
 * memory in place of peer access (nccl 841, nccl-tests 228). */
#define TCP_MOST  20.0 /* of a NIC */
#define SHM_LEAST 1.0
#define SHM_MOST  45.0
/* Of the NICs' rate through the host, in nine public logs: 0.30 to 0.66. */
#define HOST_LEAST 0.25
#define HOST_MOST  0.72

#define HS_ROW(name, key, text, layer, prior, next) {key, text, next, HS_LAYER_##layer, prior},
const struct hs_check_cause_row hs_check_causes[HS_CHECK_CAUSE_COUNT] = {HS_CHECK_CAUSES(HS_ROW)};
#undef HS_ROW

/* Versions of NCCL whose tuning of allreduces with NVLS was wrong; how slow that makes them, is not
 * known in general. */
static const struct {
    int from, to;
    int64_t nodes; /* more than so many */
    const char *what;
} version_faults[] = {
    {21900, 21999, 4,
     "NCCL 2.19 cuts NVLSTree's chunks to 64 KiB above 4 nodes "
     "(NVIDIA/nccl 1112)"},
};

/* ---- prices of variants ---------------------------------------------------------------------- */

static bool is_nccl(const struct hs_check_row *row)
{
    return row->logged.library == HS_LIBRARY_NCCL;
}

void hs_check_use_version(struct hs_check_row *row, int version)
{
    struct hs_nccl_call call = row->logged.nccl.call;
    struct hs_nccl_choice choice;

    call.version = version;
    if (hs_nccl_choose(&choice, &call, 1U << row->logged.nccl.choice.algorithm) &&
        hs_nccl_choose(&choice, &call, HS_NCCL_ANY))
        row->logged.nccl = hs_nccl_run(&call, choice);
}

/* What runs by the rule among these; false: the call has none of them. */
static bool choose(struct hs_nccl_run *run, unsigned among, unsigned protocols)
{
    struct hs_nccl_choice all[HS_NCCL_CHOICES_MAX], best = run->choice;
    size_t count = hs_nccl_choices(all, &run->call);
    double least = INFINITY;

    for (size_t i = 0; i < count; i++)
        if ((among & (1U << all[i].algorithm)) && (protocols & (1U << all[i].protocol)) &&
            all[i].modelled_seconds < least) {
            least = all[i].modelled_seconds;
            best = all[i];
        }
    *run = hs_nccl_run(&run->call, best);
    return isfinite(least);
}

static double nccl_seconds(const struct hs_nccl_run *of, const struct hs_system *system,
                           const struct hs_check_variant *variant)
{
    double values[HS_CONSTANTS_MAX], *nic;
    struct hs_nccl_run run = *of;
    struct hs_shape *shape = &run.call.shape;

    if ((variant->among || variant->protocols || variant->by_rule) &&
        !choose(&run, variant->among ? variant->among : HS_NCCL_ANY,
                variant->protocols ? variant->protocols : ~0U))
        run = *of; /* NCCL does without a wish that it cannot meet */
    shape = &run.call.shape;
    shape->network_share *= variant->network;
    shape->nvlink_GBps *= variant->inside;
    shape->link_GBps *= variant->inside;
    shape->parts.gpu.nvlink_GBps *= variant->inside;
    hs_calls_values(values, system);
    nic = &values[HS_NCCL_K_NIC_IB + shape->parts.nic.class];
    *nic = fmax(*nic, variant->step_us);
    return hs_nccl_price_model.seconds(&run, values) * variant->all + variant->more_seconds;
}

double hs_check_seconds(const struct hs_check_row *row, const struct hs_system *system,
                        const struct hs_check_variant *variant)
{
    static const struct hs_check_variant same = HS_CHECK_SAME;
    double rate = row->nodes > 1 ? variant->network : variant->inside;

    if (is_nccl(row) && row->against != HS_AGAINST_LINE)
        return row->expected_seconds * nccl_seconds(&row->logged.nccl, system, variant) /
               nccl_seconds(&row->logged.nccl, system, &same);
    return row->expected_seconds / rate * variant->all + variant->more_seconds;
}

void hs_check_use_forced(struct hs_check_row *row, const struct hs_system *system,
                         const struct hs_check_variant *forced)
{
    double times = hs_check_seconds(row, system, forced) / row->expected_seconds;
    struct hs_nccl_run run = row->logged.nccl;

    if (!is_nccl(row) || isnan(times) ||
        !choose(&run, forced->among ? forced->among : HS_NCCL_ANY,
                forced->protocols ? forced->protocols : ~0U))
        return;
    row->logged.nccl = run;
    row->expected_seconds *= times;
    row->low_seconds *= times;
    row->high_seconds *= times;
    snprintf(row->algorithm, sizeof(row->algorithm), "%s, %s",
             hs_nccl_algorithm_names[run.choice.algorithm],
             hs_nccl_protocol_names[run.choice.protocol]);
}

/* ---- the fit of a variant -------------------------------------------------------------------- */

struct fit {
    const struct hs_system *system;
    const struct hs_check_row *rows[ROWS_MOST];
    size_t count;
    double factor[ROWS_MOST * ROWS_MOST]; /* of Cholesky */
    double total[ROWS_MOST], noise[ROWS_MOST];
};

/* How a variant meets the rows. */
struct met {
    double chi;          /* y' C^-1 y */
    double worst;        /* deviations of the row that it meets least */
    size_t row;          /* that one */
    double too_slow;     /* of rows that went faster than it allows, the worst; */
    size_t too_slow_row; /* 0: none did */
    struct hs_check_variant variant;
};

static void put_covariance(struct fit *fit)
{
    size_t n = fit->count, width = hs_nccl_price_model.count;
    double values[HS_CONSTANTS_MAX], deviations[HS_NCCL_K_COUNT];
    double *slopes = calloc(n * width, sizeof(*slopes));
    gsl_matrix_view matrix = gsl_matrix_view_array(fit->factor, n, n);

    for (size_t i = 0; i < n; i++) {
        const struct hs_check_row *row = fit->rows[i];
        const struct hs_nccl_run *run = &row->logged.nccl;
        double range = log(row->high_seconds / row->low_seconds) / 2 / HS_PRICE_RANGE, before;

        fit->noise[i] = fmax(range / 2, GOOD_NOISE);
        if (row->against == HS_AGAINST_GOOD) {
            fit->noise[i] = GOOD_NOISE;
            continue;
        }
        if (row->against != HS_AGAINST_PRICE || !is_nccl(row) || !slopes)
            continue;
        fit->noise[i] = hs_nccl_noise(run->call.bytes, fit->system->nccl.residual);
        hs_calls_values(values, fit->system);
        hs_nccl_deviations(deviations, &run->call.shape.parts, run->call.shape.domains,
                           fit->system->nccl.doubt);
        before = hs_nccl_price_model.seconds(run, values);
        for (size_t k = 0; k < width; k++) {
            double value = values[k];

            values[k] = value * 1.02;
            slopes[i * width + k] =
                log(hs_nccl_price_model.seconds(run, values) / before) / log(1.02) * deviations[k];
            values[k] = value;
        }
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0;

            for (size_t k = 0; slopes && k < width; k++)
                sum += slopes[i * width + k] * slopes[j * width + k];
            if (fit->rows[i]->against == HS_AGAINST_LINE &&
                fit->rows[j]->against == HS_AGAINST_LINE) /* the share of a line rate is shared */
                sum += fit->noise[i] * fit->noise[j];
            if (i == j) {
                sum += fit->noise[i] * fit->noise[i];
                fit->total[i] = sqrt(sum);
            }
            fit->factor[i * n + j] = sum;
        }
    gsl_linalg_cholesky_decomp1(&matrix.matrix);
    free(slopes);
}

static struct met meet(struct fit *fit, const struct hs_check_variant *variant,
                       const double *seconds)
{
    size_t n = fit->count;
    double off[ROWS_MOST], solved[ROWS_MOST];
    gsl_matrix_view matrix = gsl_matrix_view_array(fit->factor, n, n);
    gsl_vector_view vector = gsl_vector_view_array(solved, n);
    struct met met = {.variant = *variant};

    for (size_t i = 0; i < n; i++)
        off[i] = solved[i] =
            log(fit->rows[i]->seconds /
                (seconds ? seconds[i] : hs_check_seconds(fit->rows[i], fit->system, variant)));
    gsl_linalg_cholesky_svx(&matrix.matrix, &vector.vector);
    for (size_t i = 0; i < n; i++) {
        double left = fit->noise[i] * solved[i] / 1.3, all = off[i] / fit->total[i];
        double worst = fmax(fabs(left), fabs(all));

        met.chi += off[i] * solved[i];
        if (worst > met.worst) {
            met.worst = worst;
            met.row = i;
        }
        if (-off[i] > log(SMALL_FACTOR) && -all > met.too_slow) {
            met.too_slow = -all;
            met.too_slow_row = i;
        }
    }
    return met;
}

/* A member of the variant in [least, most] that meets the rows best. */
struct best {
    struct met met;
    double value, low, high; /* what fits about as well lies between */
    double part;             /* of the range's logarithm */
};

static struct best meet_best(struct fit *fit, size_t member, double least, double most)
{
    struct hs_check_variant variant = HS_CHECK_SAME;
    double *value = (double *)((char *)&variant + member);
    double step = log(most / least) / GRID, chi[GRID + 1], sum = 0, low, high;
    struct best best = {.met = {.chi = INFINITY}};

    for (int i = 0; i <= GRID; i++) {
        struct met one;

        *value = least * exp(step * i);
        one = meet(fit, &variant, NULL);
        chi[i] = one.chi;
        if (one.chi < best.met.chi) {
            best.met = one;
            best.value = *value;
        }
    }
    low = fmax(least, best.value * exp(-step));
    high = fmin(most, best.value * exp(step));
    for (int i = 0; i < 12; i++) { /* thirds of what is left */
        double third = log(high / low) / 3;
        struct met left, right;

        *value = low * exp(third);
        left = meet(fit, &variant, NULL);
        *value = high * exp(-third);
        right = meet(fit, &variant, NULL);
        if (left.chi < right.chi)
            high *= exp(-third);
        else
            low *= exp(third);
        if (fmin(left.chi, right.chi) < best.met.chi) {
            best.met = left.chi < right.chi ? left : right;
            best.value = *(const double *)((const char *)&best.met.variant + member);
        }
    }
    best.low = best.high = best.value;
    for (int i = 0; i <= GRID; i++) {
        double at = least * exp(step * i);

        sum += exp(-fmin(chi[i] - best.met.chi, 60) / 2);
        if (chi[i] - best.met.chi < 4) {
            best.low = fmin(best.low, at);
            best.high = fmax(best.high, at);
        }
    }
    best.low *= exp(-step / 2);
    best.high *= exp(step / 2);
    best.part = fmin(1, fmax(sum, 0.5) / (GRID + 1));
    return best;
}

/* ---- causes ---------------------------------------------------------------------------------- */

struct explained {
    struct hs_check_answer *out;
    const struct hs_check_facts *facts;
    struct fit fit;
    const struct hs_check_row *decisive;
    const struct hs_parts *parts;
    double factor; /* measured over expected, decisive row */
    bool back;     /* a larger size is slower than the next smaller one */
    struct best network, inside, all, call;
    double weights[HS_CHECK_CAUSE_COUNT];
    double chi[HS_CHECK_CAUSE_COUNT];
};

static struct hs_check_found *found_of(struct explained *all, enum hs_check_cause cause)
{
    return &all->out->causes[cause];
}

#define SAY(all, cause, ...)                                                                       \
    snprintf(found_of(all, cause)->by, sizeof(found_of(all, cause)->by), __VA_ARGS__)

static void row_text(char text[HS_FIELD_TEXT], const struct hs_check_row *row, double seconds)
{
    char size[HS_UNIT_TEXT], measured[HS_UNIT_TEXT], allowed[HS_UNIT_TEXT];

    snprintf(text, HS_FIELD_TEXT, "%s of %s in %s, where it allows %s", row->call,
             hs_bytes_format(size, row->bytes), hs_seconds_format(measured, row->seconds),
             hs_seconds_format(allowed, seconds));
}

/* The status by the fit alone. Excluded is what a row went clearly faster than, even where the
 * cause made half of the loss: another cause may make the rest. */
static void judge(struct explained *all, enum hs_check_cause cause, const struct met *met,
                  const struct met *half, double part, bool may_fit)
{
    struct hs_check_found *found = found_of(all, cause);
    double effect = hs_check_seconds(all->decisive, all->fit.system, &met->variant) /
                    all->decisive->expected_seconds;

    found->misfit = met->worst;
    found->variant = met->variant;
    found->status = HS_CAUSE_OPEN;
    all->chi[cause] = met->chi - 2 * log(fmax(part, 1e-6));
    if (effect < 1.05) {
        found->status = HS_CAUSE_EXCLUDED;
        SAY(all, cause, "it would not slow %s of this size here", all->decisive->call);
    } else if (half->too_slow > EXCLUDED_FROM) {
        const struct hs_check_row *row = all->fit.rows[half->too_slow_row];

        found->status = HS_CAUSE_EXCLUDED;
        row_text(found->by, row, hs_check_seconds(row, all->fit.system, &half->variant));
    } else if (met->worst <= FITS_TO && may_fit)
        found->status = HS_CAUSE_FITS;
    else
        SAY(all, cause, "it explains %.2gx of %.2gx", effect, all->factor);
}

/* Rates between nodes: one curve, of which each cause allows a part. */
static void judge_network(struct explained *all)
{
    static const struct {
        enum hs_check_cause cause;
        double least, most;
    } ranges[] = {
        {HS_BY_GDR_OFF, HOST_LEAST, HOST_MOST},   {HS_BY_ACS_ATS, HOST_LEAST, HOST_MOST},
        {HS_BY_NIC_BEHIND_CPU, HOST_LEAST, 0.85}, {HS_BY_TOPOLOGY_FILE, 0.05, 0.8},
        {HS_BY_FABRIC_ROUTE, 0.3, 0.65},          {HS_BY_TAPER, 0.2, 0.85},
        {HS_BY_NETWORK_PATH, LEAST_RATE, 0.95},
    };
    const struct best *best = &all->network;
    struct hs_check_variant milder = HS_CHECK_SAME;
    struct met half;

    milder.network = sqrt(best->value);
    half = meet(&all->fit, &milder, NULL);
    for (size_t i = 0; i < sizeof(ranges) / sizeof(*ranges); i++) {
        bool in = best->high >= ranges[i].least && best->low <= ranges[i].most;
        /* of its range as much as fits */
        double part = best->part * log(1 / LEAST_RATE) / log(ranges[i].most / ranges[i].least);

        judge(all, ranges[i].cause, &best->met, &half, fmin(1, part), in);
        if (found_of(all, ranges[i].cause)->status == HS_CAUSE_FITS)
            SAY(all, ranges[i].cause, "%.2g of the rate between nodes", best->value);
        else if (!in && found_of(all, ranges[i].cause)->status == HS_CAUSE_OPEN) {
            SAY(all, ranges[i].cause, "%.2g of the rate, where such were %.2g to %.2g", best->value,
                ranges[i].least, ranges[i].most);
            all->chi[ranges[i].cause] += 6;
        }
    }
    if (all->parts->switch_nodes > 0 && all->decisive->nodes <= all->parts->switch_nodes) {
        found_of(all, HS_BY_TAPER)->status = HS_CAUSE_EXCLUDED;
        SAY(all, HS_BY_TAPER, "%lld nodes are under one switch", (long long)all->decisive->nodes);
    }
}

/* One of a few variants: the one that meets the rows best. */
static void judge_among(struct explained *all, enum hs_check_cause cause,
                        const struct hs_check_variant *variants, size_t count, bool may_fit)
{
    struct met best = {.chi = INFINITY}, mildest = {.too_slow = INFINITY};

    for (size_t i = 0; i < count; i++) {
        struct met one = meet(&all->fit, &variants[i], NULL);
        double effect = hs_check_seconds(all->decisive, all->fit.system, &variants[i]) /
                        all->decisive->expected_seconds;

        if (one.chi < best.chi)
            best = one;
        if (effect >= 1.05 && one.too_slow < mildest.too_slow)
            mildest = one;
    }
    if (isinf(mildest.too_slow))
        mildest = best;
    judge(all, cause, &best, &mildest, 1 / (double)count, may_fit);
}

static void judge_steps(struct explained *all)
{
    struct hs_check_variant rates[NICS_MOST];
    double nics = (double)all->parts->nic_count, slot;
    size_t count = 0;
    struct hs_check_found *found = found_of(all, HS_BY_NICS_USED);

    for (int64_t k = 1; k < all->parts->nic_count && count < NICS_MOST; k++) {
        rates[count] = (struct hs_check_variant)HS_CHECK_SAME;
        rates[count++].network = (double)k / nics;
    }
    if (count > 0)
        judge_among(all, HS_BY_NICS_USED, rates, count, true);
    else {
        found->status = HS_CAUSE_EXCLUDED;
        SAY(all, HS_BY_NICS_USED, "the node has one NIC");
    }
    if (found->status == HS_CAUSE_FITS)
        SAY(all, HS_BY_NICS_USED, "%lld of %lld NICs",
            (long long)fmax(1, round(all->network.value * nics)), (long long)nics);
    else if (found->status == HS_CAUSE_OPEN)
        SAY(all, HS_BY_NICS_USED, "%.3g of %lld NICs is no whole number", all->network.value * nics,
            (long long)nics);
    rates[0] = rates[1] = (struct hs_check_variant)HS_CHECK_SAME;
    rates[0].network = 0.5;
    rates[1].network = 0.25;
    judge_among(all, HS_BY_PORT_RATE, rates, 2, true);
    if (found_of(all, HS_BY_PORT_RATE)->status == HS_CAUSE_FITS)
        SAY(all, HS_BY_PORT_RATE, "1/%d of the ports' rate", all->network.value > 0.35 ? 2 : 4);
    slot = all->parts->gpu.slot_GBps / fmax(1, all->parts->nic.line_GBps);
    rates[0].network = fmin(1, slot / 2);
    rates[1].network = fmin(1, slot / 4);
    judge_among(all, HS_BY_SLOT, rates, 2, false);
}

static void judge_sockets(struct explained *all)
{
    struct hs_check_found *found = found_of(all, HS_BY_TCP_SOCKETS);
    const struct hs_parts *parts = all->parts;
    double rate = hs_check_rate(all->decisive, all->decisive->seconds) / GB;
    struct hs_check_variant steps = HS_CHECK_SAME;

    *found = (struct hs_check_found){
        .cause = HS_BY_TCP_SOCKETS, .status = HS_CAUSE_OPEN, .variant = all->network.met.variant};
    all->chi[HS_BY_TCP_SOCKETS] = all->network.met.chi - 2 * log(all->network.part);
    SAY(all, HS_BY_TCP_SOCKETS, "%.3g GB/s a node, where such were 1 to 6", rate);
    steps.step_us = STEP_TCP_US;
    if (rate > 8)
        all->chi[HS_BY_TCP_SOCKETS] += 6;
    if (parts->nic.class == HS_NIC_TCP || rate > TCP_MOST * fmax(1, (double)parts->nic_count)) {
        found->status = HS_CAUSE_EXCLUDED;
        SAY(all, HS_BY_TCP_SOCKETS,
            parts->nic.class == HS_NIC_TCP ? "the machine has sockets"
                                           : "%.3g GB/s is more than sockets carry",
            rate);
        return;
    }
    for (size_t i = 0; i < all->fit.count; i++) {
        const struct hs_check_row *row = all->fit.rows[i];
        double allowed = hs_check_seconds(row, all->fit.system, &steps);

        if (row->nodes < 2 || row->bytes > SHORT_MOST || !is_nccl(row) ||
            row->seconds * 1.25 > allowed ||
            log(allowed / row->seconds) < HS_PRICE_RANGE * all->fit.total[i])
            continue;
        found->status = HS_CAUSE_EXCLUDED;
        row_text(found->by, row, allowed);
        return;
    }
}

/* At each size whatever of the library's algorithms and protocols is nearest. */
static void judge_choice(struct explained *all)
{
    struct hs_check_variant variants[HS_NCCL_ALGORITHM_COUNT];
    struct hs_check_found *found = found_of(all, HS_BY_ALGORITHM_CHOICE);
    double seconds[ROWS_MOST] = {0}, changed = 0;
    struct hs_check_variant same = HS_CHECK_SAME;
    struct met mixed;

    for (int a = 0; a < HS_NCCL_ALGORITHM_COUNT; a++) {
        variants[a] = same;
        variants[a].among = 1U << a;
    }
    judge_among(all, HS_BY_ALGORITHM_CHOICE, variants, HS_NCCL_ALGORITHM_COUNT, true);
    for (size_t i = 0; i < all->fit.count; i++) {
        const struct hs_check_row *row = all->fit.rows[i];
        double nearest = fabs(log(row->seconds / row->expected_seconds));

        seconds[i] = row->expected_seconds;
        for (int a = 0; a < HS_NCCL_ALGORITHM_COUNT && is_nccl(row) && row->is_low; a++)
            for (int p = 0; p < HS_NCCL_PROTOCOL_COUNT; p++) {
                struct hs_check_variant one = same;
                double other;

                one.among = 1U << a;
                one.protocols = 1U << p;
                other = hs_check_seconds(row, all->fit.system, &one);
                if (fabs(log(row->seconds / other)) >= nearest)
                    continue;
                nearest = fabs(log(row->seconds / other));
                seconds[i] = other;
            }
        changed += seconds[i] != row->expected_seconds;
    }
    mixed = meet(&all->fit, &same, seconds);
    if (changed > 0 && mixed.worst <= FITS_TO && found->status != HS_CAUSE_FITS && all->back) {
        found->status = HS_CAUSE_FITS;
        found->misfit = mixed.worst;
        all->chi[HS_BY_ALGORITHM_CHOICE] = mixed.chi + 2;
        SAY(all, HS_BY_ALGORITHM_CHOICE, "another algorithm at %.0f size%s", changed,
            HS_PLURAL((int)changed));
    }
    if (all->back && found->status == HS_CAUSE_EXCLUDED)
        found->status = HS_CAUSE_OPEN;
}

static void judge_library(struct explained *all)
{
    struct hs_check_variant variants[HS_NCCL_PROTOCOL_COUNT];
    bool has_nvls = false;

    for (size_t i = 0; i < all->fit.count; i++) {
        enum hs_nccl_algorithm algorithm = all->fit.rows[i]->logged.nccl.choice.algorithm;

        has_nvls = has_nvls || (is_nccl(all->fit.rows[i]) &&
                                (algorithm == HS_NCCL_NVLS || algorithm == HS_NCCL_NVLSTREE));
    }
    variants[0] = (struct hs_check_variant)HS_CHECK_SAME;
    variants[0].among = ~((1U << HS_NCCL_NVLS) | (1U << HS_NCCL_NVLSTREE));
    judge_among(all, HS_BY_NVLS_OFF, variants, 1, true);
    if (!has_nvls) {
        found_of(all, HS_BY_NVLS_OFF)->status = HS_CAUSE_EXCLUDED;
        SAY(all, HS_BY_NVLS_OFF, "the library would not use it here");
    }
    variants[0].among = 1U << HS_NCCL_RING;
    judge_among(all, HS_BY_RING_FORCED, variants, 1, true);
    judge_choice(all);
    for (int p = 0; p < HS_NCCL_PROTOCOL_COUNT; p++) {
        variants[p] = (struct hs_check_variant)HS_CHECK_SAME;
        variants[p].protocols = 1U << p;
    }
    judge_among(all, HS_BY_PROTOCOL, variants, HS_NCCL_PROTOCOL_COUNT, true);
}

/* Causes without a price of their own: what has the same curve weighs them, and nothing fits. */
static void judge_unpriced(struct explained *all)
{
    const struct best *rate = all->decisive->nodes > 1 ? &all->network : &all->inside;
    struct hs_check_variant milder = HS_CHECK_SAME;
    struct met half;

    if (all->decisive->nodes > 1)
        milder.network = sqrt(rate->value);
    else
        milder.inside = sqrt(rate->value);
    half = meet(&all->fit, &milder, NULL);
    judge(all, HS_BY_CHANNELS, &rate->met, &half, rate->part, false);
    judge(all, HS_BY_LIBRARY_TUNING, &rate->met, &half, rate->part, false);
    found_of(all, HS_BY_CHANNELS)->by[0] = found_of(all, HS_BY_LIBRARY_TUNING)->by[0] = '\0';
    found_of(all, HS_BY_LIBRARY_TUNING)->status = HS_CAUSE_OPEN;
    for (size_t i = 0; i < sizeof(version_faults) / sizeof(*version_faults); i++)
        if (is_nccl(all->decisive) && all->facts->version >= version_faults[i].from &&
            all->facts->version <= version_faults[i].to && all->parts->gpu.nvls &&
            all->decisive->logged.kind == HS_CALL_ALLREDUCE &&
            all->decisive->nodes > version_faults[i].nodes) {
            found_of(all, HS_BY_LIBRARY_TUNING)->status = HS_CAUSE_FITS;
            all->chi[HS_BY_LIBRARY_TUNING] -= 8;
            SAY(all, HS_BY_LIBRARY_TUNING, "%s", version_faults[i].what);
        }
    milder = (struct hs_check_variant)HS_CHECK_SAME;
    milder.all = sqrt(all->all.value);
    half = meet(&all->fit, &milder, NULL);
    judge(all, HS_BY_HOST_BUSY, &all->all.met, &half, all->all.part, all->fit.count > 2);
    judge(all, HS_BY_LIBRARY_BUILD, &all->all.met, &half, all->all.part, false);
    if (found_of(all, HS_BY_HOST_BUSY)->status == HS_CAUSE_FITS)
        SAY(all, HS_BY_HOST_BUSY, "every size takes %.2gx as long", all->all.value);
    found_of(all, HS_BY_LIBRARY_BUILD)->by[0] = '\0';
    found_of(all, HS_BY_LIBRARY_BUILD)->status = HS_CAUSE_OPEN;
    if (all->call.met.chi < all->all.met.chi) {
        milder.all = 1;
        milder.more_seconds = all->call.value / 2;
        half = meet(&all->fit, &milder, NULL);
        judge(all, HS_BY_HOST_BUSY, &all->call.met, &half, all->call.part, false);
        found_of(all, HS_BY_HOST_BUSY)->status = HS_CAUSE_OPEN;
        SAY(all, HS_BY_HOST_BUSY, "%.3g us more a call", all->call.value * 1e6);
    }
    *found_of(all, HS_BY_NOISE) =
        (struct hs_check_found){.cause = HS_BY_NOISE, .status = HS_CAUSE_OPEN};
    all->chi[HS_BY_NOISE] =
        fmin(all->chi[HS_BY_NETWORK_PATH], all->chi[HS_BY_HOST_BUSY]) + NOISE_MORE;
}

static void judge_node(struct explained *all)
{
    double rate = hs_check_rate(all->decisive, all->decisive->seconds) / GB;
    bool boards = all->parts->gpu.generation == HS_GPU_BOARD;
    struct hs_check_variant milder = HS_CHECK_SAME;
    struct met half;

    milder.inside = sqrt(all->inside.value);
    half = meet(&all->fit, &milder, NULL);
    judge(all, HS_BY_P2P_OFF, &all->inside.met, &half, all->inside.part,
          !boards && all->decisive->nodes <= 1);
    judge(all, HS_BY_CPU_BINDING, &all->inside.met, &half, all->inside.part, false);
    found_of(all, HS_BY_CPU_BINDING)->status = HS_CAUSE_OPEN;
    found_of(all, HS_BY_CPU_BINDING)->by[0] = '\0';
    if (rate > SHM_MOST) {
        found_of(all, HS_BY_P2P_OFF)->status = HS_CAUSE_EXCLUDED;
        SAY(all, HS_BY_P2P_OFF, "%.3g GB/s is more than goes through the host's memory", rate);
    } else if (found_of(all, HS_BY_P2P_OFF)->status == HS_CAUSE_FITS)
        SAY(all, HS_BY_P2P_OFF, "%.3g GB/s is what goes through the host's memory", rate);
    if (all->decisive->nodes <= 1) {
        struct hs_check_variant rates[2] = {HS_CHECK_SAME, HS_CHECK_SAME};

        rates[0].inside = 0.5;
        rates[1].inside = 0.25;
        if (boards)
            judge_among(all, HS_BY_SLOT, rates, 2, false);
        else {
            found_of(all, HS_BY_SLOT)->status = HS_CAUSE_EXCLUDED;
            SAY(all, HS_BY_SLOT, "NVLinks carry it");
        }
    }
}

/* Causes of GPUs, and of NCCL's settings, where neither is there. */
static void exclude_gpus(struct explained *all)
{
    static const enum hs_check_cause of_gpus[] = {
        HS_BY_GDR_OFF,  HS_BY_ACS_ATS,     HS_BY_NIC_BEHIND_CPU, HS_BY_TOPOLOGY_FILE,
        HS_BY_NVLS_OFF, HS_BY_RING_FORCED, HS_BY_PROTOCOL,       HS_BY_CHANNELS,
        HS_BY_P2P_OFF,  HS_BY_SLOT,        HS_BY_NICS_USED};

    for (size_t i = 0; i < sizeof(of_gpus) / sizeof(*of_gpus); i++) {
        found_of(all, of_gpus[i])->status = HS_CAUSE_EXCLUDED;
        SAY(all, of_gpus[i], "the calls are not of GPUs");
    }
}

static bool has_gpus(const struct explained *all)
{
    return all->parts->gpu_count > 0 && all->parts->gpu.link != HS_LINK_MEMORY;
}

/* One node has no network. */
static void exclude_network(struct explained *all)
{
    for (int c = 0; c < HS_CHECK_CAUSE_COUNT; c++) {
        if (hs_check_causes[c].layer != HS_LAYER_NETWORK)
            continue;
        found_of(all, (enum hs_check_cause)c)->status = HS_CAUSE_EXCLUDED;
        SAY(all, (enum hs_check_cause)c, "it is one node");
    }
}

/* ---- what is established, and the order ------------------------------------------------------ */

static void take_facts(struct explained *all)
{
    for (int c = 0; c < HS_CHECK_CAUSE_COUNT; c++) {
        struct hs_check_found *found = found_of(all, (enum hs_check_cause)c);
        bool helps = found->status != HS_CAUSE_EXCLUDED || c == HS_BY_GDR_OFF ||
                     c == HS_BY_NICS_USED || c == HS_BY_TCP_SOCKETS || c == HS_BY_P2P_OFF;

        if (all->facts->established[c][0] && helps) {
            found->status = HS_CAUSE_ESTABLISHED;
            memcpy(found->by, all->facts->established[c], sizeof(found->by));
        } else if (all->facts->refuted[c][0]) {
            found->status = HS_CAUSE_EXCLUDED;
            memcpy(found->by, all->facts->refuted[c], sizeof(found->by));
        }
    }
}

/* How much likelier a cause is than by its prior, by the kind of machine and call: tunings that
 * were wrong were those of trees over many nodes; boards in slots are where peer access fails;
 * GPUs of several nodes hardly notice their processes' CPUs; a step back is no rate. */
static double more_likely(const struct explained *all, enum hs_check_cause cause)
{
    const struct hs_check_row *row = all->decisive;
    bool reduces = row->logged.kind == HS_CALL_ALLREDUCE,
         boards = all->parts->gpu.generation == HS_GPU_BOARD;
    double more = 1;

    if (cause == HS_BY_LIBRARY_TUNING)
        more = !reduces || row->nodes <= 2 ? 0.3 : row->nodes <= 4 || !all->parts->gpu.nvls ? 3 : 8;
    if (cause == HS_BY_P2P_OFF && boards && row->nodes <= 1)
        more = 8;
    if (row->nodes > 1 && (cause == HS_BY_CPU_BINDING || cause == HS_BY_HOST_BUSY))
        more = 0.3;
    if (cause == HS_BY_LIBRARY_BUILD || (cause == HS_BY_CHANNELS && row->nodes > 1))
        more = 0.4;
    if ((cause == HS_BY_LIBRARY_TUNING || cause == HS_BY_CHANNELS) && all->factor > TUNED_MOST)
        more = 0.3;
    if (all->back && hs_check_causes[cause].layer == HS_LAYER_ALGORITHM)
        more *= 6;
    if (all->back && cause == HS_BY_NOISE)
        more *= 4;
    return more;
}

static void weigh(struct explained *all)
{
    double least = INFINITY, sum = 0;
    double more[HS_CHECK_CAUSE_COUNT];

    for (int c = 0; c < HS_CHECK_CAUSE_COUNT; c++)
        if ((more[c] = more_likely(all, (enum hs_check_cause)c)) > 0 &&
            found_of(all, (enum hs_check_cause)c)->status != HS_CAUSE_EXCLUDED)
            least = fmin(least, all->chi[c]);
    for (int c = 0; c < HS_CHECK_CAUSE_COUNT; c++) {
        struct hs_check_found *found = found_of(all, (enum hs_check_cause)c);
        double weight =
            more[c] * hs_check_causes[c].prior * exp(-fmin(all->chi[c] - least, 40) / 4);

        if (found->status == HS_CAUSE_EXCLUDED)
            weight = 0;
        if (found->status == HS_CAUSE_ESTABLISHED)
            weight = 1e6 * hs_check_causes[c].prior;
        all->weights[c] = weight;
        sum += weight;
    }
    for (int c = 0; c < HS_CHECK_CAUSE_COUNT; c++)
        found_of(all, (enum hs_check_cause)c)->odds = all->weights[c] / fmax(sum, 1e-300);
}

/* Where one cause alone fits, another without a price may: times are no reason to name it alone. */
static void doubt_alone(struct explained *all)
{
    struct hs_check_found *only = NULL;

    for (int c = 0; c < HS_CHECK_CAUSE_COUNT; c++) {
        struct hs_check_found *found = found_of(all, (enum hs_check_cause)c);

        if (found->status > HS_CAUSE_FITS)
            continue;
        if (only || found->status == HS_CAUSE_ESTABLISHED)
            return;
        only = found;
    }
    if (only)
        only->status = HS_CAUSE_OPEN;
}

static int by_odds(const void *left, const void *right)
{
    const struct hs_check_found *a = left, *b = right;

    if (a->status != b->status)
        return a->status < b->status ? -1 : 1;
    return (a->odds < b->odds) - (a->odds > b->odds);
}

static void find_layer(struct explained *all)
{
    double layers[HS_CHECK_LAYER_COUNT] = {0};

    for (int c = 0; c < HS_CHECK_CAUSE_COUNT; c++)
        layers[hs_check_causes[c].layer] += found_of(all, (enum hs_check_cause)c)->odds;
    all->out->layer = HS_LAYER_UNKNOWN;
    for (int l = 0; l < HS_CHECK_LAYER_COUNT; l++)
        if (layers[l] > LAYER_ODDS)
            all->out->layer = (enum hs_check_layer)l;
}

static const struct hs_check_found *first_of(const struct hs_check_answer *out,
                                             enum hs_check_layer layer)
{
    for (size_t i = 0; i < out->cause_count; i++)
        if (hs_check_causes[out->causes[i].cause].layer == layer)
            return &out->causes[i];
    return &out->causes[0];
}

static void say_where(struct explained *all)
{
    const struct hs_check_row *row = all->decisive;
    double rate = hs_check_rate(row, row->seconds) / GB, ring;
    struct hs_check_variant variant = HS_CHECK_SAME;
    struct hs_check_answer *out = all->out;
    size_t room = sizeof(out->where);

    variant.among = 1U << HS_NCCL_RING;
    ring = is_nccl(row) ? hs_check_seconds(row, all->fit.system, &variant) : NAN;
    if (out->layer == HS_LAYER_NETWORK && !has_gpus(all))
        snprintf(out->where, room, "between the nodes; %.3g GB/s", rate);
    else if (out->layer == HS_LAYER_NETWORK)
        snprintf(out->where, room, "between the nodes; %.3g GB/s is %.2g of the NICs' %.3g GB/s",
                 rate, rate * GB / hs_check_line_rate(row), hs_check_line_rate(row) / GB);
    else if (out->layer == HS_LAYER_ALGORITHM && fabs(log(row->seconds / ring)) < 0.06)
        snprintf(out->where, room,
                 "not the wires: %.3g GB/s is what NCCL's ring reaches here (%.2f of its price)",
                 rate, ring / row->seconds);
    else if (out->layer == HS_LAYER_ALGORITHM)
        snprintf(out->where, room, "%s",
                 all->back ? "a larger size is slower than the next smaller one: what the library "
                             "chose there, not a rate"
                           : "what the library chose, or its version");
    else if (out->layer == HS_LAYER_NODE)
        snprintf(out->where, room, "inside the node; %.3g GB/s", rate);
    else if (out->layer == HS_LAYER_CALL)
        snprintf(out->where, room, "what each call costs: large sizes are right");
    else
        snprintf(out->where, room,
                 row->nodes > 1 ? "not known: between the nodes, or in the choice "
                                  "of the algorithm"
                                : "not known: one size alone does not tell");
}

/* What to do about a cause that is established, where that is known; else NULL. */
static const char *remedy_of(enum hs_check_cause cause)
{
    static const char *const remedies[HS_CHECK_CAUSE_COUNT] = {
        [HS_BY_GDR_OFF] = "load nvidia-peermem, or use DMA-BUF, on every node",
        [HS_BY_NIC_BEHIND_CPU] =
            "another NIC for each GPU (nvidia-smi topo -m), or NCCL_NET_GDR_LEVEL=SYS",
        [HS_BY_NICS_USED] = "NCCL_IB_HCA with all NICs, or find out why the others are down",
        [HS_BY_PORT_RATE] = "find out why the port has that rate (ibstat, ethtool, the cable)",
        [HS_BY_TCP_SOCKETS] =
            "give the job /dev/infiniband and libibverbs, or the network's plugin",
        [HS_BY_NVLS_OFF] = "NCCL_NVLS_ENABLE=1, NCCL_ALGO unset, the fabric manager running",
        [HS_BY_RING_FORCED] = "unset NCCL_ALGO",
        [HS_BY_ALGORITHM_CHOICE] = "unset NCCL_ALGO; else NCCL_ALGO with the expected one",
        [HS_BY_PROTOCOL] = "unset NCCL_PROTO",
        [HS_BY_LIBRARY_TUNING] = "unset these settings",
        [HS_BY_CHANNELS] = "unset these settings",
        [HS_BY_P2P_OFF] = "unset NCCL_P2P_DISABLE and NCCL_P2P_LEVEL; IOMMU and ACS off",
        [HS_BY_SLOT] = "find out why the slot has that rate (lspci -vv: LnkSta)",
    };

    return remedies[cause];
}

static void say_next(struct explained *all)
{
    struct hs_check_answer *out = all->out;
    const struct hs_check_found *first =
        out->layer == HS_LAYER_UNKNOWN ? &out->causes[0] : first_of(out, out->layer);
    struct hs_check_variant ring = HS_CHECK_SAME;

    ring.among = 1U << HS_NCCL_RING;
    if (!has_gpus(all)) {
        snprintf(out->next, sizeof(out->next),
                 "the same command on one node, and with one rank a node on two: which is slow?");
        return;
    }
    if (out->causes[0].status == HS_CAUSE_ESTABLISHED && remedy_of(out->causes[0].cause)) {
        snprintf(out->next, sizeof(out->next), "%s; then run the same benchmark again",
                 remedy_of(out->causes[0].cause));
        return;
    }
    if (out->layer == HS_LAYER_UNKNOWN && out->decisive != SIZE_MAX && is_nccl(all->decisive) &&
        all->decisive->nodes > 1 && all->decisive->logged.nccl.choice.algorithm != HS_NCCL_RING) {
        snprintf(
            out->next, sizeof(out->next),
            "NCCL_ALGO=Ring, the same command: about %s means that the wires are right and the "
            "%s of this version is not; then 2 nodes",
            HS_AS_TIME(hs_check_seconds(all->decisive, all->fit.system, &ring)),
            hs_nccl_algorithm_names[all->decisive->logged.nccl.choice.algorithm]);
        return;
    }
    snprintf(out->next, sizeof(out->next), "%s", hs_check_causes[first->cause].next);
}

/* ---- all ------------------------------------------------------------------------------------- */

static void choose_rows(struct fit *fit, const struct hs_check_answer *out)
{
    size_t judged = 0, seen = 0;

    for (size_t i = 0; i < out->row_count; i++)
        judged += isfinite(out->rows[i].expected_seconds);
    for (size_t i = 0; i < out->row_count; i++) {
        const struct hs_check_row *row = &out->rows[i];
        bool take = isfinite(row->expected_seconds);

        if (!take || fit->count == ROWS_MOST)
            continue;
        seen++;
        if (i != out->decisive && judged > ROWS_MOST &&
            seen * (ROWS_MOST - 1) / judged == (seen - 1) * (ROWS_MOST - 1) / judged)
            continue;
        fit->rows[fit->count++] = row;
    }
}

/* What rows take by the likeliest two causes whose prices differ by 1 % anywhere. */
static void draw_curves(struct hs_check_answer *out, const struct hs_system *system)
{
    int curves = 0;

    for (size_t c = 0; c < out->cause_count && curves < 2; c++) {
        struct hs_check_found *found = &out->causes[c];
        double apart = 0;

        if (found->status == HS_CAUSE_EXCLUDED || found->variant.network == 0)
            continue;
        for (size_t i = 0; i < out->row_count; i++) {
            struct hs_check_row *row = &out->rows[i];

            row->curve_seconds[curves] = hs_check_seconds(row, system, &found->variant);
            apart = fmax(apart, fabs(log(row->curve_seconds[curves] / row->curve_seconds[0])));
        }
        if (curves == 0 || apart > 0.01)
            found->curve = ++curves;
    }
    for (size_t i = 0; i < out->row_count && curves < 2; i++)
        out->rows[i].curve_seconds[curves] = NAN;
}

enum hs_status hs_check_explain(struct hs_check_answer *out, const struct hs_system *system,
                                const struct hs_check_facts *facts, struct hs_error *err)
{
    struct explained *all = calloc(1, sizeof(*all)); /* too large for a stack */

    out->causes = calloc(HS_CHECK_CAUSE_COUNT, sizeof(*out->causes));
    if (!out->causes || !all) {
        free(all);
        return hs_no_memory(err);
    }
    all->out = out;
    all->facts = facts;
    all->fit.system = system;
    all->decisive = &out->rows[out->decisive];
    all->parts = &system->nccl.parts;
    out->cause_count = HS_CHECK_CAUSE_COUNT;
    for (int c = 0; c < HS_CHECK_CAUSE_COUNT; c++)
        out->causes[c] =
            (struct hs_check_found){.cause = (enum hs_check_cause)c, .status = HS_CAUSE_OPEN};
    all->factor = all->decisive->seconds / all->decisive->expected_seconds;
    for (size_t i = 0; i < out->row_count; i++)
        all->back = all->back || hs_check_is_step_back(out, &out->rows[i]);
    choose_rows(&all->fit, out);
    put_covariance(&all->fit);
    all->network = meet_best(&all->fit, offsetof(struct hs_check_variant, network), LEAST_RATE, 1);
    all->inside = meet_best(&all->fit, offsetof(struct hs_check_variant, inside), LEAST_RATE, 1);
    all->all = meet_best(&all->fit, offsetof(struct hs_check_variant, all), 1, 60);
    all->call = meet_best(&all->fit, offsetof(struct hs_check_variant, more_seconds), 1e-6, 1e-2);
    judge_network(all);
    judge_steps(all);
    judge_sockets(all);
    judge_library(all);
    judge_unpriced(all);
    judge_node(all);
    if (all->decisive->nodes <= 1)
        exclude_network(all);
    if (!has_gpus(all))
        exclude_gpus(all);
    take_facts(all);
    weigh(all);
    doubt_alone(all);
    find_layer(all);
    qsort(out->causes, out->cause_count, sizeof(*out->causes), by_odds);
    draw_curves(out, system);
    say_where(all);
    say_next(all);
    free(all);
    return HS_OK;
}
