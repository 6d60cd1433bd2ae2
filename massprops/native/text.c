#include "text.h"

#include "native.h"

#include <string.h>

static const char *blanks(const char *at) /* not line ends */
{
    while (*at == ' ' || (*at != '\n' && is_white(*at)))
        at++;
    return at;
}

static const char *white(const char *at)
{
    while (is_white(*at))
        at++;
    return at;
}

const char *massprops_rows(const char *at, const char *end, struct scanned *out)
{
    struct doubles *values = &out->values;
    struct indices *lengths = &out->lengths;
    while (at < end) {
        size_t before = values->count;
        for (at = blanks(at); at < end && *at != '\n';) {
            if (values->count == values->room || !(at = massprops_number(at, end, &values->all[values->count])))
                return NULL;
            values->count++;
            at = blanks(at);
            if (out->separator && at < end && *at != '\n' && (*at != out->separator || (at = blanks(at + 1)) == end || *at == '\n'))
                return NULL;
        }
        if (lengths->count == lengths->room || values->count - before > INT32_MAX)
            return NULL;
        lengths->all[lengths->count++] = (int32_t)(values->count - before);
        at += at < end;
    }
    return at;
}

/* The numbers behind `v`: x y z, then perhaps the weight 1, then perhaps a colour. */
static const char *vertex(const char *at, const char *end, struct doubles *vertices)
{
    double numbers[7];
    int count = 0;
    for (at = blanks(at); at < end && *at != '\n'; at = blanks(at))
        if (count == 7 || !(at = massprops_number(at, end, &numbers[count++])))
            return NULL;
    if ((count != 3 && count != 6 && count != 4 && count != 7) || (count % 3 && numbers[3] != 1) ||
        vertices->room - vertices->count < 3)
        return NULL;
    memcpy(&vertices->all[vertices->count], numbers, 3 * sizeof *numbers);
    vertices->count += 3;
    return at;
}

/* A whole number of any length, which is not used; or nothing. */
static const char *attribute(const char *at)
{
    const char *sign = at;
    if (*at == '-' || *at == '+')
        at++;
    const char *first = at;
    while (is_digit(*at))
        at++;
    return at == first ? sign : at;
}

/* The corners behind `f`: `v`, `v/vt`, `v//vn` or `v/vt/vn`. */
static const char *face(const char *at, const char *end, int64_t points, struct indices *corners, struct indices *lengths)
{
    size_t before = corners->count;
    for (at = blanks(at); at < end && *at != '\n'; at = blanks(at)) {
        int64_t number;
        if (corners->count == corners->room || !(at = massprops_whole(at, end, &number)))
            return NULL;
        for (int slashes = 0; slashes < 2 && *at == '/'; slashes++)
            at = attribute(at + 1);
        if ((at < end && !is_white(*at)) || number == 0 || number > points || number < -points)
            return NULL;
        corners->all[corners->count++] = (int32_t)(number > 0 ? number - 1 : points + number);
    }
    if (corners->count - before < 3 || corners->count - before > INT32_MAX || lengths->count == lengths->room)
        return NULL;
    lengths->all[lengths->count++] = (int32_t)(corners->count - before);
    return at;
}

/* The end of a line that has no geometry: empty, a comment, a normal, texture coordinates, or a group or material. A backslash may
 * continue it, except in a comment. */
static const char *without_geometry(const char *at, const char *end)
{
    static const char *const words[] = {"vn", "vt", "g", "o", "s", "usemtl", "mtllib"};
    const char *line = memchr(at, '\n', (size_t)(end - at)), *first = at;
    line = line ? line : end;
    if (at == line || *at == '#')
        return line;
    while (at < line && !is_white(*at))
        at++;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == (size_t)(at - first) && !memcmp(words[i], first, (size_t)(at - first)))
            return memchr(at, '\\', (size_t)(line - at)) ? NULL : line;
    return NULL;
}

const char *massprops_obj(const char *at, const char *end, struct scanned *out)
{
    while (at < end) {
        int64_t defined = out->points + (int64_t)(out->values.count / 3);
        int spaced = at[1] == ' ' || at[1] == '\t';
        if (*at == 'v' && spaced)
            at = vertex(at + 1, end, &out->values);
        else if (*at == 'f' && spaced && defined <= INT32_MAX)
            at = face(at + 1, end, defined, &out->corners, &out->lengths);
        else
            at = without_geometry(at, end);
        if (!at)
            return NULL;
        at += at < end;
    }
    return at;
}

static const char *reals(const char *at, const char *end, int64_t count, struct doubles *to)
{
    double ignored, *value = to ? to->all + to->count : NULL;
    if (to && (uint64_t)count > to->room - to->count)
        return NULL;
    for (; at && count; count--)
        at = massprops_number(blanks(at), end, to ? value++ : &ignored);
    if (to)
        to->count = (size_t)(value - to->all);
    return at;
}

static const char *wholes(const char *at, const char *end, int64_t count, struct indices *to)
{
    int32_t *value = to->all + to->count;
    if ((uint64_t)count > to->room - to->count)
        return NULL;
    for (int64_t number; count; count--) {
        if (!(at = massprops_whole(blanks(at), end, &number)) || number < INT32_MIN || number > INT32_MAX)
            return NULL;
        *value++ = (int32_t)number;
    }
    to->count = (size_t)(value - to->all);
    return at;
}

const char *massprops_ply_rows(const char *at, const char *end, struct scanned *out)
{
    const struct column *last = out->layout.columns + out->layout.count;
    while (at < end && out->lengths.count < out->lengths.room) {
        int32_t length = 0;
        for (const struct column *c = out->layout.columns; c < last; c++) {
            int64_t count = c->size;
            if (c->head && (!(at = massprops_whole(blanks(at), end, &count)) || count < 0 || count > INT32_MAX))
                return NULL;
            if (c->head && c->kept)
                length = (int32_t)count, at = wholes(at, end, count, &out->corners);
            else
                at = reals(at, end, count, c->kept ? &out->values : NULL);
            if (!at)
                return NULL;
        }
        out->lengths.all[out->lengths.count++] = length;
        at = blanks(at);
        if (at < end && *at != '\n')
            return NULL;
        at += at < end;
    }
    return at;
}

static int same_letters(const char *at, const char *expected, size_t length)
{
    while (length && (*at | 0x20) == *expected)
        at++, expected++, length--;
    return !length;
}

/* A keyword of lower-case letters, which the text may have in any case, and white space behind it. */
static const char *word(const char *at, const char *end, const char *expected, size_t length)
{
    at = white(at);
    if ((size_t)(end - at) <= length || !is_white(at[length]))
        return NULL;
    return !memcmp(at, expected, length) || same_letters(at, expected, length) ? at + length : NULL;
}

static const char *three_numbers(const char *at, const char *end, double numbers[3])
{
    for (int i = 0; at && i < 3; i++)
        at = massprops_number(white(at), end, &numbers[i]);
    return at;
}

/* The numbers of a normal, which are not used; facets without area have `nan`. */
static const char *normal(const char *at, const char *end)
{
    for (int i = 0; at && i < 3; i++) {
        double ignored;
        const char *first = at = white(at);
        at = massprops_number(first, end, &ignored);
        if (!at) {
            first += *first == '-';
            at = word(first, end, "nan", 3);
        }
    }
    return at;
}

#define WORD(text) word(at, end, text, sizeof text - 1)

const char *massprops_facets(const char *text, const char *end, struct scanned *out)
{
    struct doubles *corners = &out->values;
    for (const char *at = text; corners->room - corners->count >= 9; text = at = white(at)) {
        double *found = &corners->all[corners->count];
        if (!(at = WORD("facet")) || !(at = WORD("normal")) || !(at = normal(at, end)) || !(at = WORD("outer")) || !(at = WORD("loop")))
            break;
        for (int i = 0; at && i < 3; i++)
            at = (at = WORD("vertex")) ? three_numbers(at, end, found + 3 * i) : NULL;
        if (!at || !(at = WORD("endloop")) || !(at = WORD("endfacet")))
            break;
        corners->count += 9;
    }
    return text;
}
