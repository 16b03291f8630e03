/* Attributes of an MJCF that act in MuJoCo and not here, and those that MJCF does not have: each kind is one warning. What the reader
 * reads, and what says nothing about motion, is in the first list of its element; solref and other solver words are looked for elsewhere
 * (mjcf_words.c). */
#include <stdio.h>
#include <string.h>

#include "mjcf.h"
#include "base/nearest.h"

#define POSE "|pos|quat|axisangle|xyaxes|zaxis|euler"
#define SOFT "|solref|solimp|solreffriction|solimpfriction|solreflimit|solimplimit"
#define TENDON                                                                                                                             \
    "name|class|group|limited|actuatorfrclimited|range|margin|springlength|stiffness|damping|frictionloss|armature|width|material|rgba|"   \
    "user" SOFT
#define DRIVE                                                                                                                              \
    "|name|class|group|user|joint|jointinparent|tendon|site|refsite|body|slidersite|cranksite|cranklength|gear|lengthrange|"               \
    "ctrllimited|ctrlrange|forcelimited|forcerange|armature|damping"

static const struct element {
    const char *name, *known, *dropped;
} elements[] = {
    {"compiler",
     "alignfree|angle|assetdir|autolimits|balanceinertia|boundinertia|boundmass|conflict|coordinate|discardvisual|eulerseq|fitaabb|"
     "fusestatic|"
     "inertiafromgeom|inertiagrouprange|meshdir|passthrough|savecanonical|savecompiled|saveinertial|settotalmass|strippath|texturedir|"
     "usethread",
     ""},
    {"option",
     "timestep|gravity|density|viscosity|integrator|cone|jacobian|solver|iterations|tolerance|ls_iterations|ls_tolerance|noslip_iterations|"
     "noslip_tolerance|ccd_iterations|ccd_tolerance|sdf_iterations|sdf_initpoints|sleep_tolerance|impratio|magnetic|wind|apirate|mpr_"
     "iterations|"
     "mpr_tolerance|collision|o_solref|o_solimp",
     "o_margin|o_friction|actuatorgroupdisable"},
    {"flag",
     "actuation|autoreset|clampctrl|constraint|contact|damper|diagexact|energy|equality|eulerdamp|filterparent|frictionloss|fwdinv|gravity|"
     "invdiscrete|ipc|island|limit|midphase|multiccd|nativeccd|override|passive|refsafe|sensor|sensornoise|sleep|speculative|spring|"
     "warmstart",
     ""},
    {"body", "name|childclass|mocap|gravcomp|user|sleep|simple|fuse" POSE, ""},
    {"frame", "name|childclass" POSE, ""},
    {"replicate", "count|euler|offset|sep|childclass", ""},
    {"inertial", "mass|diaginertia|fullinertia" POSE, ""},
    {"joint",
     "name|class|type|group|pos|axis|springdamper|limited|actuatorfrclimited|actuatorfrcrange|stiffness|range|margin|ref|springref|"
     "armature|"
     "damping|frictionloss|user|joint|coef|joint1|joint2|polycoef|active" SOFT,
     "actuatorgravcomp|springyield"},
    {"freejoint", "name|group", "align"},
    {"geom",
     "name|class|type|contype|conaffinity|condim|group|priority|size|material|rgba|friction|mass|density|solmix|margin|gap|fromto|hfield|"
     "mesh|"
     "fitscale|fluidshape|fluidcoef|user|castshadow|geom|sidesite" POSE SOFT,
     "adhesion|surfacevel|shellinertia"},
    {"site", "name|class|type|group|material|rgba|size|fromto|user|site" POSE, ""},
    {"pair", "name|class|geom1|geom2|condim|friction|margin|gap" SOFT, "adhesion"},
    {"fixed", TENDON, "actuatorfrcrange"},
    {"tendon", TENDON "|tendon1|tendon2|polycoef|active", "actuatorfrcrange"},
    {"exclude", "name|body1|body2", ""},
    {"connect", "name|class|active|anchor|body1|body2|site1|site2" SOFT, ""},
    {"weld", "name|class|active|anchor|body1|body2|site1|site2|relpose|torquescale" SOFT, ""},
    {"motor", "" DRIVE, "delay"},
    {"position", "kp|kv|dampratio|inheritrange|timeconst|nsample|interp" DRIVE, "delay"},
    {"velocity", "kv|nsample|interp" DRIVE, "delay"},
    {"general",
     "gaintype|biastype|dyntype|gainprm|biasprm|dynprm|actlimited|actrange|actdim|actearly|inheritrange|nsample|interp|input" DRIVE,
     "delay|velrange|ffrange"},
    {"dcmotor", "motorconst|resistance|nominal|saturation|input|controller|inductance|thermal|cogging|lugre|nsample|interp" DRIVE, "delay"},
    {"mesh",
     "name|class|content_type|file|vertex|normal|texcoord|face|refpos|refquat|scale|smoothnormal|maxhullvert|inertia|builtin|params|"
     "material",
     ""},
    {"key", "name|time|qpos|qvel|act|ctrl|mpos|mquat|plastic", ""},
};

/* What is switched off that acts here all the same. */
static const char switches[] = "actuation|clampctrl|constraint|contact|damper|equality|frictionloss|limit|passive|spring";
/* What is off unless a file says `enable`; the first of them changes what a model is, all others how or what MuJoCo computes. */
static const char off_by_default[] = "override|energy|fwdinv|invdiscrete|sleep|diagexact|ipc|speculative|sensornoise";

/* Is the attribute of an <option> or <flag> the reader's (mjcf_settings.c), or what is done here anyway? Any other one says how MuJoCo
 * computes, and not what. */
static int is_done_here(const char *element, const char *name, const char *value) {
    if (!strcmp(element, "option"))
        return myr_words_among("timestep|gravity|magnetic|density|viscosity|wind", name) ||
               (!strcmp(name, "integrator") && !strcmp(value, "Euler")) || (!strcmp(name, "cone") && !strcmp(value, "elliptic"));
    return myr_words_among("gravity|filterparent", name) ||
           strcmp(value, myr_words_among(off_by_default, name) ? "enable" : "disable") != 0;
}

static const struct element *element_of(const myr_xml_node *node) {
    for (size_t k = 0; k < sizeof elements / sizeof *elements; k++)
        if (myr_xml_is(node, elements[k].name)) return &elements[k];
    return NULL;
}

/* Each is said once, however often the file has it. */
static myr_status lose_once(myr_mjcf *m, myr_mjcf_loss loss, const myr_xml_node *node, const char *what) {
    const char *text = m->lost[loss].text;
    for (const char *at = text; (at = strstr(at, what)) != NULL; at++) /* `tolerance` is not said by `ls_tolerance` */
        if (at == text || at[-1] == ' ') return MYR_OK;
    return myr_mjcf_lose(m, loss, node, what);
}

static myr_status check_attribute(myr_mjcf *m, const myr_xml_node *node, const struct element *e, const char *name, const char *value) {
    char what[160];
    if (myr_words_among(e->dropped, name)) {
        if (myr_xml_is(node, "freejoint") && strcmp(value, "true") != 0) return MYR_OK;
        snprintf(what, sizeof what, "%.60s of <%.60s>", name, node->name);
        return lose_once(m, MYR_MJCF_LOST_ATTRIBUTES, node, what);
    }
    if (!myr_words_among(e->known, name)) {
        myr_words words = {0};
        char hint[MYR_WORD_BYTES + 24];
        myr_words_add_choices(&words, e->known);
        myr_words_hint(&words, name, hint, sizeof hint);
        snprintf(what, sizeof what, "%.60s of <%.40s>%.50s", name, node->name, hint);
        return lose_once(m, MYR_MJCF_LOST_UNKNOWN, node, what);
    }
    const int flag = myr_xml_is(node, "flag");
    if ((!flag && !myr_xml_is(node, "option")) || is_done_here(node->name, name, value)) return MYR_OK;
    if (flag && (myr_words_among(switches, name) || !strcmp(name, "override"))) {
        snprintf(what, sizeof what, "%.60s of <flag>", name);
        return lose_once(m, MYR_MJCF_LOST_ATTRIBUTES, node, what);
    }
    snprintf(what, sizeof what, "%.60s=\"%.60s\"", name, value);
    return lose_once(m, MYR_MJCF_LOST_METHODS, node, what);
}

static myr_status check_node(myr_mjcf *m, const myr_xml_node *node) {
    myr_status status = MYR_OK;
    const struct element *e = element_of(node);
    for (int k = 0; e && node->attributes[k] && !status; k += 2)
        status = check_attribute(m, node, e, node->attributes[k], node->attributes[k + 1]);
    for (const myr_xml_node *child = node->children; child && !status; child = child->next) status = check_node(m, child);
    return status;
}

myr_status myr_mjcf_check_attributes(myr_mjcf *m) {
    static const char with_motion[] = "compiler|option|default|worldbody|contact|equality|tendon|actuator|keyframe";
    myr_status status = MYR_OK;
    for (const myr_xml_node *child = m->xml->root->children; child && !status; child = child->next)
        if (myr_words_among(with_motion, child->name)) status = check_node(m, child);
    for (const myr_xml_node *assets = myr_mjcf_section(m, "asset", NULL); assets; assets = myr_mjcf_section(m, "asset", assets))
        for (const myr_xml_node *child = assets->children; child && !status; child = child->next)
            if (myr_xml_is(child, "mesh")) status = check_node(m, child);
    return status;
}
