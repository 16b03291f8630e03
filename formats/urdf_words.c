/* Elements and attributes that URDF does not have: a misspelt limit would otherwise not act, without a word. One warning
 * for each unknown word, where it stands first and how often. What is only drawn, or for other programs, is not looked into. */
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "urdf.h"

/* What may stand in an element. Those in no row are known where a row names them, and what they contain is not ours to judge. */
static const struct element {
    const char *name, *children, *attributes;
} known[] = {
    {"robot", "link|joint|loop_joint|material|transmission|gazebo|mujoco|sensor|ros2_control|verbose", "name|version"},
    {"link", "inertial|visual|collision|verbose", "name|type"},
    {"inertial", "origin|mass|inertia", ""},
    {"mass", "", "value"},
    {"inertia", "", "ixx|iyy|izz|ixy|ixz|iyz"},
    {"origin", "", "xyz|rpy"},
    {"collision", "origin|geometry|material|verbose", "name|group"},
    {"geometry", "sphere|box|capsule|cylinder|mesh", ""},
    {"sphere", "", "radius"},
    {"box", "", "size"},
    {"capsule", "", "radius|length"},
    {"cylinder", "", "radius|length"},
    {"joint", "origin|parent|child|axis|limit|dynamics|mimic|safety_controller|calibration", "name|type"},
    {"loop_joint", "link1|link2|axis", "name|type"},
    {"link1", "", "link|xyz|rpy"},
    {"link2", "", "link|xyz|rpy"},
    {"parent", "", "link"},
    {"child", "", "link"},
    {"axis", "", "xyz"},
    {"limit", "", "lower|upper|effort|velocity|acceleration|deceleration|jerk"},
    {"dynamics", "", "damping|friction"},
    {"mimic", "", "joint|multiplier|offset"},
};

enum { MOST_UNKNOWN = 32 };

typedef struct {
    const myr_xml_node *node; /* where it stands first: the element itself, or the one with the attribute */
    const char *attribute;    /* NULL: the element is what is unknown */
    const struct element *in; /* what may stand here */
    const char *owner_kind, *owner;
    int times;
} unknown_word;

typedef struct {
    int n, left_out;
    unknown_word words[MOST_UNKNOWN];
} unknown_words;

static const struct element *find(const char *name) {
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i].name, name)) return &known[i];
    return NULL;
}

static void note(unknown_words *unknown, const myr_xml *xml, const myr_xml_node *node, const char *attribute, const struct element *in) {
    for (int i = 0; i < unknown->n; i++) {
        unknown_word *other = &unknown->words[i];
        if (other->in != in || !attribute != !other->attribute) continue;
        if (strcmp(attribute ? attribute : node->name, other->attribute ? other->attribute : other->node->name) != 0) continue;
        other->times++;
        return;
    }
    if (unknown->n == MOST_UNKNOWN)
        unknown->left_out++;
    else
        unknown->words[unknown->n++] = (unknown_word){node, attribute, in, xml->owner_kind, xml->owner, 1};
}

/* A prefix belongs to a namespace, and so to another reader. */
static int is_foreign(const char *attribute) { return strchr(attribute, ':') || !strcmp(attribute, "xmlns"); }

static void look_at_attributes(unknown_words *unknown, const myr_xml *xml, const myr_xml_node *node, const struct element *element) {
    for (const char *const *a = node->attributes; *a; a += 2)
        if (!myr_words_among(element->attributes, *a) && !is_foreign(*a)) note(unknown, xml, node, *a, element);
}

/* The element and what is in it: URDF's are four deep, and what is unknown is not entered. */
static void look_into(unknown_words *unknown, myr_xml *xml, const myr_xml_node *node) {
    const struct element *element = find(node->name);
    if (!element) return;
    look_at_attributes(unknown, xml, node, element);
    for (const myr_xml_node *child = node->children; child; child = child->next) {
        if (node->parent == NULL) {
            xml->owner = myr_xml_is(child, "link") || myr_xml_is(child, "joint") ? myr_xml_text(child, "name") : NULL;
            xml->owner_kind = child->name;
        }
        if (!myr_words_among(element->children, child->name))
            note(unknown, xml, child, NULL, element);
        else
            look_into(unknown, xml, child);
    }
}

static myr_status warn_of(myr_xml *xml, const unknown_word *word) {
    char hint[MYR_WORD_BYTES + 24], times[32] = "";
    myr_words choices = {.n = 0};
    myr_words_add_choices(&choices, word->attribute ? word->in->attributes : word->in->children);
    myr_words_hint(&choices, word->attribute ? word->attribute : word->node->name, hint, sizeof hint);
    if (word->times > 1) snprintf(times, sizeof times, " (%d times)", word->times);
    xml->owner_kind = word->owner_kind, xml->owner = word->owner;
    if (word->attribute) return myr_xml_warn(xml, word->node, "unknown attribute `%.60s`, ignored%s%s", word->attribute, times, hint);
    return myr_xml_warn(xml, word->node, "unknown element, ignored%s%s", times, hint);
}

myr_status myr_urdf_check_words(myr_urdf *urdf) {
    unknown_words unknown = {.n = 0};
    myr_status status = MYR_OK;
    urdf->xml.owner = NULL;
    look_into(&unknown, &urdf->xml, urdf->robot);
    for (int i = 0; i < unknown.n && !status; i++) status = warn_of(&urdf->xml, &unknown.words[i]);
    urdf->xml.owner = NULL;
    if (!status && unknown.left_out)
        status = myr_texts_add(urdf->xml.warnings, "%.300s: %d more unknown elements and attributes, ignored", urdf->xml.label,
                               unknown.left_out);
    return status;
}
