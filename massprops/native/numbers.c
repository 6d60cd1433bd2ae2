/* Decimal numbers of a text, rounded once.
 *
 * The digits are a whole number m, and the number is m · 10ᵉ. Where m < 2⁵³ and |e| ≤ 22 both factors are doubles, and one
 * multiplication or division rounds correctly (W. Clinger, "How to read floating point numbers accurately", 1990). Of other words the
 * C library knows the value, whatever the locale of the program is. */
#define _GNU_SOURCE
#include "numbers.h"

#include <locale.h>
#include <math.h>
#ifdef __APPLE__
#include <xlocale.h>
#elif defined(_WIN32)
#define locale_t _locale_t
#define newlocale(categories, name, base) _create_locale(LC_ALL, name)
#define strtod_l _strtod_l
#endif

enum { EXACT_POWER = 22, SHORT = 19 };
static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
static locale_t plain; /* with a point in numbers */

void massprops_begin_numbers(void) { plain = plain ? plain : newlocale(LC_ALL_MASK, "C", NULL); }

/* Whether a minus is there; it is passed over, and so is a plus. Without a branch, since nobody can guess the signs of coordinates. */
static inline int sign_of(const char **at)
{
    int minus = **at == '-';
    *at += minus | (**at == '+');
    return minus;
}

/* `e` and its digits behind a mantissa; NULL if there are none. */
static const char *exponent_of(const char *at, int64_t *exponent)
{
    int64_t value = 0;
    const int minus = sign_of(&at);
    const char *first = at;
    for (; is_digit(*at); at++)
        value = value < 1000000000000 ? 10 * value + (*at - '0') : value; /* more than there are digits in any file */
    *exponent = minus ? -value : value;
    return at == first ? NULL : at;
}

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
/* Up to eight digits at once; how many of the bytes are digits. */
static int eight(const char *at, uint64_t *value)
{
    static const uint64_t tens[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    uint64_t bytes, x;
    memcpy(&bytes, at, 8);
    x = bytes ^ 0x3030303030303030; /* the values of digits, and more than 9 of other bytes */
    uint64_t others = ((x + 0x7676767676767676) | x) & 0x8080808080808080;
    int count = others ? __builtin_ctzll(others) >> 3 : 8;
    x = count ? x << (64 - 8 * count) : 0; /* the digits in the last places, behind zeros */
    x = 10 * x + (x >> 8);                 /* pairs of digits, in every second byte */
    x = ((x & 0xff000000ff) * 0xf424000000064 + ((x >> 16) & 0xff000000ff) * 0x271000000001) >> 32;
    *value = *value * tens[count] + x;
    return count;
}
#endif

static inline const char *one_by_one(const char *at, uint64_t *m)
{
    for (; is_digit(*at); at++)
        *m = 10 * *m + (uint64_t)(*at - '0');
    return at;
}

static inline const char *digits_of(const char *at, const char *end, uint64_t *m)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    for (int count = 8; count == 8 && end - at >= 8; at += count)
        count = eight(at, m);
#endif
    return one_by_one(at, m);
}

const char *massprops_number(const char *at, const char *end, double *value)
{
    uint64_t m = 0;
    int64_t exponent = 0;
    const char *word = at;
    const int minus = sign_of(&at);
    const char *first = at, *point = at = one_by_one(at, &m);
    if (*at == '.')
        at = digits_of(at + 1, end, &m);
    int64_t behind = at - point - (at > point), digits = point - first + behind;
    if (!digits || ((*at | 0x20) == 'e' && !(at = exponent_of(at + 1, &exponent))) || !(ends_number(*at) || at == end))
        return NULL;
    int64_t e = exponent - behind;
    if (digits <= SHORT && m >> 53 == 0 && e >= -EXACT_POWER && e <= EXACT_POWER) {
        double x = (double)(int64_t)m;
        *value = (e < 0 ? x / powers[-e] : x * powers[e]) * (1 - 2 * minus);
        return at;
    }
    *value = plain ? strtod_l(word, NULL, plain) : HUGE_VAL;
    return fabs(*value) <= DBL_MAX ? at : NULL;
}

const char *massprops_any_whole(const char *at, const char *end, int64_t *value)
{
    uint64_t found = 0;
    const int minus = sign_of(&at);
    const char *first = at;
    at = one_by_one(at, &found);
    if (at == first || at - first > 18 || !(is_white(*at) || *at == '/' || at == end))
        return NULL;
    *value = minus ? -(int64_t)found : (int64_t)found;
    return at;
}
