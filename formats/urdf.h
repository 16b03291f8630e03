/* A URDF between its text and its description: links and joints as the file lists them. */
#ifndef MYR_FORMATS_URDF_H
#define MYR_FORMATS_URDF_H

#include "mesh.h"
#include "model/name_list.h"
#include "xml.h"

typedef struct myr_urdf_link {
    const char *name;
    const myr_xml_node *node;
    myr_inertia inertia; /* in the link frame */
    int has_inertia;
    int parent_joint;            /* -1: none */
    int first_joint, last_joint; /* towards its children, in document order; -1: none */
} myr_urdf_link;

typedef struct myr_urdf_joint {
    const char *name;
    const myr_xml_node *node;
    myr_joint_type type;
    int parent, child; /* links */
    int next;          /* next joint of the same parent, -1: none */
    myr_pose pose;
    double axis[3], damping, dry_friction, lower, upper, effort_limit, velocity_limit;
    const myr_xml_node *mimic; /* NULL: none */
} myr_urdf_joint;

typedef struct myr_urdf {
    myr_xml xml;
    const myr_xml_node *robot;
    myr_urdf_link *links;
    myr_urdf_joint *joints;
    int n_links, n_joints, link_capacity, joint_capacity;
    int has_floating_joint;
    myr_name_list without_inertia, with_skipped_shapes, without_limits, without_effort, spherical;
    int skipped_meshes, skipped_others;
    const myr_load_options *options;
    myr_mesh_shelf shelf;
    myr_name_list reduced, unread; /* links whose hulls lost corners, by how much; meshes of formats that are not read */
} myr_urdf;

/* Describe the robot of xml->root, a <robot>. */
myr_status myr_urdf_read(myr_xml *xml, const myr_load_options *options, myr_builder *builder);

/* Warn of elements and attributes that URDF does not have, with the word that was meant (urdf_words.c). */
myr_status myr_urdf_check_words(myr_urdf *urdf);
/* Read every <link> and <joint> of urdf->robot (urdf_elements.c). */
myr_status myr_urdf_read_elements(myr_urdf *urdf);
/* Add every <loop_joint> and <mimic>; bodies: by link (urdf_loops.c). */
myr_status myr_urdf_read_loops(myr_urdf *urdf, myr_builder *builder, const int *bodies);
/* The corners of a <mesh>, scaled, the caller's; NULL: it is not read (urdf_mesh.c). */
myr_status myr_urdf_read_mesh(myr_urdf *urdf, const myr_xml_node *shape, double **points, int *n);
/* Add the collision shapes of a link to the builder's body (urdf_elements.c). */
myr_status myr_urdf_read_shapes(myr_urdf *urdf, const myr_urdf_link *link, myr_builder *builder, int body);

#endif
