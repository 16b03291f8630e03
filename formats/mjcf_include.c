/* <include file>: the elements of another file stand in its place. Only files in the folder of the first one and below it are opened, each
 * once; the label of the text says where that is. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* realpath */
#endif
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "mjcf.h"

enum { MOST_FILES = 200 };

/* The folder of the first file, with its '/'; "" for the present one. */
static int folder_of(const char *label) {
    const char *slash = strrchr(label, '/');
    return slash ? (int)(slash - label) + 1 : 0;
}

/* *path: where it is, for messages. An error names who leads out. */
static myr_status find(myr_mjcf *m, const myr_xml_node *node, const char *name, char path[PATH_MAX]) {
    char folder[PATH_MAX], *base, *real;
    const int n = folder_of(m->xml->label);
    struct stat what;
    if (!*name) return myr_xml_fail(m->xml, node, "the attribute `file` is empty");
    if (snprintf(folder, sizeof folder, "%.*s.", n, m->xml->label) >= (int)sizeof folder ||
        snprintf(path, PATH_MAX, "%.*s%s", *name == '/' ? 0 : n, m->xml->label, name) >= PATH_MAX)
        return myr_xml_fail(m->xml, node, "its path is too long");
    base = realpath(folder, NULL), real = realpath(path, NULL);
    const int missing = errno;
    const size_t length = base ? strlen(base) : 0;
    const int inside = base && real && !strncmp(base, real, length) && (real[length] == '/' || length == 1);
    const int is_file = real && !stat(real, &what) && S_ISREG(what.st_mode);
    myr_status status = MYR_OK;
    if (!base || !real)
        status = myr_xml_fail(m->xml, node, "cannot open `%.300s`: %s", path, strerror(missing));
    else if (!inside)
        status = myr_xml_fail(m->xml, node, "`%.300s` lies outside of the folder of the model, and is not read", name);
    else if (!is_file)
        status = myr_xml_fail(m->xml, node, "`%.300s` is not a file", path);
    else if (strlen(real) < PATH_MAX)
        strcpy(path, real);
    free(base); /* realpath's, not the allocator hook's */
    free(real);
    return status;
}

static myr_status check_new(const myr_mjcf *m, const myr_xml_node *node, const char *real) {
    char *first = realpath(m->xml->label, NULL);
    int again = first && !strcmp(first, real);
    free(first);
    for (int i = 0; i < m->files.count && !again; i++) again = !strcmp(m->files.items[i], real);
    if (again) return myr_xml_fail(m->xml, node, "`%.300s` is included already; MuJoCo, too, takes a file once", real);
    if (m->files.count >= MOST_FILES) return myr_fail(MYR_E_LIMIT, "%.300s: a model includes at most %d files", m->xml->label, MOST_FILES);
    return MYR_OK;
}

/* The root of an included file. Its nodes live with the others. */
static myr_status parse(myr_mjcf *m, const char *real, myr_xml_node **root) {
    char *text = NULL;
    size_t length = 0;
    myr_status status = myr_texts_add(&m->files, "%s", real);
    if (!status) status = myr_read_file(real, &text, &length);
    if (status) return status;
    myr_xml part = {.label = m->files.items[m->files.count - 1], .warnings = m->xml->warnings, .memory = m->xml->memory};
    status = myr_xml_parse(&part, text, length);
    m->xml->memory = part.memory;
    myr_release(text);
    *root = part.root;
    return status;
}

/* `node`, or what stands in for it: *last is its last element, NULL where there is none. Included files may include more. */
static myr_status splice(myr_mjcf *m, myr_xml_node *parent, myr_xml_node **link, myr_xml_node *node) {
    const char *name;
    char real[PATH_MAX];
    myr_xml_node *root = NULL;
    myr_status status = myr_xml_name(m->xml, node, "file", &name);
    if (!status) status = find(m, node, name, real);
    if (!status) status = check_new(m, node, real);
    if (!status) status = parse(m, real, &root);
    if (status) return status;
    if (!myr_xml_is(root, "mujoco") && !myr_xml_is(root, "mujocoinclude"))
        return myr_xml_fail(m->xml, root, "what is included starts with <mujoco> or <mujocoinclude>");
    myr_xml_node *last = NULL;
    for (myr_xml_node *child = root->children; child; last = child, child = child->next) child->parent = parent;
    *link = last ? root->children : node->next;
    if (last) last->next = node->next;
    if (parent->last_child == node) parent->last_child = last;
    return MYR_OK;
}

static myr_status expand(myr_mjcf *m, myr_xml_node *parent) {
    myr_status status = MYR_OK;
    for (myr_xml_node **link = &parent->children; *link && !status;) {
        if (myr_xml_is(*link, "include")) {
            status = splice(m, parent, link, *link);
        } else {
            status = expand(m, *link);
            link = &(*link)->next;
        }
    }
    return status;
}

myr_status myr_mjcf_include(myr_mjcf *m) { return expand(m, m->xml->root); }
