/* <mesh vertex="..." face="...">: points and triangles that stand in the MJCF. Without triangles the mesh is the hull of its points. */
#include <math.h>

#include "mjcf.h"

typedef struct list {
    const myr_xml *xml;
    const myr_xml_node *node;
    const char *attribute, *at;
    int n; /* numbers so far */
} list;

/* *found 0: there are no more. */
static myr_status next_number(list *l, double *value, int *found) {
    while (myr_xml_is_space(*l->at)) l->at++;
    *found = *l->at != '\0';
    if (!*found) return MYR_OK;
    const char *word = l->at;
    int length = 0;
    while (word[length] && !myr_xml_is_space(word[length]) && length < 40) length++;
    if (!myr_xml_number(&l->at, value) || !(fabs(*value) <= 1e100))
        return myr_xml_fail(l->xml, l->node, "%s: value %d, `%.*s`, is not a number, or is too large", l->attribute, l->n + 1, length,
                            word);
    l->n++;
    return MYR_OK;
}

/* One point or triangle; *found 0: there are no more. */
static myr_status next_three(list *l, double three[3], int *found) {
    for (int k = 0; k < 3; k++) {
        const myr_status status = next_number(l, &three[k], found);
        if (status) return status;
        if (*found) continue;
        if (k == 0) return MYR_OK;
        return myr_xml_fail(l->xml, l->node, "%s has %d numbers, which is not a multiple of 3", l->attribute, l->n);
    }
    return MYR_OK;
}

static myr_status read_triangle(const list *l, const double three[3], myr_mesh *out) {
    for (int k = 0; k < 3; k++)
        if (!(three[k] >= 0.0 && three[k] < out->n_points && three[k] == floor(three[k])))
            return myr_xml_fail(l->xml, l->node, "face: there is no point %g; there are 0 to %d", three[k], out->n_points - 1);
    return myr_mesh_add_triangle(out, l->xml->label, (int)three[0], (int)three[1], (int)three[2]);
}

myr_status myr_mjcf_mesh_inline(const myr_mjcf *m, const myr_mjcf_mesh *mesh, myr_mesh *out) {
    list l = {m->xml, mesh->node, "vertex", mesh->vertex, 0};
    double three[3];
    int found = 1;
    myr_status status = MYR_OK;
    while (!status && found) {
        status = next_three(&l, three, &found);
        if (!status && found) status = myr_mesh_add_point(out, m->xml->label, three);
    }
    if (!status && out->n_points < 4)
        status = myr_xml_fail(m->xml, mesh->node, "vertex has %d points; a mesh has 4 at least", out->n_points);
    if (status || !mesh->face) return status;
    l = (list){m->xml, mesh->node, "face", mesh->face, 0}, found = 1;
    while (!status && found) {
        status = next_three(&l, three, &found);
        if (!status && found) status = read_triangle(&l, three, out);
    }
    return status;
}
