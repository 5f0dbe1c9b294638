/*
 * A program of somebody else's, linked with the installed library: reads a result file, prices the
 * flat split itself.
 */
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/statistics.h"
#include "model/price.h"
#include "model/system.h"
#include "result/result.h"

static int is_close(const char *what, double got, double wanted)
{
    int close = fabs(got - wanted) <= 1e-9 * wanted;

    printf("%s - %s is %g\n", close ? "ok" : "not ok", what, wanted);
    return close ? 0 : 1;
}

int main(int argc, char **argv)
{
    static const double seconds[] = {3, 1, 2};
    struct hs_error error = {.status = HS_OK};
    struct hs_system system;
    struct hs_result result;
    struct hs_plan plan;
    struct hs_problem problem;
    struct hs_plan_cost cost;
    struct hs_summary summary;
    int failed = 0;

    if (argc != 2 || hs_system_parse(&system, "one:4@1GB/s~0us", &error) != HS_OK ||
        hs_plan_parse(&plan, "4", 4, &error) != HS_OK ||
        hs_summarise(&summary, seconds, 3, &error) != HS_OK ||
        hs_result_load(&result, argv[1], &error) != HS_OK) {
        printf("not ok - %s\n", error.message);
        return 1;
    }
    /* A ring allreduce of n bytes over p ranks: 2 (p - 1) / p n / bandwidth. */
    problem = hs_problem_world(4, 1e9);
    cost = hs_plan_cost(&system, &problem, &plan);
    failed += is_close("seconds of the flat ring of 1 GB over 4 ranks", cost.seconds, 1.5);
    failed += is_close("the median of 1, 2 and 3", summary.median, 2);
    failed += is_close("np of the result", (double)result.np, 128);
    failed += is_close("a plan with layers",
                       (double)result.messages[0].candidates[0].plan.split.count > 0, 1);
    hs_result_release(&result);
    hs_system_release(&system);
    return failed ? 1 : 0;
}
