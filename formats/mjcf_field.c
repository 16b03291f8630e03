/* Height fields of an MJCF: which one is the ground, and its asset. */
#include "mjcf_field.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/memory.h"
#include "mjcf.h"

int myr_mjcf_is_ground_field(const myr_mjcf_geom *g) {
    return g->type == MYR_MJCF_HFIELD && g->collides && g->body < 0 && fabs(g->quaternion[0]) > 1.0 - 1e-12 &&
           fabs(g->position[2]) <= MYR_HIGHEST_GROUND;
}

/* One more of what is left out. */
static void leave(myr_mjcf_field *out, const char *why, const char *name) {
    const size_t used = strlen(out->others);
    const int n = snprintf(out->others + used, sizeof out->others - used, "%s%s `%.60s` is left out", used ? "; " : "", why,
                           *name ? name : "(no name)");
    if (n < 0 || (size_t)n >= sizeof out->others - used) out->others[used] = '\0';
}

static const myr_mjcf_geom *choose(const myr_mjcf *m, myr_mjcf_field *out) {
    const myr_mjcf_geom *chosen = NULL;
    for (int i = 0; i < m->n_geoms; i++) {
        const myr_mjcf_geom *g = &m->geoms[i];
        if (!chosen && myr_mjcf_is_ground_field(g))
            chosen = g;
        else if (g->collides && g->type == MYR_MJCF_PLANE && g->body < 0)
            leave(out, "the plane", g->name);
        else if (g->collides && g->type == MYR_MJCF_HFIELD)
            leave(out,
                  g->body >= 0                  ? "the height field of a body"
                  : myr_mjcf_is_ground_field(g) ? "the second height field"
                                                : "the tilted or turned height field",
                  g->name);
    }
    return chosen;
}

static int is_called(const myr_xml_node *node, const char *name) {
    const char *own = myr_mjcf_name(node), *file = myr_xml_text(node, "file");
    if (*own) return !strcmp(own, name);
    if (!file) return 0;
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file, *dot = strrchr(base, '.');
    const size_t length = dot ? (size_t)(dot - base) : strlen(base);
    return strlen(name) == length && !strncmp(base, name, length);
}

static const myr_xml_node *find_asset(const myr_mjcf *m, const char *name) {
    for (const myr_xml_node *node = myr_mjcf_section(m, "asset", NULL); node; node = myr_mjcf_section(m, "asset", node))
        for (const myr_xml_node *child = node->children; child; child = child->next)
            if (myr_xml_is(child, "hfield") && is_called(child, name)) return child;
    return NULL;
}

static myr_status read_file_name(const myr_mjcf *m, const myr_xml_node *node, const char *file, myr_mjcf_field *out) {
    const char *content = myr_xml_text(node, "content_type");
    const size_t length = strlen(file);
    if (myr_xml_text(node, "elevation")) return myr_xml_fail(m->xml, node, "it has both a `file` and `elevation`");
    if (content && strcmp(content, "image/png") != 0 && strcmp(content, "image/vnd.mujoco.hfield") != 0)
        return myr_xml_fail(m->xml, node, "content_type=\"%.80s\" is not read: image/png, image/vnd.mujoco.hfield", content);
    out->is_png = content ? !strcmp(content, "image/png") : length > 4 && !strcasecmp(file + length - 4, ".png");
    if (!myr_mesh_find(m->xml->label, m->mesh_folder, m->options->mesh_path, file, out->file, sizeof out->file)) {
        char places[400];
        snprintf(places, sizeof places, "%.399s", out->file);
        return myr_xml_fail(m->xml, node, "there is no file `%.300s`; looked for: %s", file, places);
    }
    return MYR_OK;
}

static myr_status read_elevation(const myr_mjcf *m, const myr_xml_node *node, myr_mjcf_field *out) {
    const myr_mjcf_element e = {node, -1};
    const char *text = myr_xml_text(node, "elevation");
    int found;
    myr_status status = myr_mjcf_integer(m, &e, "nrow", &out->rows);
    if (!status) status = myr_mjcf_integer(m, &e, "ncol", &out->columns);
    if (status) return status;
    if (out->rows < 2 || out->columns < 2)
        return myr_xml_fail(m->xml, node, "nrow and ncol are %d and %d; without a `file` they must be 2 at least", out->rows, out->columns);
    if (!text) return MYR_OK;
    const size_t n = (size_t)out->rows * (size_t)out->columns;
    if (n > strlen(text)) /* before room is made for them */
        return myr_xml_fail(m->xml, node, "elevation has fewer than nrow ncol = %zu numbers", n);
    if (!(out->elevation = myr_allocate_array(n, sizeof *out->elevation)))
        return myr_fail(MYR_E_MEMORY, "%.300s: out of memory", m->xml->label);
    status = myr_xml_some_numbers(m->xml, node, "elevation", MYR_XML_REQUIRED, out->elevation, (int)n, &found);
    if (!status && (size_t)found != n) status = myr_xml_fail(m->xml, node, "elevation has %d numbers; nrow ncol = %zu", found, n);
    return status;
}

static myr_status describe(const myr_mjcf *m, myr_mjcf_field *out) {
    const myr_mjcf_geom *g = choose(m, out);
    if (!g)
        return myr_fail(MYR_E_FORMAT, "%.300s: its world has no level height field that touches%s%s", m->xml->label,
                        *out->others ? ": " : "", out->others);
    if (!g->hfield || !*g->hfield) return myr_xml_fail(m->xml, g->node, "the attribute `hfield` is missing");
    const myr_xml_node *asset = find_asset(m, g->hfield);
    if (!asset) return myr_xml_fail(m->xml, g->node, "there is no height field `%.100s`", g->hfield);
    double size[4];
    myr_status status = myr_xml_numbers(m->xml, asset, "size", MYR_XML_REQUIRED, size, 4);
    if (status) return status;
    for (int k = 0; k < 3; k++) {
        out->size[k] = size[k], out->position[k] = g->position[k];
        if (!(size[k] > 0.0)) return myr_xml_fail(m->xml, asset, "size %d is %g; it must be positive", k + 1, size[k]);
    }
    snprintf(out->label, sizeof out->label, "%.300s:%ld: <hfield> `%.60s`", asset->file, asset->line, g->hfield);
    const char *file = myr_xml_text(asset, "file");
    return file && *file ? read_file_name(m, asset, file, out) : read_elevation(m, asset, out);
}

static myr_status read(myr_mjcf *m, myr_mjcf_field *out) {
    static myr_status (*const readers[])(myr_mjcf *) = {myr_mjcf_include,       myr_mjcf_check_words, myr_mjcf_read_settings,
                                                        myr_mjcf_read_defaults, myr_mjcf_read_assets, myr_mjcf_read_bodies};
    if (!myr_xml_is(m->xml->root, "mujoco")) return myr_xml_fail(m->xml, m->xml->root, "an MJCF starts with <mujoco>");
    myr_status status = MYR_OK;
    for (size_t k = 0; k < sizeof readers / sizeof *readers && !status; k++) status = readers[k](m);
    return status ? status : describe(m, out);
}

myr_status myr_mjcf_find_field(const char *path, myr_mjcf_field *out) {
    const myr_load_options options = myr_load_options_default();
    char *text = NULL;
    size_t length = 0;
    myr_texts warnings = {.count = 0};
    memset(out, 0, sizeof *out);
    myr_status status = myr_read_file(path, &text, &length);
    if (status) return status;
    myr_xml xml = {.label = path, .warnings = &warnings};
    myr_mjcf m = {.xml = &xml, .options = &options};
    if (length > 32 << 20)
        status = myr_fail(MYR_E_LIMIT, "%.300s: more than 32 MiB of text", path);
    else
        status = myr_xml_parse(&xml, text, length);
    if (!status) status = read(&m, out);
    myr_mjcf_free(&m);
    myr_xml_free(&xml);
    myr_texts_clear(&warnings);
    myr_release(text);
    return status;
}

void myr_mjcf_field_free(myr_mjcf_field *field) {
    myr_release(field->elevation);
    field->elevation = NULL;
}
