/* A URDF becomes a description: which links hang where, what the root is, and one summarizing warning per oddity. What of URDF
 * acts, what warns and what is refused: docs/models.md. */
#include "urdf.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* ---- the tree --------------------------------------------------------------------------------- */

static myr_status hang_joints(myr_urdf *urdf) {
    for (int j = 0; j < urdf->n_joints; j++) {
        myr_urdf_joint *joint = &urdf->joints[j];
        myr_urdf_link *parent = &urdf->links[joint->parent], *child = &urdf->links[joint->child];
        urdf->xml.owner_kind = "joint", urdf->xml.owner = joint->name;
        if (joint->parent == joint->child) return myr_xml_fail(&urdf->xml, joint->node, "link `%.100s` is its own parent", child->name);
        if (child->parent_joint >= 0)
            return myr_xml_fail(
                &urdf->xml, joint->node,
                "link `%.100s` hangs on joint `%.100s` (line %ld) already; a loop is closed by a <loop_joint> (docs/models.md)",
                child->name, urdf->joints[child->parent_joint].name, urdf->joints[child->parent_joint].node->line);
        child->parent_joint = j;
        if (parent->last_joint >= 0)
            urdf->joints[parent->last_joint].next = j;
        else
            parent->first_joint = j;
        parent->last_joint = j;
    }
    urdf->xml.owner = NULL;
    return MYR_OK;
}

/* Depth first from `root`; order: n_links. Returns how many links were reached. */
static int walk(const myr_urdf *urdf, int root, int *order) {
    int count = 0, at = root;
    while (at >= 0) {
        order[count++] = at;
        int joint = urdf->links[at].first_joint;
        while (joint < 0 && at != root) {
            joint = urdf->joints[urdf->links[at].parent_joint].next;
            at = urdf->joints[urdf->links[at].parent_joint].parent;
        }
        at = joint < 0 ? -1 : urdf->joints[joint].child;
    }
    return count;
}

static myr_status find_root(myr_urdf *urdf, int *root) {
    *root = -1;
    for (int i = 0; i < urdf->n_links; i++) {
        if (urdf->links[i].parent_joint >= 0) continue;
        if (*root >= 0)
            return myr_xml_fail(
                &urdf->xml, urdf->links[i].node,
                "two root links: `%.100s` (line %ld) and `%.100s` are children of no joint; a URDF is one tree, connect them by a joint",
                urdf->links[*root].name, urdf->links[*root].node->line, urdf->links[i].name);
        *root = i;
    }
    if (*root < 0)
        return myr_xml_fail(&urdf->xml, urdf->links[0].node, "no root link: the joints form a cycle through `%.100s`", urdf->links[0].name);
    return MYR_OK;
}

static myr_status find_tree(myr_urdf *urdf, int *order) {
    int root;
    if (!urdf->n_links) return myr_xml_fail(&urdf->xml, urdf->robot, "there is no <link> in it");
    myr_status status = hang_joints(urdf);
    if (!status) status = find_root(urdf, &root);
    if (status) return status;
    const int reached = walk(urdf, root, order);
    for (int i = 0; i < urdf->n_links && reached < urdf->n_links; i++) {
        int found = 0;
        for (int k = 0; k < reached && !found; k++) found = order[k] == i;
        if (!found)
            return myr_xml_fail(&urdf->xml, urdf->links[i].node,
                                "the joints form a cycle: link `%.100s` cannot be reached from the root `%.100s`", urdf->links[i].name,
                                urdf->links[root].name);
    }
    return MYR_OK;
}

/* ---- the root --------------------------------------------------------------------------------- */

static int is_nothing(const myr_urdf_link *link) {
    for (const myr_xml_node *child = link->node->children; child; child = child->next)
        if (myr_xml_is(child, "collision")) return 0;
    return !link->has_inertia || link->inertia.mass == 0.0;
}

/* A root that weighs nothing, touches nothing and carries one joint stands for the world: if it floated, the mass matrix would be singular.
 * `firm` (n_links) is room; `order` has parents first. */
static int is_stand(const myr_urdf *urdf, const int *order, int *firm) {
    int joints = 0, nothing = is_nothing(&urdf->links[order[0]]);
    firm[order[0]] = 1;
    for (int i = 1; i < urdf->n_links && nothing; i++) {
        const myr_urdf_link *link = &urdf->links[order[i]];
        const myr_urdf_joint *joint = &urdf->joints[link->parent_joint];
        const int on_root = firm[joint->parent], moves = joint->type != MYR_JOINT_FIXED;
        firm[order[i]] = on_root && !moves;
        joints += on_root && moves;
        if (firm[order[i]]) nothing = is_nothing(link);
    }
    return nothing && joints == 1;
}

static myr_status look_for_stand(myr_urdf *urdf, const int *order, int *found) {
    int *firm = myr_allocate_array((size_t)urdf->n_links, sizeof *firm);
    if (!firm) return myr_fail(MYR_E_MEMORY, "%.300s: out of memory for links", urdf->xml.label);
    *found = is_stand(urdf, order, firm);
    myr_release(firm);
    if (!*found) return MYR_OK;
    const myr_urdf_link *root = &urdf->links[order[0]];
    urdf->xml.owner_kind = "link", urdf->xml.owner = root->name;
    return myr_xml_warn(
        &urdf->xml, root->node,
        "the root weighs nothing, touches nothing and carries one joint: it is fixed to the world (root `floating` lets it float)");
}

/* The link that gets a free joint, -1: none. A file with a floating joint says itself what floats. A root called `world` is
 * the world: what floats is then the first link with a mass down its fixed joints. */
static myr_status find_floating_link(myr_urdf *urdf, const int *order, myr_root root, int *link) {
    const int root_link = order[0], is_world = !strcmp(urdf->links[root_link].name, "world");
    *link = -1;
    if (root == MYR_ROOT_FIXED || urdf->has_floating_joint || (root == MYR_ROOT_AUTO && is_world)) return MYR_OK;
    if (root == MYR_ROOT_AUTO) {
        int stands;
        const myr_status status = look_for_stand(urdf, order, &stands);
        if (status || stands) return status;
    }
    int at = root_link;
    while (is_world && !urdf->links[at].has_inertia) {
        const int joint = urdf->links[at].first_joint;
        if (joint < 0 || urdf->joints[joint].next >= 0 || urdf->joints[joint].type != MYR_JOINT_FIXED)
            return myr_fail(MYR_E_ARG,
                            "%.300s:%ld: link `%.100s`: root `floating` needs one body to float, but the root link is the world and %s",
                            urdf->xml.label, urdf->links[at].node->line, urdf->links[at].name,
                            joint < 0 ? "nothing hangs on it" : "what hangs on it moves by joints of its own");
        at = urdf->joints[joint].child;
    }
    *link = at;
    return MYR_OK;
}

static void name_free_joint(const myr_urdf *urdf, char name[24]) {
    snprintf(name, 24, "root");
    for (int attempt = 1, j = 0; j < urdf->n_joints; j++) {
        if (strcmp(urdf->joints[j].name, name) != 0) continue;
        snprintf(name, 24, "root_%d", attempt++);
        j = -1;
    }
}

/* ---- into the builder ------------------------------------------------------------------------- */

static int is_identity(const myr_pose *pose) {
    const myr_pose identity = myr_pose_identity();
    for (int k = 0; k < 9; k++)
        if (pose->rotation[k] != identity.rotation[k]) return 0;
    return pose->position[0] == 0.0 && pose->position[1] == 0.0 && pose->position[2] == 0.0;
}

static myr_status warn_origin(myr_urdf *urdf, const myr_urdf_joint *joint) {
    urdf->xml.owner_kind = "joint", urdf->xml.owner = joint->name;
    return myr_xml_warn(&urdf->xml, joint->node, "the <origin> of a floating joint is ignored: the state says where the body is");
}

static myr_status add_link(myr_urdf *urdf, myr_builder *builder, int link_id, int parent_body, int floats, int *body) {
    const myr_urdf_link *link = &urdf->links[link_id];
    const myr_urdf_joint *joint = link->parent_joint < 0 ? NULL : &urdf->joints[link->parent_joint];
    char free_name[24];
    myr_status status;
    myr_body_def def = myr_body_def_default();
    def.name = link->name;
    def.parent = parent_body;
    def.mass_kg = link->inertia.mass;
    myr_copy3(def.com_m, link->inertia.com);
    memcpy(def.inertia_kgm2, link->inertia.about_com, sizeof def.inertia_kgm2);
    if (joint) {
        def.joint = joint->type;
        def.joint_name = joint->name;
        myr_copy3(def.position_m, joint->pose.position);
        myr_copy3(def.axis, joint->axis);
        def.damping = joint->damping;
        def.dry_friction = joint->dry_friction;
        def.lower = joint->lower;
        def.upper = joint->upper;
        def.effort_limit = joint->effort_limit;
        def.velocity_limit = joint->velocity_limit;
        if (def.joint == MYR_JOINT_FREE && !is_identity(&joint->pose) && (status = warn_origin(urdf, joint))) return status;
    }
    if (floats) {
        name_free_joint(urdf, free_name);
        def.joint = MYR_JOINT_FREE;
        def.joint_name = free_name;
    }
    if ((status = myr_builder_body(builder, &def, body))) {
        if (status != MYR_E_ARG) return status;
        return myr_fail(MYR_E_FORMAT, "%.300s:%ld: %s", urdf->xml.label, (joint ? joint->node : link->node)->line, myr_message());
    }
    myr_described_body *described = &builder->bodies[*body];
    described->line = (int)link->node->line;
    described->has_inertia = link->has_inertia;
    if (joint && described->joint != MYR_JOINT_FREE)
        memcpy(described->pose.rotation, joint->pose.rotation, sizeof described->pose.rotation);
    return myr_urdf_read_shapes(urdf, link, builder, *body);
}

static myr_status add_links(myr_urdf *urdf, myr_builder *builder, const int *order, int *bodies, myr_root root) {
    int floating_link;
    myr_status status = find_floating_link(urdf, order, root, &floating_link);
    for (int i = 0; i < urdf->n_links && !status; i++) {
        const myr_urdf_link *link = &urdf->links[order[i]];
        const int parent = link->parent_joint < 0 ? -1 : bodies[urdf->joints[link->parent_joint].parent];
        status = add_link(urdf, builder, order[i], parent, order[i] == floating_link, &bodies[order[i]]);
    }
    return status;
}

/* ---- one warning per oddity ------------------------------------------------------------------- */

static myr_status summarize(myr_urdf *urdf) {
    char skipped[200], reduced[120];
    snprintf(reduced, sizeof reduced,
             "meshes act as convex hulls of at most %d corners; by so much these lie inside the whole ones:", urdf->options->hull_corners);
    snprintf(skipped, sizeof skipped,
             "collision shapes that do not act yet are skipped (%d mesh%s, %d other), on links:", urdf->skipped_meshes,
             urdf->skipped_meshes == 1 ? "" : "es", urdf->skipped_others);
    const struct {
        const myr_name_list *list;
        const char *what;
    } all[] = {
        {&urdf->without_inertia, "links without <inertial> weigh nothing:"},
        {&urdf->with_skipped_shapes, skipped},
        {&urdf->reduced, reduced},
        {&urdf->unread, "collision meshes that are neither OBJ nor STL are not read (convert them, as with `assimp export IN OUT.obj`):"},
        {&urdf->without_limits, "revolute or prismatic joints without <limit> move without limits:"},
        {&urdf->without_effort, "an effort limit of 0 is read as none, on joints:"},
        {&urdf->spherical, "`spherical` is not in the URDF standard; read as ball joints:"},
    };
    myr_status status = MYR_OK;
    for (size_t i = 0; i < sizeof all / sizeof *all && !status; i++)
        status = myr_name_list_warn(all[i].list, urdf->xml.warnings, urdf->xml.label, all[i].what);
    return status;
}

static myr_status describe_robot(myr_urdf *urdf, myr_builder *builder) {
    int *order = NULL, *bodies = NULL;
    myr_status status = myr_urdf_check_words(urdf);
    if (!status) status = myr_urdf_read_elements(urdf);
    if (!status) {
        order = myr_allocate_array((size_t)urdf->n_links, sizeof *order);
        bodies = myr_allocate_array((size_t)urdf->n_links, sizeof *bodies);
        if (!order || !bodies) status = myr_fail(MYR_E_MEMORY, "%.300s: out of memory for links", urdf->xml.label);
    }
    if (!status) status = find_tree(urdf, order);
    if (!status) status = add_links(urdf, builder, order, bodies, urdf->options->root);
    if (!status) status = myr_urdf_read_loops(urdf, builder, bodies);
    if (!status) status = summarize(urdf);
    myr_release(order);
    myr_release(bodies);
    return status;
}

myr_status myr_urdf_read(myr_xml *xml, const myr_load_options *options, myr_builder *builder) {
    myr_urdf urdf = {.xml = *xml, .robot = xml->root, .options = options};
    const myr_status status = describe_robot(&urdf, builder);
    myr_mesh_shelf_free(&urdf.shelf);
    myr_release(urdf.links);
    myr_release(urdf.joints);
    return status;
}
