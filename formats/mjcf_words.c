/* What of an MJCF is refused, and what does not act: one warning for each kind of loss, by the names of what is lost. */
#include <stdio.h>

#include "mjcf.h"
#include "base/nearest.h"

static const struct loss {
    const char *what;
    int harmless; /* trajectories are those of MuJoCo without it: strict says nothing */
} losses[MYR_MJCF_LOSSES] = {
    [MYR_MJCF_LOST_MESHES] = {"meshes are skipped, and with them the collision shapes on", 0},
    [MYR_MJCF_LOST_CORNERS] = {"meshes act as convex hulls of few corners; by so much these lie inside the whole ones:", 1},
    [MYR_MJCF_LOST_HOLLOWS] = {"meshes of the world act as their convex hulls, of which so much is filled that the mesh leaves empty:", 1},
    [MYR_MJCF_LOST_MASSES] = {"what bodies weigh by meshes that are not read is missing, on", 0},
    [MYR_MJCF_LOST_SHAPES] = {"collision shapes that do not act yet are skipped, on", 0},
    [MYR_MJCF_LOST_PLANES] = {"planes that are not the horizontal ground are skipped:", 0},
    [MYR_MJCF_LOST_SOFTNESS] = {"contacts, limits and equalities are hard: solref and solimp do not act, given first for", 1},
    [MYR_MJCF_LOST_TORSION] = {"contacts have no torsional or rolling friction (condim 4, 6), on", 0},
    [MYR_MJCF_LOST_MARGINS] = {"`margin` does not act, on", 0},
    [MYR_MJCF_LOST_ACTUATORS] = {"actuators that do not act are left out:", 0},
    [MYR_MJCF_LOST_TENDONS] = {"of tendons act limits and friction of fixed ones; there is more to", 0},
    [MYR_MJCF_LOST_SPRINGS] = {"springs of ball and free joints do not act:", 0},
    [MYR_MJCF_LOST_DAMPERS] = {"the mass matrix is singular, so that springdamper and dampratio do not act, given first for", 0},
    [MYR_MJCF_LOST_EQUALITIES] = {"equalities that do not act are left out:", 0},
    [MYR_MJCF_LOST_PAIRS] = {"contact pairs do not act, as one of two geoms does not, or as another one of the same two comes later:", 0},
    [MYR_MJCF_LOST_DIRECTIONS] = {"contact pairs have one friction in all directions, the first of theirs:", 0},
    [MYR_MJCF_LOST_FLUID] = {"the fluid drags at boxes of inertia instead of ellipsoids (fluidshape), on", 0},
    [MYR_MJCF_LOST_LIMITS] = {"limits of ball joints do not act:", 0},
    [MYR_MJCF_LOST_SIDES] = {"an actuatorfrcrange that is not the same both ways counts by its smaller side:", 0},
    [MYR_MJCF_LOST_MOCAP] = {"mocap bodies are fixed to the world:", 0},
    [MYR_MJCF_LOST_PLUGINS] = {"plugins are not loaded:", 0},
    [MYR_MJCF_LOST_ATTRIBUTES] = {"attributes that do not act:", 0},
    [MYR_MJCF_LOST_METHODS] =
        {"how a step is computed is said by the settings (dynamics, solver, tolerance), and these options do not act:", 1},
    [MYR_MJCF_LOST_UNKNOWN] = {"attributes that MJCF has not are ignored:", 0},
    [MYR_MJCF_LOST_ELLIPSOIDS] = {"ellipsoids are hulls of 32 corners:", 1},
    [MYR_MJCF_LOST_FIELDS] = {"height fields are left out; myr_terrain_from_mjcf makes a map of the first level one of the world, and "
                              "myr_model_on puts the model on it:",
                              0},
    [MYR_MJCF_LOST_SENSORS] = {"sensors of these kinds, or of what is not here, are left out:", 1},
};

myr_status myr_mjcf_lose(myr_mjcf *m, myr_mjcf_loss loss, const myr_xml_node *node, const char *name) {
    if (m->options->strict && !losses[loss].harmless)
        return myr_xml_fail(m->xml, node, "%s `%.100s` (strict)", losses[loss].what, *name ? name : node->name);
    if (!m->lost[loss].count) m->first_lost[loss] = node;
    myr_name_list_add(&m->lost[loss], *name ? name : "(no name)");
    return MYR_OK;
}

myr_status myr_mjcf_warn(myr_mjcf *m) {
    myr_status status = MYR_OK;
    for (int k = 0; k < MYR_MJCF_LOSSES && !status; k++) {
        char where[330] = "";
        if (m->lost[k].count) snprintf(where, sizeof where, "%.300s:%ld", m->first_lost[k]->file, m->first_lost[k]->line);
        status = myr_name_list_warn(&m->lost[k], m->xml->warnings, where, losses[k].what);
    }
    return status;
}

/* ---- elements --------------------------------------------------------------------------------- */

/* Sections; those that say nothing about motion are not looked into. */
static const char sections[] =
    "compiler|option|size|visual|statistic|default|custom|asset|worldbody|contact|equality|tendon|actuator|sensor|keyframe";
static const char in_bodies[] = "body|frame|replicate|inertial|joint|freejoint|geom|site|camera|light";
static const char refused_in_bodies[] = "composite|flexcomp|attach";

static myr_status check_bodies(myr_mjcf *m, const myr_xml_node *node) {
    for (const myr_xml_node *child = node->children; child; child = child->next) {
        myr_status status = MYR_OK;
        if (myr_words_among(refused_in_bodies, child->name)) return myr_xml_fail(m->xml, child, "this is not read");
        if (myr_xml_is(child, "plugin"))
            status = myr_mjcf_lose(m, MYR_MJCF_LOST_PLUGINS, child, myr_mjcf_name(node));
        else if (!myr_words_among(in_bodies, child->name))
            return myr_xml_fail(m->xml, child, "MJCF has no such element here");
        if (!status && (myr_xml_is(child, "body") || myr_xml_is(child, "frame") || myr_xml_is(child, "replicate")))
            status = check_bodies(m, child);
        if (status) return status;
    }
    return MYR_OK;
}

static const myr_xml_node *find_soft(const myr_xml_node *node) {
    for (; node; node = node->next) {
        if (myr_xml_text(node, "solref") || myr_xml_text(node, "solimp") || myr_xml_text(node, "solreflimit")) return node;
        const myr_xml_node *inside = find_soft(node->children);
        if (inside) return inside;
    }
    return NULL;
}

static myr_status find_softness(myr_mjcf *m) {
    const myr_xml_node *node = find_soft(m->xml->root->children);
    return node ? myr_mjcf_lose(m, MYR_MJCF_LOST_SOFTNESS, node, node->name) : MYR_OK;
}

myr_status myr_mjcf_check_words(myr_mjcf *m) {
    for (const myr_xml_node *child = m->xml->root->children; child; child = child->next) {
        myr_status status = MYR_OK;
        if (myr_xml_is(child, "deformable")) return myr_xml_fail(m->xml, child, "this is not read");
        if (myr_xml_is(child, "extension"))
            status = myr_mjcf_lose(m, MYR_MJCF_LOST_PLUGINS, child, "extension");
        else if (!myr_words_among(sections, child->name))
            return myr_xml_fail(m->xml, child, "MJCF has no such section");
        if (!status && myr_xml_is(child, "worldbody")) status = check_bodies(m, child);
        if (status) return status;
    }
    return find_softness(m);
}
