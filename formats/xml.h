/* Reading an XML tree: attributes, numbers, and messages that name file, line, element and its owner. */
#ifndef MYR_FORMATS_XML_H
#define MYR_FORMATS_XML_H

#include "model/description.h"

/* An element with its attributes. Texts, comments and processing instructions say nothing in a robot and are not kept. */
typedef struct myr_xml_node {
    const char *name; /* with its prefix, as the file has it */
    struct myr_xml_node *parent, *children, *last_child, *next;
    const char *file;         /* the label of its text, and */
    long line;                /* where its start tag begins */
    const char *attributes[]; /* name, value, name, value, ..., NULL */
} myr_xml_node;

typedef struct myr_xml {
    myr_xml_node *root;
    struct myr_xml_block *memory; /* holds all nodes and their texts */
    const char *label;            /* stands for the file in messages; must live as long as the nodes */
    const char *owner_kind;       /* "link", "joint": what is being read, for messages; NULL: nothing in particular */
    const char *owner;
    myr_texts *warnings;
} myr_xml;

/* Parse a whole document, beside others that `memory` may hold: no entities, no document types, nothing beside the text is opened. A second
 * or misplaced XML declaration is blanked, with a warning. On success there is a root; the caller frees it with myr_xml_free. (xml_parse.c)
 */
myr_status myr_xml_parse(myr_xml *xml, const char *text, size_t length);
void myr_xml_free(myr_xml *xml);

/* "LABEL:LINE: <ELEMENT> of link `OWNER`: ..." */
myr_status myr_xml_fail(const myr_xml *xml, const myr_xml_node *node, const char *format, ...) __attribute__((format(printf, 3, 4)));
myr_status myr_xml_warn(const myr_xml *xml, const myr_xml_node *node, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* What XML calls white space. */
static inline int myr_xml_is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

int myr_xml_is(const myr_xml_node *node, const char *element);
/* First child element called `element`; *status gets MYR_E_MEMORY if the warning about a second one cannot be kept. */
const myr_xml_node *myr_xml_child(const myr_xml *xml, const myr_xml_node *node, const char *element, myr_status *status);

/* Text of an attribute, owned by the document; NULL: absent. */
const char *myr_xml_text(const myr_xml_node *node, const char *attribute);
/* The same, but absent or empty is an error. */
myr_status myr_xml_name(const myr_xml *xml, const myr_xml_node *node, const char *attribute, const char **out);

/* One decimal number at *at, whatever the locale, correctly rounded; steps behind it. 0: there is none. */
int myr_xml_number(const char **at, double *value);

enum { MYR_XML_OPTIONAL = 0, MYR_XML_REQUIRED = 1, MYR_XML_MAY_BE_INFINITE = 2 };

/* `count` numbers, decimal whatever the locale, correctly rounded. Absent and optional: out stays. */
myr_status myr_xml_numbers(const myr_xml *xml, const myr_xml_node *node, const char *attribute, int flags, double *out, int count);

/* Up to `most` numbers, *found of them; absent: none. */
myr_status myr_xml_some_numbers(const myr_xml *xml, const myr_xml_node *node, const char *attribute, int flags, double *out, int most,
                                int *found);

/* <origin xyz rpy>, absent: identity. node is the parent element. */
myr_status myr_xml_origin(const myr_xml *xml, const myr_xml_node *node, myr_pose *pose);

#endif
