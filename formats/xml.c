#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* strtod_l */
#endif
#include "xml.h"

#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/trigonometry.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static locale_t plain_locale; /* kept for the life of the process */

static void make_locale(void) { plain_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0); }

/* ---- messages --------------------------------------------------------------------------------- */

static void describe(const myr_xml *xml, const myr_xml_node *node, char *buffer, size_t bytes) {
    const long line = node ? node->line : 0;
    const char *element = node ? node->name : "robot", *file = node ? node->file : xml->label;
    if (!xml->owner)
        snprintf(buffer, bytes, "%.300s:%ld: <%.60s>", file, line, element);
    else if (strcmp(element, xml->owner_kind) != 0)
        snprintf(buffer, bytes, "%.300s:%ld: <%.60s> of %s `%.100s`", file, line, element, xml->owner_kind, xml->owner);
    else
        snprintf(buffer, bytes, "%.300s:%ld: %s `%.100s`", file, line, xml->owner_kind, xml->owner);
}

myr_status myr_xml_fail(const myr_xml *xml, const myr_xml_node *node, const char *format, ...) {
    char where[600], what[1200];
    describe(xml, node, where, sizeof where);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return myr_fail(MYR_E_FORMAT, "%s: %s", where, what);
}

myr_status myr_xml_warn(const myr_xml *xml, const myr_xml_node *node, const char *format, ...) {
    char where[600], what[600];
    describe(xml, node, where, sizeof where);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return myr_texts_add(xml->warnings, "%s: %s", where, what);
}

/* ---- elements and attributes ------------------------------------------------------------------ */

int myr_xml_is(const myr_xml_node *node, const char *element) { return !strcmp(node->name, element); }

const myr_xml_node *myr_xml_child(const myr_xml *xml, const myr_xml_node *node, const char *element, myr_status *status) {
    const myr_xml_node *found = NULL;
    for (const myr_xml_node *child = node->children; child; child = child->next) {
        if (!myr_xml_is(child, element)) continue;
        if (found) {
            *status = myr_xml_warn(xml, child, "given twice; the first one, in line %ld, counts", found->line);
            return found;
        }
        found = child;
    }
    return found;
}

const char *myr_xml_text(const myr_xml_node *node, const char *attribute) {
    for (const char *const *a = node->attributes; *a; a += 2)
        if (!strcmp(a[0], attribute)) return a[1];
    return NULL;
}

myr_status myr_xml_name(const myr_xml *xml, const myr_xml_node *node, const char *attribute, const char **out) {
    *out = myr_xml_text(node, attribute);
    if (!*out) return myr_xml_fail(xml, node, "the attribute `%s` is missing", attribute);
    if (!**out) return myr_xml_fail(xml, node, "the attribute `%s` is empty", attribute);
    return MYR_OK;
}

/* Hexadecimal and `nan`, which strtod would take, are not numbers here. */
int myr_xml_number(const char **at, double *value) {
    pthread_once(&once, make_locale);
    if (plain_locale == (locale_t)0) return 0;
    const char *p = *at + (**at == '+' || **at == '-');
    const int infinite = !strncasecmp(p, "inf", 3);
    if (!infinite && (p[0] == '0' && (p[1] == 'x' || p[1] == 'X'))) return 0;
    if (!infinite && !(*p >= '0' && *p <= '9') && *p != '.') return 0;
    char *end;
    *value = strtod_l(*at, &end, plain_locale);
    if (end == *at || (*end && !myr_xml_is_space(*end))) return 0;
    *at = end;
    return 1;
}

/* All numbers of a text; those past `most` are counted alone. `one`: a single one is wanted, for the message. */
static myr_status read_numbers(const myr_xml *xml, const myr_xml_node *node, const char *attribute, int flags, double *out, int most,
                               int one, int *found) {
    const char *text = myr_xml_text(node, attribute), *at = text;
    *found = 0;
    if (!text && !(flags & MYR_XML_REQUIRED)) return MYR_OK;
    if (!text) return myr_xml_fail(xml, node, "the attribute `%s` is missing", attribute);
    pthread_once(&once, make_locale);
    if (plain_locale == (locale_t)0) return myr_fail(MYR_E_MEMORY, "out of memory for the numeric locale");
    for (;; ++*found) {
        while (myr_xml_is_space(*at)) at++;
        if (!*at) return MYR_OK;
        double value = 0.0;
        if (!myr_xml_number(&at, &value))
            return myr_xml_fail(xml, node, "%s=\"%.80s\" is not %s", attribute, text, one ? "a number" : "numbers");
        if (!isfinite(value) && !(flags & MYR_XML_MAY_BE_INFINITE))
            return myr_xml_fail(xml, node, "%s=\"%.80s\" is not finite", attribute, text);
        if (*found < most) out[*found] = value;
    }
}

myr_status myr_xml_numbers(const myr_xml *xml, const myr_xml_node *node, const char *attribute, int flags, double *out, int count) {
    int found;
    const myr_status status = read_numbers(xml, node, attribute, flags, out, count, count == 1, &found);
    const char *text = myr_xml_text(node, attribute);
    if (!status && text && found != count)
        return myr_xml_fail(xml, node, "%s=\"%.80s\" has %d number%s, not %d", attribute, text, found, found == 1 ? "" : "s", count);
    return status;
}

myr_status myr_xml_some_numbers(const myr_xml *xml, const myr_xml_node *node, const char *attribute, int flags, double *out, int most,
                                int *found) {
    const myr_status status = read_numbers(xml, node, attribute, flags, out, most, 0, found);
    if (!status && *found > most)
        return myr_xml_fail(xml, node, "%s=\"%.80s\" has %d numbers; at most %d", attribute, myr_xml_text(node, attribute), *found, most);
    return status;
}

myr_status myr_xml_origin(const myr_xml *xml, const myr_xml_node *node, myr_pose *pose) {
    *pose = myr_pose_identity();
    myr_status status = MYR_OK;
    const myr_xml_node *origin = myr_xml_child(xml, node, "origin", &status);
    if (status || !origin) return status;
    double rpy[3] = {0.0, 0.0, 0.0};
    status = myr_xml_numbers(xml, origin, "xyz", MYR_XML_OPTIONAL, pose->position, 3);
    if (!status) status = myr_xml_numbers(xml, origin, "rpy", MYR_XML_OPTIONAL, rpy, 3);
    if (!status) myr_rotation_from_rpy(pose->rotation, rpy);
    return status;
}
