/* Models from C calls: every argument is checked here, so that compiling has only the whole to look at. */
#include "description.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "geoms.h"
#include "base/memory.h"

myr_body_def myr_body_def_default(void) {
    const myr_body_def def = {
        .parent = -1,
        .joint = MYR_JOINT_FIXED,
        .quaternion = {1.0, 0.0, 0.0, 0.0},
        .axis = {1.0, 0.0, 0.0},
        .lower = 1.0,
        .upper = -1.0,
        .effort_limit = INFINITY,
        .velocity_limit = INFINITY,
    };
    return def;
}

myr_geom_def myr_geom_def_default(void) {
    const myr_geom_def def = {.body = -1, .type = MYR_GEOM_SPHERE, .quaternion = {1.0, 0.0, 0.0, 0.0}, .friction = 0.8};
    return def;
}

myr_status myr_texts_add(myr_texts *texts, const char *format, ...) {
    if (texts->count > MYR_MAX_WARNINGS) return MYR_OK;
    if (!myr_grow((void **)&texts->items, &texts->capacity, texts->count, sizeof *texts->items))
        return myr_fail(MYR_E_MEMORY, "out of memory for a warning");
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length >= (int)sizeof text) snprintf(text + sizeof text - 4, 4, "...");
    char *copy = myr_copy_text(texts->count < MYR_MAX_WARNINGS ? text : "more warnings follow, not kept");
    if (!copy) return myr_fail(MYR_E_MEMORY, "out of memory for a warning");
    texts->items[texts->count++] = copy;
    return MYR_OK;
}

void myr_texts_clear(myr_texts *texts) {
    for (int i = 0; i < texts->count; i++) myr_release(texts->items[i]);
    myr_release(texts->items);
    memset(texts, 0, sizeof *texts);
}

const char *myr_describe_body(const myr_builder *builder, int body, char *buffer, size_t bytes) {
    const myr_described_body *b = &builder->bodies[body];
    if (builder->label && b->line)
        snprintf(buffer, bytes, "%s:%d: link `%s`", builder->label, b->line, b->name);
    else
        snprintf(buffer, bytes, "body `%s`", b->name);
    return buffer;
}

myr_status myr_builder_create(const char *name, myr_builder **out) {
    MYR_OWN_ARITHMETIC;
    if (!out) return myr_fail(MYR_E_ARG, "myr_builder_create: `out` is NULL");
    *out = NULL;
    if (!name) return myr_fail(MYR_E_ARG, "myr_builder_create: `name` is NULL");
    myr_builder *builder = myr_allocate_array(1, sizeof *builder);
    if (builder) builder->name = myr_copy_text(name);
    if (!builder || !builder->name) {
        myr_release(builder);
        return myr_fail(MYR_E_MEMORY, "out of memory for a builder");
    }
    builder->self_collision = MYR_SELF_OFF;
    *out = builder;
    return MYR_OK;
}

myr_status myr_builder_self_collision(myr_builder *builder, myr_self_collision self_collision) {
    MYR_OWN_ARITHMETIC;
    if (!builder) return myr_fail(MYR_E_ARG, "myr_builder_self_collision: `builder` is NULL");
    if ((int)self_collision < MYR_SELF_BY_FILE || self_collision > MYR_SELF_ALL)
        return myr_fail(MYR_E_ARG, "myr_builder_self_collision: self_collision %d does not exist", (int)self_collision);
    builder->self_collision = self_collision == MYR_SELF_BY_FILE ? MYR_SELF_OFF : self_collision;
    for (int g = 0; g < builder->n_geoms; g++) builder->geoms[g].self = MYR_SELF_BY_FILE;
    return MYR_OK;
}

static int all_finite(const double *values, int count) {
    for (int i = 0; i < count; i++)
        if (!isfinite(values[i])) return 0;
    return 1;
}

/* what = the def's member, for the message */
myr_status myr_unit_vector(double *out, const double *in, int count, const char *name, const char *what) {
    double largest = 0.0, square = 0.0;
    if (!all_finite(in, count)) return myr_fail(MYR_E_ARG, "`%s`: %s is not finite", name, what);
    for (int i = 0; i < count; i++) largest = fmax(largest, fabs(in[i]));
    if (largest == 0.0) return myr_fail(MYR_E_ARG, "`%s`: %s is zero and gives no direction", name, what);
    for (int i = 0; i < count; i++) {
        out[i] = in[i] / largest;
        square += out[i] * out[i];
    }
    const double length = sqrt(square);
    for (int i = 0; i < count; i++) out[i] /= length;
    return MYR_OK;
}

myr_status myr_make_pose(myr_pose *pose, const double position[3], const double quaternion[4], const char *name) {
    double unit[4];
    if (!all_finite(position, 3)) return myr_fail(MYR_E_ARG, "`%s`: position_m is not finite", name);
    const myr_status status = myr_unit_vector(unit, quaternion, 4, name, "quaternion");
    if (status) return status;
    myr_copy3(pose->position, position);
    myr_rotation_from_quaternion(pose->rotation, unit);
    return MYR_OK;
}

static int name_taken(const myr_builder *builder, const char *name) {
    for (int i = 0; i < builder->n_bodies; i++)
        if (!strcmp(builder->bodies[i].name, name)) return 1;
    for (int i = 0; i < builder->n_frames; i++)
        if (!strcmp(builder->frames[i].name, name)) return 1;
    return 0;
}

static myr_status check_name(const myr_builder *builder, const char *what, const char *name) {
    if (!name || !*name) return myr_fail(MYR_E_ARG, "a %s needs a name", what);
    if (name_taken(builder, name)) return myr_fail(MYR_E_ARG, "%s `%s`: another body or frame has this name", what, name);
    return MYR_OK;
}

static int hangs_on_world(const myr_builder *builder, int body) {
    while (body >= 0 && builder->bodies[body].joint == MYR_JOINT_FIXED) body = builder->bodies[body].parent;
    return body < 0;
}

static myr_status check_body_numbers(const myr_body_def *def) {
    const struct {
        const char *what;
        double value;
        int may_be_infinite;
    } not_negative[] = {
        {"mass_kg", def->mass_kg, 0},     {"damping", def->damping, 0},           {"dry_friction", def->dry_friction, 0},
        {"armature", def->armature, 0},   {"effort_limit", def->effort_limit, 1}, {"velocity_limit", def->velocity_limit, 1},
        {"stiffness", def->stiffness, 0},
    };
    for (size_t i = 0; i < sizeof not_negative / sizeof *not_negative; i++) {
        const double value = not_negative[i].value;
        if (isnan(value) || value < 0.0 || (isinf(value) && !not_negative[i].may_be_infinite))
            return myr_fail(MYR_E_ARG, "body `%s`: %s is %g; it must be a %snumber >= 0", def->name, not_negative[i].what, value,
                            not_negative[i].may_be_infinite ? "" : "finite ");
    }
    if (!all_finite(def->com_m, 3)) return myr_fail(MYR_E_ARG, "body `%s`: com_m is not finite", def->name);
    if (!all_finite(def->inertia_kgm2, 6)) return myr_fail(MYR_E_ARG, "body `%s`: inertia_kgm2 is not finite", def->name);
    if (!isfinite(def->spring_rest)) return myr_fail(MYR_E_ARG, "body `%s`: spring_rest is not finite", def->name);
    if (!isfinite(def->gravity_held)) return myr_fail(MYR_E_ARG, "body `%s`: gravity_held is not finite", def->name);
    if (def->stiffness > 0.0 && def->joint != MYR_JOINT_REVOLUTE && def->joint != MYR_JOINT_PRISMATIC)
        return myr_fail(MYR_E_ARG, "body `%s`: stiffness is %g, but only joints of one degree of freedom have springs", def->name,
                        def->stiffness);
    if (isnan(def->lower) || isnan(def->upper)) return myr_fail(MYR_E_ARG, "body `%s`: a position limit is not a number", def->name);
    return MYR_OK;
}

static myr_status check_body(const myr_builder *builder, const myr_body_def *def) {
    myr_status status = check_name(builder, "body", def->name);
    if (status) return status;
    if (builder->n_bodies >= MYR_MAX_LINKS)
        return myr_fail(MYR_E_LIMIT, "body `%s`: a model holds at most %d bodies", def->name, MYR_MAX_LINKS);
    if (def->parent < -1 || def->parent >= builder->n_bodies)
        return myr_fail(MYR_E_ARG, "body `%s`: parent is %d; bodies added before have ids 0..%d, the world is -1", def->name, def->parent,
                        builder->n_bodies - 1);
    if ((int)def->joint < MYR_JOINT_FIXED || def->joint > MYR_JOINT_FREE)
        return myr_fail(MYR_E_ARG, "body `%s`: joint type %d does not exist", def->name, (int)def->joint);
    if (def->joint == MYR_JOINT_FREE && !hangs_on_world(builder, def->parent))
        return myr_fail(MYR_E_ARG, "body `%s`: a free joint hangs on the world alone, not on the moving body `%s`", def->name,
                        builder->bodies[def->parent].name);
    const char *joint_name = def->joint_name ? def->joint_name : def->name;
    if (!*joint_name) return myr_fail(MYR_E_ARG, "body `%s`: joint_name is empty (NULL: the body's name)", def->name);
    for (int i = 0; def->joint != MYR_JOINT_FIXED && i < builder->n_bodies; i++)
        if (builder->bodies[i].joint != MYR_JOINT_FIXED && !strcmp(builder->bodies[i].joint_name, joint_name))
            return myr_fail(MYR_E_ARG, "body `%s`: another joint is called `%s`", def->name, joint_name);
    return check_body_numbers(def);
}

myr_status myr_builder_body(myr_builder *builder, const myr_body_def *def, int *id) {
    MYR_OWN_ARITHMETIC;
    if (!builder || !def) return myr_fail(MYR_E_ARG, "myr_builder_body: `%s` is NULL", builder ? "def" : "builder");
    myr_status status = check_body(builder, def);
    if (status) return status;
    const int has_axis = def->joint == MYR_JOINT_REVOLUTE || def->joint == MYR_JOINT_PRISMATIC;
    myr_described_body body = {
        .parent = def->parent,
        .joint = def->joint,
        .pose = myr_pose_identity(),
        .axis = {1.0, 0.0, 0.0},
        .mass = def->mass_kg,
        .damping = def->damping,
        .dry_friction = def->dry_friction,
        .armature = def->armature,
        .lower = def->lower,
        .upper = def->upper,
        .effort_limit = def->effort_limit,
        .velocity_limit = def->velocity_limit,
        .stiffness = def->stiffness,
        .spring_rest = def->spring_rest,
        .gravity_held = def->gravity_held,
        .has_inertia = 1,
    };
    if (def->joint == MYR_JOINT_FREE) body.parent = -1;
    if (def->joint != MYR_JOINT_FREE && (status = myr_make_pose(&body.pose, def->position_m, def->quaternion, def->name))) return status;
    if (has_axis && (status = myr_unit_vector(body.axis, def->axis, 3, def->name, "axis"))) return status;
    myr_copy3(body.com, def->com_m);
    memcpy(body.inertia, def->inertia_kgm2, sizeof body.inertia);

    body.name = myr_copy_text(def->name);
    body.joint_name = myr_copy_text(def->joint_name ? def->joint_name : def->name);
    if (!myr_push_body(builder, &body)) return myr_fail(MYR_E_MEMORY, "out of memory for body `%s`", def->name);
    if (id) *id = builder->n_bodies - 1;
    return MYR_OK;
}

static myr_status check_size(const myr_geom_def *def, const char *name) {
    const int sizes = myr_geom_sizes[def->type];
    for (int k = 0; k < sizes; k++)
        if (!isfinite(def->size_m[k]) || def->size_m[k] < 0.0)
            return myr_fail(MYR_E_ARG, "geom `%s`: size_m[%d] is %g; %s must be finite and >= 0", name, k, def->size_m[k],
                            myr_geom_meaning(def->type));
    if (!isfinite(def->friction) || def->friction < 0.0)
        return myr_fail(MYR_E_ARG, "geom `%s`: friction is %g; it must be finite and >= 0", name, def->friction);
    return MYR_OK;
}

/* BODY, BODY_2, BODY_3, ... */
static void default_geom_name(const myr_builder *builder, int body, char *name, size_t bytes) {
    int before = 0;
    for (int i = 0; i < builder->n_geoms; i++) before += builder->geoms[i].body == body;
    if (before)
        snprintf(name, bytes, "%s_%d", builder->bodies[body].name, before + 1);
    else
        snprintf(name, bytes, "%s", builder->bodies[body].name);
}

myr_status myr_builder_geom(myr_builder *builder, const myr_geom_def *def, int *id) {
    MYR_OWN_ARITHMETIC;
    if (!builder || !def) return myr_fail(MYR_E_ARG, "myr_builder_geom: `%s` is NULL", builder ? "def" : "builder");
    if (def->body < 0 || def->body >= builder->n_bodies)
        return myr_fail(MYR_E_ARG, "geom `%s`: body is %d; this builder has bodies 0..%d", def->name ? def->name : "", def->body,
                        builder->n_bodies - 1);
    char made[256];
    default_geom_name(builder, def->body, made, sizeof made);
    const char *name = def->name ? def->name : made;
    if (!myr_geom_exists((int)def->type)) return myr_fail(MYR_E_ARG, "geom `%s`: type %d does not exist", name, (int)def->type);
    if (builder->n_geoms >= MYR_MAX_GEOMS) return myr_fail(MYR_E_LIMIT, "geom `%s`: a model holds at most %d geoms", name, MYR_MAX_GEOMS);
    myr_described_geom geom = {
        .body = def->body, .type = def->type, .friction = def->friction, .own_friction = def->friction, .contype = 1, .conaffinity = 1};
    myr_status status = check_size(def, name);
    if (!status) status = myr_make_pose(&geom.pose, def->position_m, def->quaternion, name);
    if (status) return status;
    const int has_points = !myr_geom_sizes[def->type];
    if (has_points && def->hull_corners && (def->hull_corners < 4 || def->hull_corners > MYR_MAX_CORNERS))
        return myr_fail(MYR_E_ARG, "geom `%s`: hull_corners is %d; it must be 4 .. %d, or 0", name, def->hull_corners, MYR_MAX_CORNERS);
    if (has_points)
        status = myr_convex_hull(name, def->points_m, def->n_points, def->hull_corners, &geom.points, &geom.n_points, &geom.hull_error);
    if (status) return status;
    if (!has_points) myr_copy3(geom.size, def->size_m);

    geom.name = myr_copy_text(name);
    if (!myr_push_geom(builder, &geom)) return myr_fail(MYR_E_MEMORY, "out of memory for geom `%s`", name);
    if (id) *id = builder->n_geoms - 1;
    return MYR_OK;
}

int myr_place_of(const myr_builder *b, const char *name, int *body, myr_pose *pose) {
    *pose = myr_pose_identity();
    for (int i = 0; i < b->n_bodies; i++)
        if (!strcmp(b->bodies[i].name, name)) return *body = i, 1;
    for (int i = 0; i < b->n_frames; i++)
        if (!strcmp(b->frames[i].name, name)) return *body = b->frames[i].body, *pose = b->frames[i].pose, 1;
    return 0;
}

myr_status myr_builder_frame(myr_builder *builder, const char *name, int body, const double position_m[3], const double quaternion[4]) {
    MYR_OWN_ARITHMETIC;
    if (!builder) return myr_fail(MYR_E_ARG, "myr_builder_frame: `builder` is NULL");
    myr_status status = check_name(builder, "frame", name);
    if (status) return status;
    if (builder->n_frames >= MYR_MAX_FRAMES)
        return myr_fail(MYR_E_LIMIT, "frame `%s`: a model holds at most %d frames", name, MYR_MAX_FRAMES);
    if (body < -1 || body >= builder->n_bodies)
        return myr_fail(MYR_E_ARG, "frame `%s`: body is %d; this builder has bodies 0..%d, the world is -1", name, body,
                        builder->n_bodies - 1);
    if (!position_m || !quaternion) return myr_fail(MYR_E_ARG, "frame `%s`: `%s` is NULL", name, position_m ? "quaternion" : "position_m");
    myr_described_frame frame = {.body = body};
    if ((status = myr_make_pose(&frame.pose, position_m, quaternion, name))) return status;

    frame.name = myr_copy_text(name);
    return myr_push_frame(builder, &frame) ? MYR_OK : myr_fail(MYR_E_MEMORY, "out of memory for frame `%s`", name);
}

myr_status myr_builder_home(myr_builder *builder, int body, const double position_m[3], const double quaternion[4]) {
    MYR_OWN_ARITHMETIC;
    if (!builder) return myr_fail(MYR_E_ARG, "myr_builder_home: `builder` is NULL");
    if (body < 0 || body >= builder->n_bodies)
        return myr_fail(MYR_E_ARG, "myr_builder_home: body is %d; this builder has %d bodies", body, builder->n_bodies);
    myr_described_body *b = &builder->bodies[body];
    if (b->joint != MYR_JOINT_FREE) return myr_fail(MYR_E_ARG, "body `%s`: only bodies on a free joint have a home of their own", b->name);
    if (!position_m || !quaternion)
        return myr_fail(MYR_E_ARG, "home of body `%s`: `%s` is NULL", b->name, position_m ? "quaternion" : "position_m");
    myr_pose pose;
    const myr_status status = myr_make_pose(&pose, position_m, quaternion, b->name);
    if (status) return status;
    b->has_home = 1;
    myr_copy3(b->home, pose.position);
    return myr_unit_vector(b->home + 3, quaternion, 4, b->name, "quaternion");
}
