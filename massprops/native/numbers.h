/* Decimal numbers of a text. */
#ifndef MASSPROPS_NUMBERS_H
#define MASSPROPS_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

static inline int is_white(unsigned char c) { return c == ' ' || (c >= 9 && c <= 13); }
static inline int is_digit(unsigned char c) { return (unsigned char)(c - '0') < 10; }

/* Reads the number that begins at `at`, and returns where its word ends: at white space or at `end`. NULL if the word is no decimal
 * number, and where the caller must decide: numbers too large for a double, below 2⁻¹⁰⁷⁴, or next to the middle between two doubles.
 * The value is the double nearest to the text, of two as near the even one. */
const char *massprops_number(const char *at, const char *end, double *value);

/* The same for a whole number of at most 18 digits, which may end at a slash too. */
const char *massprops_whole(const char *at, const char *end, int64_t *value);

#endif
