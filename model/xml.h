/* Reading an XML tree: attributes, numbers, and messages that name file, line, element and its owner. */
#ifndef MYR_MODEL_XML_H
#define MYR_MODEL_XML_H

#include <libxml/tree.h>

#include "description.h"

typedef struct myr_xml {
    xmlDoc *document;
    const char *label;      /* stands for the file in messages */
    const char *owner_kind; /* "link", "joint": what is being read, for messages; NULL: nothing in particular */
    const char *owner;
    myr_texts *warnings;
} myr_xml;

/* Parse a whole document: no network, no entities, no document types, libxml's own limits on depth and size. A second or
 * misplaced XML declaration is blanked, with a warning. The caller frees xml->document with xmlFreeDoc. */
myr_status myr_xml_parse(myr_xml *xml, const char *text, size_t length);

/* "LABEL:LINE: <ELEMENT> of link `OWNER`: ..." */
myr_status myr_xml_fail(const myr_xml *xml, const xmlNode *node, const char *format, ...) __attribute__((format(printf, 3, 4)));
myr_status myr_xml_warn(const myr_xml *xml, const xmlNode *node, const char *format, ...) __attribute__((format(printf, 3, 4)));

int myr_xml_is(const xmlNode *node, const char *element);
/* First child element called `element`; *status gets MYR_E_MEMORY if the warning about a second one cannot be kept. */
const xmlNode *myr_xml_child(const myr_xml *xml, const xmlNode *node, const char *element, myr_status *status);

/* Text of an attribute, owned by the document; NULL: absent. */
const char *myr_xml_text(const xmlNode *node, const char *attribute);
/* The same, but absent or empty is an error. */
myr_status myr_xml_name(const myr_xml *xml, const xmlNode *node, const char *attribute, const char **out);

enum { MYR_XML_OPTIONAL = 0, MYR_XML_REQUIRED = 1, MYR_XML_MAY_BE_INFINITE = 2 };

/* `count` numbers, decimal whatever the locale, correctly rounded. Absent and optional: out stays. */
myr_status myr_xml_numbers(const myr_xml *xml, const xmlNode *node, const char *attribute, int flags, double *out, int count);

/* <origin xyz rpy>, absent: identity. node is the parent element. */
myr_status myr_xml_origin(const myr_xml *xml, const xmlNode *node, myr_pose *pose);

#endif
