#include "estimate/certificate.h"

#include "base/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double hs_certificate_margin(const struct hs_certificate *certificate)
{
    if (certificate->winner.split.count == 0 || certificate->runner_up.split.count == 0)
        return NAN;
    return certificate->runner_up_seconds / certificate->seconds - 1;
}

bool hs_certificate_is_certain(const struct hs_certificate *certificate)
{
    if (certificate->winner.split.count == 0 || certificate->within > 0 ||
        certificate->tie_count > 0)
        return false;
    return certificate->runner_up.split.count == 0 ||
           certificate->runner_up_seconds - certificate->seconds > certificate->ci95_seconds;
}

void hs_certificate_widen(struct hs_certificate *certificate, double whole_seconds,
                          double whole_ci95_seconds)
{
    double off = fabs(certificate->seconds - whole_seconds);

    if (off > hs_joint_error(certificate->ci95_seconds, whole_ci95_seconds))
        certificate->ci95_seconds = hs_joint_error(certificate->ci95_seconds, off);
}

bool hs_certificate_find(double *seconds, double *ci95_seconds,
                         const struct hs_certificate *certificate, const struct hs_plan *plan)
{
    *ci95_seconds = NAN;
    if (certificate->winner.split.count > 0 && hs_plan_compare(&certificate->winner, plan) == 0) {
        *seconds = certificate->seconds;
        *ci95_seconds = certificate->ci95_seconds;
        return true;
    }
    for (size_t i = 0; i < certificate->tie_count; i++)
        if (hs_plan_compare(&certificate->ties[i].plan, plan) == 0) {
            *seconds = certificate->ties[i].seconds;
            *ci95_seconds = certificate->ties[i].ci95_seconds;
            return true;
        }
    *seconds = certificate->runner_up_seconds;
    return certificate->runner_up_measured && hs_plan_compare(&certificate->runner_up, plan) == 0;
}

void hs_certificate_release(struct hs_certificate *certificate)
{
    free(certificate->ties);
    memset(certificate, 0, sizeof(*certificate));
}
