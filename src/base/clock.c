#include "base/clock.h"

#include <stddef.h>
#include <time.h>

double hs_clock_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

char *hs_clock_utc(char text[HS_CLOCK_UTC])
{
    time_t now = time(NULL), epoch = 0;
    struct tm utc;

    if (!gmtime_r(&now, &utc) || utc.tm_year < 1000 - 1900 || utc.tm_year > 9999 - 1900)
        gmtime_r(&epoch, &utc);
    strftime(text, HS_CLOCK_UTC, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return text;
}
