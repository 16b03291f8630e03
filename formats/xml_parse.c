/* From text to a tree of elements: expat reads, this file says what is kept, how much, and why not. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memmem */
#endif
#include <expat.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "xml.h"

/* No robot comes near these. They bound what a wrong file may cost, and how deep readers of the tree may have to go. */
enum { MAX_DEPTH = 256, MAX_NAME_BYTES = 50000, MAX_VALUE_BYTES = 10000000 };

typedef struct {
    myr_xml *xml;
    XML_Parser parser;
    const char *text;
    size_t length;
    myr_xml_node *root, *open; /* open: the innermost element whose end has not come */
    int depth;                 /* of `open`; the root lies 0 deep */
    myr_status status;         /* of the handlers, which cannot return one; expat may call a few after the one that failed */
    char encoding[64];         /* that expat does not know */
} reading;

/* ---- memory ----------------------------------------------------------------------------------- */

/* expat asks for realloc, which the allocator hook does not have: every block remembers its size. */
typedef union {
    size_t bytes;
    max_align_t alignment;
} header;

static void *take(size_t bytes) {
    if (bytes > SIZE_MAX - sizeof(header)) return NULL;
    header *block = myr_allocate_untouched(sizeof *block + bytes, _Alignof(max_align_t));
    if (!block) return NULL;
    block->bytes = bytes;
    return block + 1;
}

static void give_back(void *memory) {
    if (memory) myr_release((header *)memory - 1);
}

static void *resize(void *memory, size_t bytes) {
    void *moved = take(bytes);
    if (!moved || !memory) return moved;
    const size_t had = ((header *)memory - 1)->bytes;
    memcpy(moved, memory, had < bytes ? had : bytes);
    give_back(memory);
    return moved;
}

/* Nodes live and die together: they come from blocks, which also frees a tree of any depth without recursion. */
typedef struct myr_xml_block {
    struct myr_xml_block *next;
    size_t used, bytes;
    max_align_t content[];
} myr_xml_block;

enum { BLOCK_BYTES = 16384 };

static void *keep(myr_xml *xml, size_t bytes) {
    bytes = (bytes + sizeof(void *) - 1) / sizeof(void *) * sizeof(void *);
    if (!xml->memory || bytes > xml->memory->bytes - xml->memory->used) {
        const size_t room = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
        myr_xml_block *block = myr_allocate(sizeof *block + room, _Alignof(max_align_t));
        if (!block) return NULL;
        *block = (myr_xml_block){.next = xml->memory, .bytes = room};
        xml->memory = block;
    }
    char *memory = (char *)xml->memory->content + xml->memory->used;
    xml->memory->used += bytes;
    return memory;
}

/* All blocks that came after `before`. */
static void drop(myr_xml *xml, const myr_xml_block *before) {
    while (xml->memory != before) {
        myr_xml_block *next = xml->memory->next;
        myr_release(xml->memory);
        xml->memory = next;
    }
    xml->root = NULL;
}

void myr_xml_free(myr_xml *xml) { drop(xml, NULL); }

/* ---- stray declarations ----------------------------------------------------------------------- */

static size_t skip_to(const char *text, size_t at, size_t length, const char *end) {
    const char *found = at < length ? memmem(text + at, length - at, end, strlen(end)) : NULL;
    return found ? (size_t)(found - text) + strlen(end) : length;
}

static int starts(const char *text, size_t at, size_t length, const char *with) {
    return length - at >= strlen(with) && !memcmp(text + at, with, strlen(with));
}

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
        } else if (at > start && starts(text, at, length, "<?xml") && length - at > 5 && myr_xml_is_space(text[at + 5])) {
            const myr_status status =
                myr_texts_add(xml->warnings, "%.300s:%d: <?xml?>: a stray XML declaration is ignored", xml->label, line);
            if (status) return status;
            for (const size_t end = skip_to(text, at, length, "?>"); at < end; at++)
                if (!myr_xml_is_space(text[at])) text[at] = ' ';
        } else {
            at++;
        }
    }
    return MYR_OK;
}

static int has_utf16_mark(const char *text, size_t length) {
    return starts(text, 0, length, "\xff\xfe") || starts(text, 0, length, "\xfe\xff");
}

/* Callers hand over `sizeof text`, and some files are padded: NULs behind the text are not part of it, but in UTF-16 they are. */
static size_t length_without_padding(const char *text, size_t length) {
    const int is_utf16 = has_utf16_mark(text, length) || memchr(text, 0, length < 2 ? length : 2);
    while (!is_utf16 && length && !text[length - 1]) length--;
    return length;
}

/* ---- what expat calls ------------------------------------------------------------------------- */

static long line_of(const reading *r) { return (long)XML_GetCurrentLineNumber(r->parser); }

static myr_status out_of_memory(const reading *r) {
    return myr_fail(MYR_E_MEMORY, "%.300s: out of memory while reading XML", r->xml->label);
}

static void stop(reading *r, myr_status status) {
    r->status = status;
    XML_StopParser(r->parser, XML_FALSE);
}

static const char *too_long(const char *name, const char **attributes) {
    size_t bytes = strlen(name);
    for (; *attributes && bytes <= MAX_NAME_BYTES; attributes += 2) {
        bytes = strlen(attributes[0]);
        if (strlen(attributes[1]) > MAX_VALUE_BYTES) return "an attribute";
    }
    return bytes > MAX_NAME_BYTES ? "a name" : NULL;
}

static const char *copy(char **end, const char *text) {
    const size_t bytes = strlen(text) + 1;
    char *start = memcpy(*end, text, bytes);
    *end += bytes;
    return start;
}

static myr_xml_node *new_node(myr_xml *xml, const char *name, const char **attributes) {
    size_t count = 0, bytes = strlen(name) + 1;
    for (; attributes[count]; count++) bytes += strlen(attributes[count]) + 1;
    myr_xml_node *node = keep(xml, sizeof *node + (count + 1) * sizeof *node->attributes + bytes);
    if (!node) return NULL;
    char *end = (char *)(node->attributes + count + 1);
    node->name = copy(&end, name);
    for (size_t i = 0; i < count; i++) node->attributes[i] = copy(&end, attributes[i]);
    return node;
}

static void hang(reading *r, myr_xml_node *node) {
    myr_xml_node *parent = r->open;
    node->parent = parent;
    if (!parent)
        r->root = node;
    else if (parent->last_child)
        parent->last_child->next = node;
    else
        parent->children = node;
    if (parent) parent->last_child = node;
}

static myr_status check_limits(const reading *r, const char *name, const char **attributes, int depth) {
    const char *label = r->xml->label, *culprit = too_long(name, attributes);
    if (depth > MAX_DEPTH)
        return myr_fail(MYR_E_LIMIT, "%.300s:%ld: <%.60s>: elements lie more than %d deep in each other", label, line_of(r), name,
                        MAX_DEPTH);
    if (culprit)
        return myr_fail(MYR_E_LIMIT, "%.300s:%ld: <%.60s>: %s is too long: names may have %d bytes, values %d", label, line_of(r), name,
                        culprit, MAX_NAME_BYTES, MAX_VALUE_BYTES);
    return MYR_OK;
}

static void XMLCALL start_element(void *user, const XML_Char *name, const XML_Char **attributes) {
    reading *r = user;
    if (r->status) return;
    const int depth = r->open ? r->depth + 1 : 0;
    myr_status status = check_limits(r, name, attributes, depth);
    myr_xml_node *node = status ? NULL : new_node(r->xml, name, attributes);
    if (!status && !node) status = out_of_memory(r);
    if (status) {
        stop(r, status);
        return;
    }
    node->file = r->xml->label;
    node->line = line_of(r);
    hang(r, node);
    r->open = node;
    r->depth = depth;
}

static void XMLCALL end_element(void *user, const XML_Char *name) {
    reading *r = user;
    (void)name;
    if (r->status) return;
    r->open = r->open->parent;
    r->depth--;
}

/* A document type could bring entities, local files and remote ones: stop before any of it is read. */
static void XMLCALL refuse_document_type(void *user, const XML_Char *name, const XML_Char *system, const XML_Char *external,
                                         int has_subset) {
    reading *r = user;
    (void)name, (void)system, (void)external, (void)has_subset;
    if (r->status) return;
    stop(r, myr_fail(MYR_E_FORMAT, "%.300s:%ld: <!DOCTYPE>: document types and entities are not read; robots need none, remove it",
                     r->xml->label, line_of(r)));
}

static int XMLCALL note_encoding(void *user, const XML_Char *name, XML_Encoding *encoding) {
    (void)encoding;
    snprintf(((reading *)user)->encoding, sizeof((reading *)user)->encoding, "%s", name);
    return XML_STATUS_ERROR;
}

/* ---- what went wrong -------------------------------------------------------------------------- */

static int is_plain(char c) { return c >= 0x20 && c < 0x7f; }

/* Where in the text it went wrong. For an entity in an attribute expat points to the element: the entity is behind that. */
static size_t find_culprit(const reading *r, enum XML_Error error) {
    static const char *const known[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&apos;", "&#"};
    const XML_Index index = XML_GetCurrentByteIndex(r->parser);
    const size_t start = index < 0 || (size_t)index > r->length ? r->length : (size_t)index;
    for (size_t at = start; error == XML_ERROR_UNDEFINED_ENTITY && at < r->length; at++) {
        int is_known = r->text[at] != '&';
        for (size_t i = 0; i < sizeof known / sizeof *known; i++) is_known = is_known || starts(r->text, at, r->length, known[i]);
        if (!is_known) return at;
    }
    return start;
}

/* " at `...`": only plain characters, because the text may be in any encoding or in none. */
static void quote(const reading *r, size_t at, char *out, size_t bytes) {
    int count = 0;
    while (count < 40 && at + (size_t)count < r->length && is_plain(r->text[at + (size_t)count])) count++;
    if (count)
        snprintf(out, bytes, " at `%.*s`", count, r->text + at);
    else if (at < r->length)
        snprintf(out, bytes, " at byte 0x%02X", (unsigned char)r->text[at]);
    else
        *out = '\0';
}

static const char *reason(const reading *r, enum XML_Error error, size_t at) {
    if (error == XML_ERROR_NO_ELEMENTS && r->root) return "the text ends too early";
    if (error != XML_ERROR_INVALID_TOKEN) return XML_ErrorString(error);
    if (at < r->length && (unsigned char)r->text[at] >= 0x80)
        return "invalid token, or text in another encoding than the XML declaration names (UTF-8 where it names none)";
    return "invalid token";
}

static myr_status explain(const reading *r) {
    const enum XML_Error error = XML_GetErrorCode(r->parser);
    const char *label = r->xml->label;
    const long line = line_of(r), column = (long)XML_GetCurrentColumnNumber(r->parser) + 1;
    if (r->status) return r->status; /* has its words already */
    if (error == XML_ERROR_NO_MEMORY) return out_of_memory(r);
    if (error == XML_ERROR_UNKNOWN_ENCODING)
        return myr_fail(MYR_E_FORMAT, "%.300s:%ld:%ld: the encoding `%s` is not read; save the file as UTF-8: iconv -f %s -t UTF-8", label,
                        line, column, r->encoding, r->encoding);
    char where[64], inside[128] = "";
    const size_t at = find_culprit(r, error);
    quote(r, at, where, sizeof where);
    if (r->open) snprintf(inside, sizeof inside, ", inside <%.60s> of line %ld", r->open->name, r->open->line);
    return myr_fail(MYR_E_FORMAT, "%.300s:%ld:%ld: not well-formed XML: %s%s%s", label, line, column, reason(r, error, at), where, inside);
}

/* ---- parsing ---------------------------------------------------------------------------------- */

/* Without namespaces: a prefix belongs to its name, so that `xacro:include` is known with or without its declaration. No handler
 * for external entities is set, so expat opens nothing. */
static myr_status parse_as(reading *r, const char *encoding) {
    static const XML_Memory_Handling_Suite memory = {take, resize, give_back};
    r->parser = XML_ParserCreate_MM(encoding, &memory, NULL);
    if (!r->parser) return out_of_memory(r);
    XML_SetUserData(r->parser, r);
    XML_SetElementHandler(r->parser, start_element, end_element);
    XML_SetStartDoctypeDeclHandler(r->parser, refuse_document_type);
    XML_SetUnknownEncodingHandler(r->parser, note_encoding, r);
    const enum XML_Status parsed = XML_Parse(r->parser, r->text, (int)r->length, XML_TRUE);
    const myr_status status = parsed == XML_STATUS_OK ? MYR_OK : explain(r);
    XML_ParserFree(r->parser);
    return status;
}

/* Names in use for the encodings that expat reads under their own names only. */
static const char *usual_name(const char *encoding) {
    static const char *const names[][2] = {{"utf8", "UTF-8"},           {"latin1", "ISO-8859-1"},     {"latin-1", "ISO-8859-1"},
                                           {"iso8859-1", "ISO-8859-1"}, {"iso_8859-1", "ISO-8859-1"}, {"ascii", "US-ASCII"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcasecmp(encoding, names[i][0])) return names[i][1];
    return NULL;
}

myr_status myr_xml_parse(myr_xml *xml, const char *text, size_t length) {
    const myr_xml_block *before = xml->memory;
    length = length_without_padding(text, length);
    char *blanked = myr_allocate(length + 1, 1);
    if (!blanked) return myr_fail(MYR_E_MEMORY, "%.300s: out of memory for %zu bytes of XML", xml->label, length);
    memcpy(blanked, text, length);
    reading r = {.xml = xml, .text = blanked, .length = length};
    myr_status status = blank_stray_declarations(xml, blanked, length);
    /* A shell that redirects into UTF-16 leaves the declaration as it was: the mark counts. */
    if (!status) status = parse_as(&r, has_utf16_mark(text, length) ? "UTF-16" : NULL);
    /* An encoding is declared before everything else: nothing was kept yet. */
    if (status && *r.encoding && usual_name(r.encoding)) status = parse_as(&r, usual_name(r.encoding));
    if (status)
        drop(xml, before); /* another text's nodes stay */
    else
        xml->root = r.root;
    myr_release(blanked);
    return status;
}
