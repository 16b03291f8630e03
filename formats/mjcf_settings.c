/* <compiler> and <option> of an MJCF. Each may stand several times; what is said last counts. */
#include <math.h>
#include <string.h>

#include "mjcf.h"

static myr_status read_flag(const myr_mjcf *m, const myr_mjcf_element *e, const char *attribute, int *out) {
    return myr_mjcf_word(m, e, attribute, "false|true", out);
}

static myr_status refuse(const myr_mjcf *m, const myr_xml_node *node, const char *attribute, const char *value) {
    const char *text = myr_xml_text(node, attribute);
    if (!text || !strcmp(text, value)) return MYR_OK;
    return myr_xml_fail(m->xml, node, "%s=\"%.80s\" is not read, `%s` alone", attribute, text, value);
}

static myr_status read_euler(myr_mjcf *m, const myr_xml_node *node) {
    const char *text = myr_xml_text(node, "eulerseq");
    if (!text) return MYR_OK;
    if (strlen(text) != 3 || strspn(text, "xyzXYZ") != 3)
        return myr_xml_fail(m->xml, node, "eulerseq=\"%.80s\" is not three of x, y, z, X, Y, Z", text);
    memcpy(m->euler, text, 4);
    return MYR_OK;
}

static myr_status read_compiler(myr_mjcf *m, const myr_xml_node *node) {
    const myr_mjcf_element e = {node, -1};
    double groups[2] = {m->inertia_groups[0], m->inertia_groups[1]};
    int angle = !m->degrees, align = 0;
    myr_status status = myr_mjcf_word(m, &e, "angle", "degree|radian", &angle);
    m->degrees = !angle;
    if (!status) status = read_flag(m, &e, "autolimits", &m->auto_limits);
    if (!status) status = myr_mjcf_word(m, &e, "inertiafromgeom", "false|auto|true", &m->inertia_from_geoms);
    if (!status) status = myr_mjcf_numbers(m, &e, "inertiagrouprange", groups, 2);
    for (int k = 0; k < 2; k++) m->inertia_groups[k] = (int)fmin(fmax(groups[k], -1e6), 1e6);
    if (!status) status = myr_mjcf_numbers(m, &e, "settotalmass", &m->total_mass, 1);
    if (!status) status = myr_mjcf_numbers(m, &e, "boundmass", &m->least_mass, 1);
    if (!status) status = myr_mjcf_numbers(m, &e, "boundinertia", &m->least_inertia, 1);
    if (!status) status = read_flag(m, &e, "balanceinertia", &m->balance_inertia);
    if (!status) status = read_flag(m, &e, "alignfree", &align);
    if (!status) status = read_flag(m, &e, "fitaabb", &m->fits_around);
    if (!status && align) status = myr_xml_fail(m->xml, node, "alignfree=\"true\" is not read");
    if (!status) status = refuse(m, node, "coordinate", "local");
    if (!status) status = read_euler(m, node);
    if (myr_xml_text(node, "assetdir")) m->mesh_folder = myr_xml_text(node, "assetdir");
    if (myr_xml_text(node, "meshdir")) m->mesh_folder = myr_xml_text(node, "meshdir");
    return status;
}

static myr_status read_option(myr_mjcf *m, const myr_xml_node *node) {
    const myr_mjcf_element e = {node, -1};
    myr_status status = myr_mjcf_numbers(m, &e, "gravity", m->gravity, 3);
    if (!status) status = myr_mjcf_numbers(m, &e, "magnetic", m->magnetic, 3);
    if (!status) status = myr_mjcf_numbers(m, &e, "timestep", &m->timestep, 1);
    if (!status && !(m->timestep > 0.0))
        status = myr_xml_fail(m->xml, node, "timestep=\"%.80s\" is not positive", myr_xml_text(node, "timestep"));
    if (!status) status = myr_mjcf_numbers(m, &e, "density", &m->fluid.density, 1);
    if (!status) status = myr_mjcf_numbers(m, &e, "viscosity", &m->fluid.viscosity, 1);
    if (!status) status = myr_mjcf_numbers(m, &e, "wind", m->fluid.wind, 3);
    for (const myr_xml_node *child = node->children; child && !status; child = child->next) {
        const char *gravity = myr_xml_is(child, "flag") ? myr_xml_text(child, "gravity") : NULL;
        const char *kin = myr_xml_is(child, "flag") ? myr_xml_text(child, "filterparent") : NULL;
        if (kin) m->keeps_kin = !strcmp(kin, "disable");
        if (gravity && !strcmp(gravity, "disable")) m->gravity[0] = m->gravity[1] = m->gravity[2] = 0.0;
    }
    return status;
}

myr_status myr_mjcf_read_settings(myr_mjcf *m) {
    m->degrees = m->auto_limits = m->inertia_from_geoms = 1;
    m->inertia_groups[1] = 5;
    m->total_mass = -1.0;
    m->gravity[2] = -9.81, m->magnetic[1] = -0.5, m->timestep = 0.002;
    memcpy(m->euler, "xyz", 4);
    myr_status status = MYR_OK;
    for (const myr_xml_node *node = myr_mjcf_section(m, "compiler", NULL); node && !status; node = myr_mjcf_section(m, "compiler", node))
        status = read_compiler(m, node);
    for (const myr_xml_node *node = myr_mjcf_section(m, "option", NULL); node && !status; node = myr_mjcf_section(m, "option", node))
        status = read_option(m, node);
    return status;
}
