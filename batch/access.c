#include <math.h>
#include <string.h>

#include "batch/batch.h"
#include "batch/fields.h"
#include "batch/legal.h"
#include "layouts/pack.h"
#include "terrain/terrain.h"

/* One field access, or a worker's part of one: where the numbers are, whose, and in which type they come or go. */
typedef struct access {
    const myr_batch *batch;
    const myr_field_map *map;
    myr_field field;
    const int64_t *ids; /* n of them; NULL: start .. start + n - 1 */
    int64_t start, n;
    myr_type type;
    void *array; /* row i belongs to the i-th environment; only read when `setting` */
    int setting;
} access;

static int64_t env_of(const access *a, int64_t i) { return a->ids ? a->ids[i] : a->start + i; }

static void put_real(const access *a, int64_t index, double value) {
    if (a->type == MYR_F32)
        ((float *)a->array)[index] = (float)value;
    else if (a->type == MYR_F64)
        ((double *)a->array)[index] = value;
    else
        ((int64_t *)a->array)[index] = (int64_t)value;
}

static double take_real(const access *a, int64_t index) {
    return a->type == MYR_F32 ? (double)((const float *)a->array)[index] : ((const double *)a->array)[index];
}

static double take_any(const access *a, int64_t index) {
    return a->type == MYR_I64 ? (double)((const int64_t *)a->array)[index] : take_real(a, index);
}

static void move_rows(const access *a) {
    const myr_layout *layout = &a->batch->layout;
    const myr_pack pack = {
        .layout = layout,
        .tiles = a->batch->arena,
        .first = layout->first[a->map->rows],
        .count = layout->count[a->map->rows],
        .ids = a->ids,
        .start = a->start,
        .n = a->n,
        .type_bytes = (int)a->type,
    };
    if (a->setting)
        myr_pack_set(&pack, a->array, a->field == MYR_WRENCH || a->field == MYR_ROW_IMPULSE || a->field == MYR_WORLD_AT);
    else
        myr_pack_get(&pack, a->array);
}

/* ---- mass, centre of mass, inertia: all three from the ten inertial rows of a body --------------------------------- */

static void load_inertial(const myr_batch *b, int64_t env, int body, double rows[MYR_INERTIAL_ROWS]) {
    const int first = b->layout.first[MYR_ROWS_inertial] + MYR_INERTIAL_ROWS * body;
    for (int k = 0; k < MYR_INERTIAL_ROWS; k++) rows[k] = myr_tile_load(&b->layout, b->arena, first + k, env);
}

static void store_inertial(const myr_batch *b, int64_t env, int body, const double rows[MYR_INERTIAL_ROWS]) {
    const int first = b->layout.first[MYR_ROWS_inertial] + MYR_INERTIAL_ROWS * body;
    for (int k = 0; k < MYR_INERTIAL_ROWS; k++) myr_tile_store(&b->layout, b->arena, first + k, env, rows[k]);
}

static void get_inertial(const access *a) {
    const myr_model *m = &a->batch->model;
    const int each = a->map->each;
    for (int64_t i = 0; i < a->n; i++)
        for (int body = 0; body < m->n_bodies; body++) {
            double rows[MYR_INERTIAL_ROWS], value[6];
            load_inertial(a->batch, env_of(a, i), body, rows);
            if (a->field == MYR_MASS)
                value[0] = myr_inertial_mass(rows);
            else if (a->field == MYR_COM)
                myr_inertial_com(&m->bodies[body], rows, value);
            else
                myr_inertial_inertia(&m->bodies[body], rows, value);
            for (int k = 0; k < each; k++) put_real(a, (i * m->n_bodies + body) * each + k, value[k]);
        }
}

static void set_inertial(const access *a) {
    const myr_model *m = &a->batch->model;
    const int each = a->map->each;
    for (int64_t i = 0; i < a->n; i++)
        for (int body = 0; body < m->n_bodies; body++) {
            double rows[MYR_INERTIAL_ROWS], value[6];
            load_inertial(a->batch, env_of(a, i), body, rows);
            for (int k = 0; k < each; k++) value[k] = take_real(a, (i * m->n_bodies + body) * each + k);
            if (a->field == MYR_MASS)
                myr_inertial_set_mass(value[0], rows);
            else if (a->field == MYR_COM)
                myr_inertial_set_com(&m->bodies[body], value, rows);
            else
                myr_inertial_set_inertia(&m->bodies[body], value, rows);
            store_inertial(a->batch, env_of(a, i), body, rows);
        }
}

/* ---- controls: targets or torques, by actuator ---------------------------------------------------------------------- */

static void move_controls(const access *a) {
    const myr_batch *b = a->batch;
    for (int64_t i = 0; i < a->n; i++)
        for (int u = 0; u < b->model.nu; u++) {
            const myr_actuator *actuator = &b->model.actuators[u];
            const int row = myr_control_row(&b->layout, actuator, u);
            const int64_t at = i * b->model.nu + u;
            if (a->setting)
                myr_tile_store(&b->layout, b->arena, row, env_of(a, i), myr_actuator_set(actuator, take_real(a, at)));
            else if (actuator->scale != 0)
                put_real(a, at, (myr_tile_load(&b->layout, b->arena, row, env_of(a, i)) - actuator->bias) / actuator->scale);
            else
                put_real(a, at, 0);
        }
}

/* ---- the place on a map: samples and units of height in the tile, metres outside --------------------------------------- */

/* What is not finite stays so, and quarantines its environment. */
static void set_ground(const access *a, int64_t i) {
    const myr_batch *b = a->batch;
    double at[3];
    for (int k = 0; k < 3; k++) at[k] = take_real(a, 3 * i + k);
    myr_terrain_place(b->model.terrain, at);
    for (int k = 0; k < 3; k++) myr_tile_store(&b->layout, b->arena, b->layout.first[MYR_ROWS_ground_at] + k, env_of(a, i), at[k]);
}

static void get_ground(const access *a, int64_t i) {
    const myr_batch *b = a->batch;
    double at[3];
    for (int k = 0; k < 3; k++) at[k] = myr_tile_load(&b->layout, b->arena, b->layout.first[MYR_ROWS_ground_at] + k, env_of(a, i));
    myr_terrain_metres(b->model.terrain, at);
    for (int k = 0; k < 3; k++) put_real(a, 3 * i + k, at[k]);
}

/* The nearest patch that there is; NaN: the first. */
static int patch_within(double x, int n) { return x >= n - 1 ? n - 1 : x > 0 ? (int)(x + 0.5) : 0; }

static void set_patch(const access *a, int64_t i) {
    const myr_batch *b = a->batch;
    const myr_terrain *t = b->model.terrain;
    myr_batch_put_on(b, env_of(a, i), patch_within(take_any(a, 2 * i), t->levels), patch_within(take_any(a, 2 * i + 1), t->patch_columns));
}

static void move_patch(const access *a) {
    const myr_batch *b = a->batch;
    for (int64_t i = 0; i < a->n; i++)
        if (a->setting)
            set_patch(a, i);
        else
            for (int k = 0; k < 2; k++)
                put_real(a, 2 * i + k, myr_tile_load(&b->layout, b->arena, b->layout.first[MYR_ROWS_patch] + k, env_of(a, i)));
}

static void move_ground(const access *a) {
    for (int64_t i = 0; i < a->n; i++) a->setting ? set_ground(a, i) : get_ground(a, i);
}

/* ---- what lies beside the tile -------------------------------------------------------------------------------------- */

static double meta_value(const myr_batch *b, myr_field field, const myr_tile_meta *meta, int lane) {
    switch (field) {
    case MYR_ITERATIONS: return meta->iterations[lane];
    case MYR_RESIDUAL: return meta->residual[lane];
    case MYR_RESIDUAL_NCP: return meta->residual_ncp[lane];
    case MYR_SOLVE_STATUS: return meta->solve_status[lane];
    case MYR_TIME: return (double)meta->step[lane] * b->options.dt_s;
    case MYR_EPISODE: return (double)meta->episode[lane];
    default: return meta->quarantine[lane]; /* MYR_QUARANTINED */
    }
}

static void get_meta(const access *a) {
    const int W = a->batch->layout.lanes;
    for (int64_t i = 0; i < a->n; i++) {
        const int64_t env = env_of(a, i);
        put_real(a, i, meta_value(a->batch, a->field, &a->batch->metas[env / W], (int)(env % W)));
    }
}

/* ---- the calls ------------------------------------------------------------------------------------------------------ */

/* Below so many scalars waking the team costs more than it brings. */
enum { WORTH_THE_TEAM = 1 << 15 };

static void mark_changed(const access *a) {
    const int W = a->batch->layout.lanes, is_parameter = myr_fields[a->map->rows].access == MYR_ACCESS_PARAM;
    for (int64_t i = 0; i < a->n; i++) {
        const int64_t env = env_of(a, i);
        if (is_parameter) myr_parameters_changed(&a->batch->metas[env / W], env % W);
        if (a->map->rows == MYR_ROWS_impulse) myr_impulses_changed(&a->batch->metas[env / W]);
        if (a->map->rows == MYR_ROWS_q) /* it begins anew */
            a->batch->metas[env / W].pause[env % W] = a->batch->metas[env / W].wait[env % W] = 0;
    }
}

static void move(const access *a) {
    const int changes =
        myr_fields[a->map->rows].access == MYR_ACCESS_PARAM || a->map->rows == MYR_ROWS_impulse || a->map->rows == MYR_ROWS_q;
    if (a->setting && changes) mark_changed(a);
    if (a->map->place == MYR_PLACE_ROWS)
        move_rows(a);
    else if (a->map->place == MYR_PLACE_META)
        get_meta(a);
    else if (a->map->place == MYR_PLACE_CONTROL)
        move_controls(a);
    else if (a->map->place == MYR_PLACE_GROUND)
        move_ground(a);
    else if (a->map->place == MYR_PLACE_PATCH)
        move_patch(a);
    else if (a->setting)
        set_inertial(a);
    else
        get_inertial(a);
}

static size_t type_bytes(myr_type type) { return type == MYR_F32 ? 4 : 8; }

static void move_part(void *context, int worker) {
    const access *a = context;
    const myr_batch *batch = a->batch;
    access part = *a;
    int64_t begin = a->n * worker / batch->team->threads, end = a->n * (worker + 1) / batch->team->threads;
    if (a->ids) {
        part.ids = a->ids + begin;
    } else { /* a worker's own tiles: they lie in its caches and on its node */
        begin = myr_batch_first_tile(batch, worker) * batch->layout.lanes;
        end = myr_batch_first_tile(batch, worker + 1) * batch->layout.lanes;
        if (begin > a->n) begin = a->n;
        if (end > a->n) end = a->n;
        part.start = begin;
    }
    part.n = end - begin;
    part.array = (char *)a->array + (size_t)begin * (size_t)myr_batch_components(batch, a->field) * type_bytes(a->type);
    move(&part);
}

static void move_all(const access *a) {
    const int64_t components = myr_batch_components(a->batch, a->field);
    /* a list of environments to write may name one twice, and then the order counts */
    const int in_order = a->setting && a->ids;
    if (a->batch->team->threads > 1 && !in_order && components > 0 && a->n > WORTH_THE_TEAM / components) {
        access shared = *a;
        myr_team_run(a->batch->team, move_part, &shared);
    } else
        move(a);
}

static myr_status check(const access *a, const char *call) {
    myr_status status = myr_batch_check(a->batch, call);
    if (status != MYR_OK) return status;
    const myr_field_map *map = a->map;
    if (!map) return myr_fail(MYR_E_ARG, "%s: there is no field %d", call, (int)a->field);
    if (a->setting && map->read_only) return myr_fail(MYR_E_ARG, "%s: the field '%s' is read only", call, map->name);
    if (a->type != MYR_F32 && a->type != MYR_F64 && !(a->type == MYR_I64 && map->whole))
        return myr_fail(MYR_E_ARG, "%s: type %d does not fit the field '%s': use MYR_F32 or MYR_F64%s", call, (int)a->type, map->name,
                        map->whole ? " or MYR_I64" : "");
    status = myr_batch_check_ids(a->batch, call, a->ids, a->n);
    if (status != MYR_OK) return status;
    if (!myr_field_kept(map, &a->batch->layout, &a->batch->settings))
        return myr_fail(MYR_E_STATE, "%s: this batch does not keep '%s': create it with %s", call, map->name, map->sense_name);
    if (!a->array && a->n > 0 && myr_batch_components(a->batch, a->field) > 0)
        return myr_fail(MYR_E_ARG, "%s: the array for '%s' is NULL", call, map->name);
    return MYR_OK;
}

/* A geom whose pairs were dropped for where it is would go through what it meets elsewhere. What is not finite quarantines. */
static myr_status check_places(const access *a) {
    const myr_batch *b = a->batch;
    for (int g = 0; g < b->model.n_geoms; g++) {
        const myr_geom *geom = &b->model.geoms[g];
        if (!geom->pinned) continue;
        for (int64_t i = 0; i < 3 * a->n; i++) {
            const double x = take_real(a, (i / 3 * b->model.n_world + geom->world) * 3 + i % 3), own = geom->position[i % 3];
            if ((float)x == (float)own || !isfinite(x)) continue;
            return myr_fail(
                MYR_E_ARG,
                "myr_batch_set: geom `%s` stays where it is, and may not be at %g along %c in environment %lld: pairs of it were "
                "dropped for where it is (docs/models.md, Pairs); make the model with self-collision `all`",
                geom->name, x, "xyz"[i % 3], (long long)env_of(a, i / 3));
        }
    }
    return MYR_OK;
}

myr_status myr_batch_get(const myr_batch *batch, myr_field field, const int64_t *ids, int64_t n, myr_type type, void *out) {
    MYR_OWN_ARITHMETIC;
    const access a = {.batch = batch, .map = myr_field_map_get(field), .field = field, .ids = ids, .n = n, .type = type, .array = out};
    const myr_status status = check(&a, "myr_batch_get");
    if (status == MYR_OK) move_all(&a);
    return status;
}

/* What a step must from now on read from the rows. */
static unsigned varied_by(myr_field field) {
    switch (field) {
    case MYR_WRENCH: return MYR_VARIED_WRENCH;
    case MYR_MASS:
    case MYR_COM:
    case MYR_INERTIA: return MYR_VARIED_INERTIAL;
    case MYR_DAMPING:
    case MYR_ARMATURE: return MYR_VARIED_JOINT;
    case MYR_LOWER:
    case MYR_UPPER:
    case MYR_DRY_FRICTION: return MYR_VARIED_ROWS;
    case MYR_CONTROL:
    case MYR_TORQUE: return MYR_VARIED_TORQUE;
    case MYR_KP:
    case MYR_KD: return MYR_VARIED_GAINS;
    case MYR_STRENGTH:
    case MYR_ENCODER_BIAS: return MYR_VARIED_MOTOR;
    default: return 0;
    }
}

myr_status myr_batch_set(myr_batch *batch, myr_field field, const int64_t *ids, int64_t n, myr_type type, const void *in) {
    MYR_OWN_ARITHMETIC;
    const access a = {.batch = batch,
                      .map = myr_field_map_get(field),
                      .field = field,
                      .ids = ids,
                      .n = n,
                      .type = type,
                      .array = (void *)(uintptr_t)in,
                      .setting = 1};
    myr_status status = check(&a, "myr_batch_set");
    if (status == MYR_OK && field == MYR_WORLD_AT) status = check_places(&a);
    if (status != MYR_OK) return status;
    /* No wrench is +0.0: subtracted, it changes no bits, so that a lane cannot tell whether another one has a wrench. */
    if (n > 0) batch->options.varied |= varied_by(field);
    move_all(&a);
    return MYR_OK;
}

int myr_batch_components(const myr_batch *batch, myr_field field) {
    const myr_field_map *map = myr_field_map_get(field);
    if (!batch || !map) return 0;
    switch (map->place) {
    case MYR_PLACE_CONTROL:
    case MYR_PLACE_GROUND:
    case MYR_PLACE_PATCH:
    case MYR_PLACE_ROWS: return batch->layout.count[map->rows];
    case MYR_PLACE_INERTIAL: return map->each * batch->model.n_bodies;
    case MYR_PLACE_META: break;
    }
    return 1;
}

/* ---- view ----------------------------------------------------------------------------------------------------------- */

static const void *meta_column(const myr_tile_meta *meta, myr_field field) {
    switch (field) {
    case MYR_RESIDUAL: return meta->residual;
    case MYR_RESIDUAL_NCP: return meta->residual_ncp;
    case MYR_EPISODE: return meta->episode;
    default: return NULL;
    }
}

myr_status myr_batch_view(const myr_batch *batch, myr_field field, myr_view *view) {
    MYR_OWN_ARITHMETIC;
    const char *call = "myr_batch_view";
    const myr_field_map *map = myr_field_map_get(field);
    const access a = {.batch = batch, .map = map, .field = field, .type = MYR_F64};
    if (!view) return myr_fail(MYR_E_ARG, "%s: view is NULL", call);
    const myr_status status = check(&a, call);
    if (status != MYR_OK) return status;
    const myr_layout *layout = &batch->layout;
    myr_view seen = {
        .data = batch->arena + (size_t)layout->first[map->rows] * MYR_ROW_BYTES,
        .type = layout->precision == 4 ? MYR_F32 : MYR_F64,
        .envs = batch->envs,
        .components = myr_batch_components(batch, field),
        .lanes = layout->lanes,
        .tile_stride = (int64_t)layout->tile_bytes,
        .row_stride = MYR_ROW_BYTES,
        .lane_stride = layout->precision,
    };
    if (field == MYR_MASS)
        seen.row_stride = MYR_INERTIAL_ROWS * MYR_ROW_BYTES; /* the first of every body's ten rows */
    else if (map->place == MYR_PLACE_META && meta_column(batch->metas, field)) {
        seen.data = meta_column(batch->metas, field);
        seen.type = field == MYR_EPISODE ? MYR_I64 : MYR_F64;
        seen.tile_stride = (int64_t)sizeof(myr_tile_meta);
        seen.row_stride = 0; /* one component */
        seen.lane_stride = 8;
    } else if (map->place != MYR_PLACE_ROWS)
        return myr_fail(MYR_E_ARG, "%s: the field '%s' is not stored as it is read; use myr_batch_get", call, map->name);
    *view = seen;
    return MYR_OK;
}
