#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fields.h"

/* The double nearest to the decimal that the file says, shifted by six places: 8.4 us is 8.4e-6, as
 * in a line of text; a product or a quotient may be one unit in the last place off. */
static double from_microseconds(double value)
{
    char text[40];
    char *exponent;

    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof(text), "%.*e", digits - 1, value);
        if (strtod(text, NULL) == value)
            break;
    }
    exponent = strchr(text, 'e');
    snprintf(exponent, sizeof(text) - (size_t)(exponent - text), "e%ld",
             strtol(exponent + 1, NULL, 10) - 6);
    return strtod(text, NULL);
}

static double from_gigabytes(double value)
{
    return value * 1e9;
}

static double from_percent(double value)
{
    return value / 100;
}

/* The number of the file that reads back as exactly this SI value: the guess in 15 digits, which is
 * what a person wrote, the guess, or one of its neighbours. */
static double in_unit(double guess, double value, double (*read_back)(double))
{
    double up = guess, down = guess, plain;
    char text[40];

    if (!isfinite(value))
        return value;
    snprintf(text, sizeof(text), "%.15g", guess);
    plain = strtod(text, NULL);
    if (read_back(plain) == value)
        return plain;
    for (int ulps = 0; ulps <= 2; ulps++) {
        if (read_back(up) == value)
            return up;
        if (read_back(down) == value)
            return down;
        up = nextafter(up, INFINITY);
        down = nextafter(down, 0);
    }
    return guess;
}

static double to_microseconds(double seconds)
{
    return in_unit(seconds * 1e6, seconds, from_microseconds);
}

static double to_gigabytes(double bytes_per_second)
{
    return in_unit(bytes_per_second / 1e9, bytes_per_second, from_gigabytes);
}

static double to_percent(double fraction)
{
    return in_unit(fraction * 100, fraction, from_percent);
}

const struct hs_file_unit hs_unit_microseconds = {from_microseconds, to_microseconds};
const struct hs_file_unit hs_unit_gigabytes = {from_gigabytes, to_gigabytes};
const struct hs_file_unit hs_unit_percent = {from_percent, to_percent};
