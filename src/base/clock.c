#include "base/clock.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

double hs_clock_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static char *format_utc(char text[HS_CLOCK_UTC], time_t seconds)
{
    time_t epoch = 0;
    struct tm utc;

    if (!gmtime_r(&seconds, &utc) || utc.tm_year < 1000 - 1900 || utc.tm_year > 9999 - 1900)
        gmtime_r(&epoch, &utc);
    strftime(text, HS_CLOCK_UTC, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return text;
}

char *hs_clock_utc(char text[HS_CLOCK_UTC])
{
    return format_utc(text, time(NULL));
}

char *hs_clock_utc_made(char text[HS_CLOCK_UTC])
{
    const char *said = getenv("SOURCE_DATE_EPOCH");
    char *end = NULL;
    long long seconds;

    errno = 0;
    seconds = said ? strtoll(said, &end, 10) : 0;
    if (!said || end == said || *end || errno != 0)
        return hs_clock_utc(text);
    return format_utc(text, (time_t)seconds);
}
