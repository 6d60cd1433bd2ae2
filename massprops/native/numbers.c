/* Decimal numbers of a text, rounded once.
 *
 * The digits are a whole number m, and the number is m · 10ᵉ. Where m < 2⁵³ and |e| ≤ 22 both factors are doubles, and one
 * multiplication or division rounds correctly (W. Clinger, "How to read floating point numbers accurately", 1990). Else 128 bits of
 * m · 5ᵉ are multiplied out, rounded down: the error is too small to matter, unless the number lies next to the middle between two
 * doubles. Such a number, one below 2⁻¹⁰⁷⁴ and one too large are the caller's. */
#include "numbers.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { EXACT_POWER = 22, SHORT = 19 };
static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
/* 5⁰ to 5²⁶, doubled until the highest bit is set. */
static const uint64_t fives[] = {
    0x8000000000000000, 0xa000000000000000, 0xc800000000000000, 0xfa00000000000000, 0x9c40000000000000, 0xc350000000000000,
    0xf424000000000000, 0x9896800000000000, 0xbebc200000000000, 0xee6b280000000000, 0x9502f90000000000, 0xba43b74000000000,
    0xe8d4a51000000000, 0x9184e72a00000000, 0xb5e620f480000000, 0xe35fa931a0000000, 0x8e1bc9bf04000000, 0xb1a2bc2ec5000000,
    0xde0b6b3a76400000, 0x8ac7230489e80000, 0xad78ebc5ac620000, 0xd8d726b7177a8000, 0x878678326eac9000, 0xa968163f0a57b400,
    0xd3c21bcecceda100, 0x84595161401484a0, 0xa56fa5b99019a5c8};

/* (high · 2⁶⁴ + low) · 2ᵖ, where the highest bit is set. */
struct wide {
    uint64_t high, low;
    int power;
};
static const struct wide large = {0xcecb8f27f4200f3a, 0, -65}, small = {0x9e74d1b791e07e48, 0x775ea264cf55347d, -190}; /* 5²⁷ and 5⁻²⁷ */

static struct wide shifted(struct wide x, int bits)
{
    return (struct wide){x.high << bits | x.low >> 1 >> (63 - bits), x.low << bits, x.power - bits};
}

static struct wide normal(uint64_t high, uint64_t low, int power)
{
    if (!high)
        high = low, low = 0, power -= 64;
    struct wide x = {high, low, power};
    for (int bits = 32; bits; bits /= 2)
        x = shifted(x, x.high >> (64 - bits) ? 0 : bits);
    return x;
}

/* The high half of a product of 128 bits. */
static uint64_t product(uint64_t a, uint64_t b, uint64_t *low)
{
#ifdef __SIZEOF_INT128__
    unsigned __int128 all = (unsigned __int128)a * b;
    *low = (uint64_t)all;
    return (uint64_t)(all >> 64);
#else
    uint64_t a1 = a >> 32, a0 = (uint32_t)a, b1 = b >> 32, b0 = (uint32_t)b;
    uint64_t middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (uint32_t)middle;
    *low = a * b;
    return a1 * b1 + (middle >> 32) + (other >> 32);
#endif
}

/* The highest 128 bits: exact where both have 64 bits, else at most 5 units of the last bit too small before they are shifted. */
static struct wide times(struct wide x, struct wide y)
{
    uint64_t low, cut, high = product(x.high, y.high, &low);
    uint64_t one = product(x.high, y.low, &cut), other = product(x.low, y.high, &cut);
    low += one, high += low < one;
    low += other, high += low < other;
    return shifted((struct wide){high, low, x.power + y.power + 128}, !(high >> 63));
}

/* The double nearest to x · 10ᵉ; infinite where that is not known. `exact`: x is the number, of 64 bits, and not only near it. */
static double rounded(struct wide x, int exact, int64_t e)
{
    if (e < -400 || e > 400)
        return HUGE_VAL;
    int steps = (int)(e + 405) / 27 - 15, rest = (int)e - 27 * steps;
    x = times(x, (struct wide){fives[rest], 0, rest * 1217359 / (1 << 19) - 127}); /* log₂ 5 = 1217359 / 2¹⁹ */
    exact &= !steps;
    for (; steps; steps += steps < 0 ? 1 : -1)
        x = times(x, steps < 0 ? small : large);
    /* 17 products, each less than 5 · 2⁻¹²⁶ of itself too small, and what follows 38 digits, less than 10⁻³⁷: together 2⁹ units */
    int exponent = x.power + (int)e + 127, lost = exponent < -1022 ? -1022 - exponent : 0; /* bits of a small double */
    if (lost > 52 || exponent > 1023)
        return HUGE_VAL;
    uint64_t half = (uint64_t)1 << (10 + lost), kept = x.high >> lost >> 11, cut = x.high & (2 * half - 1);
    if (!exact && (cut == half - 1 ? x.low >= UINT64_MAX - 512 : cut == half && !x.low))
        return HUGE_VAL;
    kept += cut > half || (cut == half && (x.low || kept & 1));
    uint64_t bits = ((uint64_t)(exponent + lost + 1022) << 52) + kept; /* a carry goes on into the exponent */
    double value;
    memcpy(&value, &bits, 8);
    return value;
}

/* The digits of a number, which may have a point among them, times 10ᵉ: the first 38 of them. */
static double of_any_length(const char *at, const char *end, int64_t e)
{
    uint64_t m[2] = {0, 0}, low, high;
    int digits = 0, behind = 0;
    for (; at < end; at++) {
        unsigned digit = (unsigned char)*at - '0';
        if (digit > 9) {
            behind = 1;
            continue;
        }
        e -= behind;
        if (digits == 2 * SHORT)
            e++;
        else if (digits || digit)
            m[digits / SHORT] = 10 * m[digits / SHORT] + digit, digits++;
    }
    if (!digits)
        return 0;
    for (; digits < 2 * SHORT; digits++, e--)
        m[digits / SHORT] *= 10;
    high = product(m[0], 10000000000000000000u, &low);
    low += m[1], high += low < m[1];
    return rounded(normal(high, low, 0), 0, e);
}

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
    const int minus = sign_of(&at);
    const char *first = at, *point = at = one_by_one(at, &m);
    if (*at == '.')
        at = digits_of(at + 1, end, &m);
    const char *until = at;
    int64_t behind = at - point - (at > point), digits = point - first + behind;
    if (!digits || ((*at | 0x20) == 'e' && !(at = exponent_of(at + 1, &exponent))) || !(ends_number(*at) || at == end))
        return NULL;
    int64_t e = exponent - behind;
    double x;
    if (digits <= SHORT && m >> 53 == 0 && e >= -EXACT_POWER && e <= EXACT_POWER)
        x = e < 0 ? (double)(int64_t)m / powers[-e] : (double)(int64_t)m * powers[e];
    else if ((x = digits > SHORT ? of_any_length(first, until, exponent) : m ? rounded(normal(m, 0, -64), 1, e) : 0) > DBL_MAX)
        return NULL;
    *value = x * (1 - 2 * minus);
    return at;
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
