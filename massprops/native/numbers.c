/* Decimal numbers of a text, rounded once.
 *
 * The digits are a whole number m, and the number is m · 10ᵉ. Where m < 2⁵³ and |e| ≤ 22 both factors are doubles, and one
 * multiplication or division rounds correctly (W. Clinger, "How to read floating point numbers accurately", 1990, from which the
 * exact comparison below comes too). For m < 10¹⁹ and |e| ≤ 27 the product m · 5ᵉ is exact in 128 bits, or the quotient m / 5⁻ᵉ has
 * 63 bits and a remainder that says which way to round. All other numbers are compared with the halves between neighbouring doubles. */
#include "numbers.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { EXACT_POWER = 22, WIDE_POWER = 27, SHORT = 19 };
static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* Large whole numbers: digits in base 2³², the lowest first. No comparison below needs more than 2,800 bits. */
enum { MOST_DIGITS = 800, LIMBS = 96 };
struct large {
    uint32_t limbs[LIMBS];
    int count;
};

static void multiply_add(struct large *x, uint32_t factor, uint32_t more)
{
    uint64_t carry = more;
    for (int i = 0; i < x->count; i++) {
        carry += (uint64_t)x->limbs[i] * factor;
        x->limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry && x->count < LIMBS)
        x->limbs[x->count++] = (uint32_t)carry;
}

static void multiply_by_power(struct large *x, uint32_t base, uint32_t largest, int step, int exponent)
{
    for (; exponent >= step; exponent -= step)
        multiply_add(x, largest, 0);
    while (exponent-- > 0)
        multiply_add(x, base, 0);
}

static int compare(const struct large *x, const struct large *y)
{
    if (x->count != y->count)
        return x->count < y->count ? -1 : 1;
    for (int i = x->count; i--;)
        if (x->limbs[i] != y->limbs[i])
            return x->limbs[i] < y->limbs[i] ? -1 : 1;
    return 0;
}

/* Sign of m · 10ᵉ − h · 2ᵏ. */
static int against(const struct large *m, int e, uint64_t h, int k)
{
    struct large left = *m, right = {{(uint32_t)h, (uint32_t)(h >> 32)}, h >> 32 ? 2 : 1};
    multiply_by_power(e < 0 ? &right : &left, 5, 1220703125, 13, e < 0 ? -e : e);
    multiply_by_power(e < k ? &right : &left, 2, 1u << 31, 31, e < k ? k - e : e - k);
    return compare(&left, &right);
}

/* m · 10ᵉ, where m > 0 has so many digits and begins with `first` (of at most 19 digits). */
static double compared(const struct large *m, int digits, uint64_t first, int e)
{
    int place = digits + e; /* the number is below 10ᵖ and not below 10ᵖ⁻¹ */
    if (place > 310)
        return HUGE_VAL;
    if (place < -325)
        return 0.0;
    double guess = (double)first;
    int power = e + (digits > SHORT ? digits - SHORT : 0);
    for (; power > 0; power -= power < EXACT_POWER ? power : EXACT_POWER)
        guess *= powers[power < EXACT_POWER ? power : EXACT_POWER];
    for (; power < 0; power += power > -EXACT_POWER ? -power : EXACT_POWER)
        guess /= powers[power > -EXACT_POWER ? -power : EXACT_POWER];
    if (guess > DBL_MAX)
        guess = DBL_MAX;
    for (;;) { /* the guess is a few doubles off at most */
        uint64_t bits, fraction;
        memcpy(&bits, &guess, 8);
        int exponent = (int)(bits >> 52), k = exponent ? exponent - 1075 : -1074;
        fraction = (bits & 0xfffffffffffff) | (uint64_t)(exponent != 0) << 52;
        int narrow = fraction == (uint64_t)1 << 52 && exponent > 1; /* the double below is half as far */
        int above = against(m, e, 2 * fraction + 1, k - 1);
        if (above > 0 || (above == 0 && fraction & 1))
            bits++;
        else {
            int below = !fraction ? 1 : narrow ? against(m, e, 4 * fraction - 1, k - 2) : against(m, e, 2 * fraction - 1, k - 1);
            if (below > 0 || (below == 0 && !(fraction & 1)))
                return guess;
            bits--;
        }
        memcpy(&guess, &bits, 8);
        if (guess > DBL_MAX)
            return guess;
    }
}

/* The digits of a number, which may have a point among them, times 10ᵉ. */
static double of_any_length(const char *at, const char *end, int64_t e)
{
    struct large m = {{0}, 0};
    uint64_t first = 0;
    int digits = 0, behind = 0, rest = 0;
    for (; at < end; at++) {
        unsigned digit = (unsigned char)*at - '0';
        if (digit > 9) {
            behind = 1;
            continue;
        }
        e -= behind;
        if (digits == MOST_DIGITS) { /* no half between two doubles has as many: one digit stands for all that follow */
            rest |= digit != 0;
            e++;
        } else if (digits || digit) {
            first = digits < SHORT ? 10 * first + digit : first;
            digits++;
            multiply_add(&m, 10, digit);
        }
    }
    if (!digits)
        return 0.0;
    if (rest) {
        multiply_add(&m, 10, 1);
        digits++;
        e--;
    }
    return e > 100000 ? HUGE_VAL : e < -100000 ? 0.0 : compared(&m, digits, first, (int)e);
}

#ifdef __SIZEOF_INT128__
static double power_of_two(int k) /* a normal one */
{
    uint64_t bits = (uint64_t)(k + 1023) << 52;
    double value;
    memcpy(&value, &bits, 8);
    return value;
}

/* A number of 64 bits, the highest one set, times 2ᵏ, rounded to 53 bits; `rest` is whether something follows the last bit. */
static double rounded(uint64_t bits, int rest, int k)
{
    uint64_t kept = bits >> 11, cut = bits & 0x7ff;
    kept += cut > 0x400 || (cut == 0x400 && (rest || kept & 1));
    return (double)kept * power_of_two(k + 11);
}

/* m · 10ᵉ for m > 0 and |e| ≤ 27. */
static double scaled_in_128_bits(uint64_t m, int e)
{
    uint64_t five = 1;
    for (int i = e < 0 ? -e : e; i; i--)
        five *= 5;
    if (e >= 0) {
        unsigned __int128 product = (unsigned __int128)m * five;
        uint64_t high = (uint64_t)(product >> 64);
        int zeros = high ? __builtin_clzll(high) : 64 + __builtin_clzll((uint64_t)product);
        product <<= zeros;
        return rounded((uint64_t)(product >> 64), (uint64_t)product != 0, 64 - zeros + e);
    }
    int shift = __builtin_clzll(m), five_shift = __builtin_clzll(five);
    uint64_t divisor = five << five_shift;
    unsigned __int128 dividend = (unsigned __int128)(m << shift) << 63; /* below divisor · 2⁶⁴ */
    uint64_t quotient = (uint64_t)(dividend / divisor);
    int zeros = __builtin_clzll(quotient);
    return rounded(quotient << zeros, dividend % divisor != 0, five_shift - shift - 63 + e - zeros);
}
#endif

/* `e` and its digits behind a mantissa; NULL if there are none. */
static const char *exponent_of(const char *at, const char *end, int64_t *exponent)
{
    int minus = 0;
    int64_t value = 0;
    if (at < end && (*at == '-' || *at == '+'))
        minus = *at++ == '-';
    const char *first = at;
    for (; at < end && is_digit((unsigned char)*at); at++)
        value = value < 1000000000000 ? 10 * value + (*at - '0') : value; /* more than there are digits in any file */
    *exponent = minus ? -value : value;
    return at == first ? NULL : at;
}

static const char *digits_of(const char *at, const char *end, uint64_t *m)
{
    uint64_t value = *m;
    for (; at < end && is_digit((unsigned char)*at); at++)
        value = 10 * value + (uint64_t)(*at - '0');
    *m = value;
    return at;
}

const char *massprops_number(const char *at, const char *end, double *value)
{
    uint64_t m = 0;
    int64_t exponent = 0;
    int minus = 0;
    if (at < end && (*at == '-' || *at == '+'))
        minus = *at++ == '-';
    const char *first = at, *until;
    at = until = digits_of(at, end, &m);
    int64_t digits = at - first, behind = 0;
    if (at < end && *at == '.') {
        at = until = digits_of(at + 1, end, &m);
        behind = at - first - digits - 1;
        digits += behind;
    }
    if (!digits)
        return NULL;
    if (at < end && (*at | 0x20) == 'e')
        at = exponent_of(at + 1, end, &exponent);
    if (!at || (at < end && !is_white((unsigned char)*at)))
        return NULL;
    int64_t e = exponent - behind;
    double x;
    if (digits > SHORT)
        x = of_any_length(first, until, exponent);
    else if (m == 0)
        x = 0.0;
    else if (m >> 53 == 0 && e >= -EXACT_POWER && e <= EXACT_POWER)
        x = e < 0 ? (double)m / powers[-e] : (double)m * powers[e];
#ifdef __SIZEOF_INT128__
    else if (e >= -WIDE_POWER && e <= WIDE_POWER)
        x = scaled_in_128_bits(m, (int)e);
#endif
    else
        x = of_any_length(first, until, exponent);
    *value = minus ? -x : x;
    return x <= DBL_MAX ? at : NULL;
}

const char *massprops_whole(const char *at, const char *end, int64_t *value)
{
    uint64_t found = 0;
    int minus = 0;
    if (at < end && (*at == '-' || *at == '+'))
        minus = *at++ == '-';
    const char *first = at;
    at = digits_of(at, end, &found);
    if (at == first || at - first > 18 || (at < end && !is_white((unsigned char)*at) && *at != '/'))
        return NULL;
    *value = minus ? -(int64_t)found : (int64_t)found;
    return at;
}
