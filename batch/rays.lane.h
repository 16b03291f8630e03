/* Rays of a tile: from the caller's arrays into lanes, from a frame's axes into the world's, and answers back (collision/rays.lane.h). */
#ifndef MYR_BATCH_RAYS_LANE_H
#define MYR_BATCH_RAYS_LANE_H

#include "batch/scan.lane.h"
#include "collision/rays.lane.h"

enum { RAYS_BLOCK = 32 }; /* on their way to the caller's arrays */

/* Where rays begin and along which axes they are given. */
typedef struct ray_base {
    v3 at;
    vf R[9];
    int world; /* none of both */
} ray_base;

static ray_base rays_base(const part *p, const myr_rays_options *o) {
    ray_base base = {.world = o->frame == MYR_RAYS_WORLD};
    base.at = v3_zero(), identity(base.R);
    if (base.world) return base;
    const myr_frame *f = &p->r->model->frames[o->frame];
    if (f->body < 0) {
        for (int k = 0; k < 9; k++) base.R[k] = vf_set((real)f->rotation[k]);
        base.at = (v3){vf_set((real)f->position[0]), vf_set((real)f->position[1]), vf_set((real)f->position[2])};
    } else { /* user -> aligned, in double */
        double at[3], axes[9], align[9];
        for (int k = 0; k < 9; k++) align[k] = p->r->model->bodies[f->body].align[k];
        for (int i = 0; i < 3; i++) {
            at[i] = align[3 * i] * f->position[0] + align[3 * i + 1] * f->position[1] + align[3 * i + 2] * f->position[2];
            for (int j = 0; j < 3; j++)
                axes[3 * i + j] =
                    align[3 * i] * f->rotation[j] + align[3 * i + 1] * f->rotation[3 + j] + align[3 * i + 2] * f->rotation[6 + j];
        }
        ray_on_body(p, f->body, at, axes, &base.at, base.R);
    }
    if (o->axes == MYR_RAYS_WORLD_AXES) identity(base.R);
    if (o->axes == MYR_RAYS_HEADING_AXES) {
        const scan_pose pose = scan_pose_of(base.at, base.R[0], base.R[3]);
        identity(base.R);
        base.R[0] = base.R[4] = pose.c, base.R[1] = -pose.s, base.R[3] = pose.s;
    }
    return base;
}

/* Three numbers of each lane, as they are or divided by their length; the largest first, so that no square is too large or too small. */
static v3 rays_read(const double *from, const int64_t *rows, int64_t row_size, int unit) {
    double x[3][VN];
    union {
        vf v;
        real lane[VN];
    } out[3];
    for (int lane = 0; lane < VN; lane++)
        for (int k = 0; k < 3; k++) x[k][lane] = from[rows[lane] * row_size + k];
    for (int lane = 0; unit && lane < VN; lane++) {
        const double a = __builtin_fabs(x[0][lane]), b = __builtin_fabs(x[1][lane]), c = __builtin_fabs(x[2][lane]);
        const double ab = a > b ? a : b, most = ab > c ? ab : c;
        const double u = x[0][lane] / most, v = x[1][lane] / most, w = x[2][lane] / most, length = __builtin_sqrt(u * u + v * v + w * w);
        x[0][lane] = u / length, x[1][lane] = v / length, x[2][lane] = w / length;
    }
    for (int k = 0; k < 3; k++)
        for (int lane = 0; lane < VN; lane++) out[k].lane[lane] = (real)x[k][lane];
    return (v3){out[0].v, out[1].v, out[2].v};
}

/* Of one ray that all lanes have. */
static v3 rays_read_one(const double *from, int unit) {
    double x[3] = {from[0], from[1], from[2]};
    if (unit) {
        const double a = __builtin_fabs(x[0]), b = __builtin_fabs(x[1]), c = __builtin_fabs(x[2]), ab = a > b ? a : b,
                     most = ab > c ? ab : c;
        for (int k = 0; k < 3; k++) x[k] /= most;
        const double length = __builtin_sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
        for (int k = 0; k < 3; k++) x[k] /= length;
    }
    return (v3){vf_set((real)x[0]), vf_set((real)x[1]), vf_set((real)x[2])};
}

/* n rows of `size` numbers of a lane -> the caller's array from number `at` on. */
static void rays_write(void *out, myr_type type, int64_t at, const vf *rows, int lane, int n) {
    const real *from = (const real *)(const void *)rows + lane;
    if (type == MYR_F32) {
        float *to = (float *)out + at;
        for (int k = 0; k < n; k++) to[k] = (float)from[k * VN];
    } else {
        double *to = (double *)out + at;
        for (int k = 0; k < n; k++) to[k] = (double)from[k * VN];
    }
}

/* Rows of the caller's arrays, of a part's lanes; those that are not `mine` have some that is. */
static void rays_part(const ray_scene *scene, unsigned mine, const int64_t *rows, const myr_ray_job *job) {
    const myr_rays_options *o = job->options;
    const ray_base base = rays_base(scene->p, o);
    const vf range = vf_set((real)o->range_m), zero = vf_zero();
    /* NaN where the pose is: then so is what is seen */
    const vf pose = vf_fma(zero, ((base.at.x + base.at.y) + base.at.z) + ((base.R[0] + base.R[4]) + base.R[8]), zero);
    vf distance[RAYS_BLOCK], normal[3 * RAYS_BLOCK], geom[RAYS_BLOCK];
    for (int j = 0; j < job->rays; j += RAYS_BLOCK) {
        const int some = job->rays - j < RAYS_BLOCK ? job->rays - j : RAYS_BLOCK;
        for (int b = 0; b < some; b++) {
            const int64_t size = 3 * (int64_t)job->rays, at = 3 * (int64_t)(j + b);
            v3 origin = v3_zero(), d = o->own_rays ? rays_read(job->direction + at, rows, size, 1) : rays_read_one(job->direction + at, 1);
            if (job->origin) origin = o->own_rays ? rays_read(job->origin + at, rows, size, 0) : rays_read_one(job->origin + at, 0);
            if (!base.world) origin = m3_mul_add(base.R, origin, base.at), d = m3_mul(base.R, d);
            const ray_answer is = ray_cast(scene, origin, d, range);
            distance[b] = is.distance + pose, geom[b] = is.geom;
            v3_store(normal + 3 * b, (v3){is.normal.x + pose, is.normal.y + pose, is.normal.z + pose});
        }
        for (int lane = 0; lane < VN; lane++) {
            if (!(mine >> lane & 1u)) continue;
            const int64_t at = rows[lane] * job->rays + j;
            rays_write(job->distance, o->type, at, distance, lane, some);
            if (job->normal) rays_write(job->normal, o->type, 3 * at, normal, lane, 3 * some);
            for (int b = 0; job->geom && b < some; b++) job->geom[at + b] = (int32_t)((const real *)(const void *)(geom + b))[lane];
        }
    }
}

/* rows: of each lane in lane_mask, in the caller's arrays. */
static void rays_tile(const void *memory, void *space, void *room, void *tile, const myr_step_options *options, unsigned lanes,
                      const myr_ray_job *job, const int64_t *rows) {
    workspace w = {0};
    myr_step_options all_poses = *options;
    all_poses.full_poses = 1;
    workspace_open(&w, memory, NULL, space);
    for (int k = 0; k < PARTS; k++) {
        const part p = part_open(memory, &w, tile, &all_poses, k);
        const unsigned mine = lanes >> (k * VN) & ((1u << VN) - 1);
        int64_t own[VN];
        if (!mine) continue;
        const int first = __builtin_ctz(mine);
        for (int lane = 0; lane < VN; lane++) own[lane] = rows[k * VN + (mine >> lane & 1u ? lane : first)];
        const ray_scene scene = {&p, job->options, job->shapes, NULL, room};
        if (job->shapes || job->options->frame != MYR_RAYS_WORLD) kinematics(&p);
        ray_place(&scene);
        rays_part(&scene, mine, own, job);
    }
}

#endif
