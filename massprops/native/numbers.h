/* Decimal numbers of a text that has a zero byte at its end: every loop stops there, as no number has one. */
#ifndef MASSPROPS_NUMBERS_H
#define MASSPROPS_NUMBERS_H

#include "native.h"

static inline int is_white(char c) { return c == ' ' || (c >= 9 && c <= 13); }
static inline int ends_number(char c) { return is_white(c) || c == ',' || c == ';'; }
static inline int is_digit(char c) { return (unsigned char)(c - '0') < 10; }

/* Makes what numbers of many digits need; once, before any is read. */
void massprops_begin_numbers(void);

/* Reads the number that begins at `at`, and returns where its word ends: at white space, a comma, a semicolon or `end`. NULL if the word is no decimal
 * number, and where the caller must decide: numbers too large for a double. The value is the double nearest to the text, of two as near the
 * even one. */
const char *massprops_number(const char *at, const char *end, double *value);

/* The same for a whole number of at most 18 digits, which may end at a slash too. */
const char *massprops_any_whole(const char *at, const char *end, int64_t *value);

/* The same, quicker for few digits without a sign. Digit by digit: so a processor guesses where the word ends, and begins with the next
 * one before it has the value. */
static inline const char *massprops_whole(const char *at, const char *end, int64_t *value)
{
    uint32_t found = 0;
    const char *first = at;
    for (; is_digit(*at); at++)
        found = 10 * found + (uint32_t)(*at - '0');
    if (at == first || at - first > 9 || !(is_white(*at) || *at == '/'))
        return massprops_any_whole(first, end, value);
    *value = found;
    return at;
}

#endif
