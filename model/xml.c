#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memmem, strtod_l */
#endif
#include "xml.h"

#include <libxml/parser.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "trigonometry.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static locale_t plain_locale; /* kept for the life of the process */

static void prepare(void) {
    xmlInitParser();
    plain_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

/* ---- messages --------------------------------------------------------------------------------- */

static void describe(const myr_xml *xml, const xmlNode *node, char *buffer, size_t bytes) {
    const long line = node ? xmlGetLineNo(node) : 0;
    const char *element = node ? (const char *)node->name : "robot";
    if (!xml->owner)
        snprintf(buffer, bytes, "%.300s:%ld: <%.60s>", xml->label, line, element);
    else if (strcmp(element, xml->owner_kind) != 0)
        snprintf(buffer, bytes, "%.300s:%ld: <%.60s> of %s `%.100s`", xml->label, line, element, xml->owner_kind, xml->owner);
    else
        snprintf(buffer, bytes, "%.300s:%ld: %s `%.100s`", xml->label, line, xml->owner_kind, xml->owner);
}

myr_status myr_xml_fail(const myr_xml *xml, const xmlNode *node, const char *format, ...) {
    char where[600], what[1200];
    describe(xml, node, where, sizeof where);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return myr_fail(MYR_E_FORMAT, "%s: %s", where, what);
}

myr_status myr_xml_warn(const myr_xml *xml, const xmlNode *node, const char *format, ...) {
    char where[600], what[600];
    describe(xml, node, where, sizeof where);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return myr_texts_add(xml->warnings, "%s: %s", where, what);
}

/* ---- the document ----------------------------------------------------------------------------- */

static size_t skip_to(const char *text, size_t at, size_t length, const char *end) {
    const char *found = at < length ? memmem(text + at, length - at, end, strlen(end)) : NULL;
    return found ? (size_t)(found - text) + strlen(end) : length;
}

static int starts(const char *text, size_t at, size_t length, const char *with) {
    return length - at >= strlen(with) && !memcmp(text + at, with, strlen(with));
}

static int is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/* Files put together by tools carry a second `<?xml ...?>`, or a first one that is not at the very start: XML forbids
 * both, and nothing is lost without them. Blanked in place, so that lines keep their numbers. */
static myr_status blank_stray_declarations(const myr_xml *xml, char *text, size_t length) {
    const size_t start = starts(text, 0, length, "\xef\xbb\xbf") ? 3 : 0;
    int line = 1;
    for (size_t at = 0, seen = 0; at < length;) {
        for (; seen < at; seen++) line += text[seen] == '\n';
        if (starts(text, at, length, "<!--")) {
            at = skip_to(text, at + 4, length, "-->");
        } else if (starts(text, at, length, "<![CDATA[")) {
            at = skip_to(text, at, length, "]]>");
        } else if (at > start && starts(text, at, length, "<?xml") && length - at > 5 && is_space(text[at + 5])) {
            const myr_status status =
                myr_texts_add(xml->warnings, "%.300s:%d: <?xml?>: a stray XML declaration is ignored", xml->label, line);
            if (status) return status;
            for (const size_t end = skip_to(text, at, length, "?>"); at < end; at++)
                if (!is_space(text[at])) text[at] = ' ';
        } else {
            at++;
        }
    }
    return MYR_OK;
}

/* What stopped the parser: the first error, which later ones only follow from. */
typedef struct {
    int has_document_type, has_error, line, is_memory;
    char what[300];
} trouble;

/* A document type could bring entities, local files and remote ones: stop before it is read. */
static void refuse_document_type(void *context, const xmlChar *name, const xmlChar *external, const xmlChar *system) {
    (void)name, (void)external, (void)system;
    xmlParserCtxt *parser = context;
    ((trouble *)parser->_private)->has_document_type = 1;
    xmlStopParser(parser);
}

#if LIBXML_VERSION >= 21200
typedef const xmlError parse_error;
#else
typedef xmlError parse_error;
#endif

static void keep_first_error(void *context, parse_error *error) {
    trouble *t = ((xmlParserCtxt *)context)->_private;
    if (t->has_error || error->level < XML_ERR_ERROR) return;
    t->has_error = 1;
    t->line = error->line;
    t->is_memory = error->code == XML_ERR_NO_MEMORY;
    snprintf(t->what, sizeof t->what, "%s", error->message ? error->message : "no reason given");
    for (size_t n = strlen(t->what); n && is_space(t->what[n - 1]); n--) t->what[n - 1] = '\0';
}

static myr_status fail_parsing(const myr_xml *xml, const trouble *t) {
    if (t->has_document_type)
        return myr_fail(MYR_E_FORMAT, "%.300s: <!DOCTYPE>: document types and entities are not read; URDF needs none, remove it",
                        xml->label);
    if (t->is_memory) return myr_fail(MYR_E_MEMORY, "%.300s: out of memory while reading XML", xml->label);
    if (!t->has_error) return myr_fail(MYR_E_FORMAT, "%.300s: this is not an XML document", xml->label);
    return myr_fail(MYR_E_FORMAT, "%.300s:%d: not well-formed XML: %s", xml->label, t->line, t->what);
}

myr_status myr_xml_parse(myr_xml *xml, const char *text, size_t length) {
    pthread_once(&once, prepare);
    if (plain_locale == (locale_t)0) return myr_fail(MYR_E_MEMORY, "out of memory for the numeric locale");
    char *copy = myr_allocate(length + 1, 1);
    if (!copy) return myr_fail(MYR_E_MEMORY, "%.300s: out of memory for %zu bytes of XML", xml->label, length);
    memcpy(copy, text, length);
    myr_status status = blank_stray_declarations(xml, copy, length);
    xmlParserCtxt *parser = status ? NULL : xmlNewParserCtxt();
    if (parser) {
        trouble t = {0};
        parser->_private = &t;
        parser->sax->internalSubset = refuse_document_type;
        parser->sax->serror = keep_first_error;
        xml->document =
            xmlCtxtReadMemory(parser, copy, (int)length, NULL, NULL,
                              XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_BIG_LINES | XML_PARSE_COMPACT);
        if (t.has_document_type || !xml->document || !xmlDocGetRootElement(xml->document)) {
            status = fail_parsing(xml, &t);
            xmlFreeDoc(xml->document);
            xml->document = NULL;
        }
        xmlFreeParserCtxt(parser);
    } else if (!status) {
        status = myr_fail(MYR_E_MEMORY, "%.300s: out of memory while reading XML", xml->label);
    }
    myr_release(copy);
    return status;
}

/* ---- elements and attributes ------------------------------------------------------------------ */

int myr_xml_is(const xmlNode *node, const char *element) {
    return node->type == XML_ELEMENT_NODE && !(node->ns && node->ns->prefix) && !strcmp((const char *)node->name, element);
}

const xmlNode *myr_xml_child(const myr_xml *xml, const xmlNode *node, const char *element, myr_status *status) {
    const xmlNode *found = NULL;
    for (const xmlNode *child = node->children; child; child = child->next) {
        if (!myr_xml_is(child, element)) continue;
        if (found) {
            *status = myr_xml_warn(xml, child, "given twice; the first one, in line %ld, counts", xmlGetLineNo(found));
            return found;
        }
        found = child;
    }
    return found;
}

const char *myr_xml_text(const xmlNode *node, const char *attribute) {
    for (const xmlAttr *a = node->properties; a; a = a->next) {
        if ((a->ns && a->ns->prefix) || strcmp((const char *)a->name, attribute) != 0) continue;
        return a->children && a->children->content ? (const char *)a->children->content : "";
    }
    return NULL;
}

myr_status myr_xml_name(const myr_xml *xml, const xmlNode *node, const char *attribute, const char **out) {
    *out = myr_xml_text(node, attribute);
    if (!*out) return myr_xml_fail(xml, node, "the attribute `%s` is missing", attribute);
    if (!**out) return myr_xml_fail(xml, node, "the attribute `%s` is empty", attribute);
    return MYR_OK;
}

/* One decimal number at *at; steps behind it. Hexadecimal and `nan`, which strtod would take, are not numbers here. */
static int read_number(const char **at, double *value) {
    const char *p = *at + (**at == '+' || **at == '-');
    const int infinite = !strncasecmp(p, "inf", 3);
    if (!infinite && (p[0] == '0' && (p[1] == 'x' || p[1] == 'X'))) return 0;
    if (!infinite && !(*p >= '0' && *p <= '9') && *p != '.') return 0;
    char *end;
    *value = strtod_l(*at, &end, plain_locale);
    if (end == *at || (*end && !is_space(*end))) return 0;
    *at = end;
    return 1;
}

myr_status myr_xml_numbers(const myr_xml *xml, const xmlNode *node, const char *attribute, int flags, double *out, int count) {
    const char *text = myr_xml_text(node, attribute);
    if (!text && !(flags & MYR_XML_REQUIRED)) return MYR_OK;
    if (!text) return myr_xml_fail(xml, node, "the attribute `%s` is missing", attribute);
    const char *at = text;
    int found = 0;
    for (;; found++) {
        while (is_space(*at)) at++;
        if (!*at) break;
        double value = 0.0;
        if (!read_number(&at, &value))
            return myr_xml_fail(xml, node, "%s=\"%.80s\" is not %s", attribute, text, count == 1 ? "a number" : "numbers");
        if (!isfinite(value) && !(flags & MYR_XML_MAY_BE_INFINITE))
            return myr_xml_fail(xml, node, "%s=\"%.80s\" is not finite", attribute, text);
        if (found < count) out[found] = value;
    }
    if (found != count)
        return myr_xml_fail(xml, node, "%s=\"%.80s\" has %d number%s, not %d", attribute, text, found, found == 1 ? "" : "s", count);
    return MYR_OK;
}

myr_status myr_xml_origin(const myr_xml *xml, const xmlNode *node, myr_pose *pose) {
    *pose = myr_pose_identity();
    myr_status status = MYR_OK;
    const xmlNode *origin = myr_xml_child(xml, node, "origin", &status);
    if (status || !origin) return status;
    double rpy[3] = {0.0, 0.0, 0.0};
    status = myr_xml_numbers(xml, origin, "xyz", MYR_XML_OPTIONAL, pose->position, 3);
    if (!status) status = myr_xml_numbers(xml, origin, "rpy", MYR_XML_OPTIONAL, rpy, 3);
    if (!status) myr_rotation_from_rpy(pose->rotation, rpy);
    return status;
}
