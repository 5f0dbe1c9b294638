/*
 * clock.h - what time it is. For programs and what measures; model and search get times as values.
 */
#ifndef HS_BASE_CLOCK_H
#define HS_BASE_CLOCK_H

#define HS_CLOCK_UTC 32 /* bytes of a date with its NUL */

/* Seconds of a clock that never goes back; only differences mean something. */
double hs_clock_seconds(void);

/* Now as ISO 8601 in UTC, such as 2026-01-31T12:00:00Z. Where the machine's clock is beyond the
 * years 1000 to 9999, 1970 begins: what is dated stays readable. Returns `text`. */
char *hs_clock_utc(char text[HS_CLOCK_UTC]);
/* The same of what is made from its input alone: where SOURCE_DATE_EPOCH has the seconds of a date,
 * that, so that the same input makes the same bytes. */
char *hs_clock_utc_made(char text[HS_CLOCK_UTC]);

#endif
