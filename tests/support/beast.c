#include "beast.h"

#include <stdio.h>
#include <stdlib.h>

#include "model_scene.h"

const beast beast_usual = {.limits = "<limit effort='1'/>", .legs = 4, .foot = "<sphere radius='0.02'/>", .half = 0.3};

static void write_leg(char **at, const beast *p, int index) {
    static const char *const names[] = {"RH", "LF", "RF", "LH", "MID"}; /* not the order they will be sorted into */
    static const double ahead[] = {-1, 1, 1, -1, 0}, side[] = {-1, 1, -1, 1, 1};
    const char *n = names[index], *flip = p->flipped ? "-1" : "1";
    const double forward = p->half * ahead[index], left = 0.1 * side[index];
    char sideward[32], along[32];
    snprintf(sideward, sizeof sideward, p->heading_y ? "%s 0 0" : "0 %s 0", p->heading_y ? (p->flipped ? "1" : "-1") : flip);
    snprintf(along, sizeof along, p->heading_y ? "0 %s 0" : "%s 0 0", flip);
    *at += sprintf(*at, "<link name='%s_t'><inertial><mass value='0.5'/><inertia ixx='.01' iyy='.01' izz='.01'/></inertial>", n);
    if (p->thigh) *at += sprintf(*at, "<collision><origin xyz='0 0 -0.1'/><geometry>%s</geometry></collision>", p->thigh);
    *at += sprintf(*at, "</link>\n");
    *at += sprintf(*at,
                   "<link name='%s_s'><inertial><mass value='0.1'/><inertia ixx='.01' iyy='.01' izz='.01'/></inertial>"
                   "<collision><origin xyz='0 0 %.17g'/><geometry>%s</geometry></collision></link>\n",
                   n, ahead[index] < 0 ? -0.25 - p->longer : -0.25, p->foot);
    const double x = p->heading_y ? -left : forward, y = p->heading_y ? forward : left;
    char hip[64], knee[64];
    const double sign = p->heading_y ? -1 : 1; /* left is -x there */
    snprintf(hip, sizeof hip, p->heading_y ? "%.17g 0 0" : "0 %.17g 0", sign * p->drawn_hip);
    snprintf(knee, sizeof knee, p->heading_y ? "%.17g 0 0" : "0 %.17g 0", sign * p->drawn_knee);
    if (!p->two_joints) {
        *at +=
            sprintf(*at, "<link name='%s_h'><inertial><mass value='0.2'/><inertia ixx='.01' iyy='.01' izz='.01'/></inertial></link>\n", n);
        *at += sprintf(*at,
                       "<joint name='%s_HAA' type='continuous'><parent link='base'/><child link='%s_h'/><origin xyz='%g %g 0'/><axis "
                       "xyz='%s'/></joint>\n",
                       n, n, x, y, along);
    }
    *at += sprintf(*at,
                   "<joint name='%s_HFE' type='continuous'><parent link='%s%s'/><child link='%s_t'/><origin xyz='%g %g 0' rpy='%s'/><axis "
                   "xyz='%s'/></joint>\n",
                   n, p->two_joints ? "base" : n, p->two_joints ? "" : "_h", n, p->two_joints ? x : 0.0, p->two_joints ? y : 0.0, hip,
                   sideward);
    *at += sprintf(*at,
                   "<joint name='%s_KFE' type='revolute'><parent link='%s_t'/><child link='%s_s'/><origin xyz='0 0 -0.2' rpy='%s'/><axis "
                   "xyz='%s'/>%s</joint>\n",
                   n, n, n, knee, sideward, p->limits);
}

myr_model *beast_build(const beast *p) {
    char *text = malloc(1 << 16), *at = text;
    at += sprintf(at,
                  "<robot name='beast'><link name='base'><inertial><origin xyz='%.17g %.17g 0'/><mass value='5'/>"
                  "<inertia ixx='.1' iyy='.1' izz='.1'/></inertial>"
                  "<collision><geometry><box size='0.6 0.2 0.1'/></geometry></collision>"
                  "<collision><geometry><box size='0.1 0.1 0.1'/></geometry></collision></link>\n",
                  p->heading_y ? 0.0 : p->ahead, p->heading_y ? p->ahead : 0.0);
    for (int i = 0; i < p->legs; i++) write_leg(&at, p, i);
    sprintf(at, "</robot>");
    myr_model *m = scene_load(text, MYR_ROOT_AUTO);
    free(text);
    return m;
}
