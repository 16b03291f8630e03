/* The table of lane code: one per (instruction set, precision), made by its units. Everything here works on
 * one tile and knows neither threads nor files. */
#ifndef MYR_KERNELS_KERNELS_H
#define MYR_KERNELS_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/problem_tile.h"
#include "kernels/step_job.h"
#include "layouts/layout.h"
#include "myriapod/contact.h"

typedef struct myr_scan_job myr_scan_job; /* robot/scan.h */
typedef struct myr_ray_job myr_ray_job;   /* robot/rays.h */

/* One tile of states in (rows q, v of the layout; tau in the rows below), all quantities out, in rows of the tile's
 * precision: out is n_rows x W, see myr_eval_rows. */
typedef struct myr_eval_rows {
    int tau, M, bias, acceleration, kinetic, potential, com, pose, velocity,
        total; /* first row of each; M dense nv x nv; pose 7, velocity 6 per body (user frames, world) */
} myr_eval_rows;

typedef struct myr_kernels {
    const char *isa;
    int precision;
    const myr_task *const *tasks; /* NULL after the last */
    const myr_task *table_task;   /* of which the task of a table is made (tasks/instance.h) */
    const myr_scheme *schemes;    /* without a name after the last */
    size_t (*robot_bytes)(const myr_model *model);
    void (*robot_build)(void *robot, const myr_model *model, const myr_layout *layout, const uint8_t *geom_mask, int most_contacts);
    size_t (*workspace_bytes)(const void *robot, const myr_scheme *scheme, myr_solver solver); /* scheme NULL: for no steps */
    /* Of these the first so many, which every step uses; they are zero before the first. How far a step goes into the others depends on
     * its contacts, and nothing in them is read that it has not written. */
    size_t (*workspace_used_bytes)(const void *robot);
    void (*step_tile)(const myr_tile_job *job);
    void (*observe_tile)(const myr_tile_job *job); /* of act only steps, observation and type are looked at */
    void (*refresh_tile)(const void *robot, void *workspace, void *tile, const myr_tile_meta *meta, const myr_step_options *options,
                         unsigned lane_mask);
    /* Moves the poses of lanes until their loops close, and says how far open [m, rad] each lane is then; NULL: not asked for. */
    void (*settle_tile)(const void *robot, void *workspace, void *tile, const myr_step_options *options, unsigned lane_mask, double *open);
    void (*reset_lanes)(const void *robot, const myr_model *model, void *tile, myr_tile_meta *meta, const myr_step_options *options,
                        void *programs, unsigned lanes);
    void (*eval_rows)(const myr_model *model, myr_eval_rows *rows);
    void (*eval_tile)(const void *robot, void *workspace, void *tile, void *out);
    /* The same of the forces that give accelerations: nv rows of them in, nv rows of forces out. */
    void (*inverse_tile)(const void *robot, void *workspace, void *tile, void *rates, void *tau);
    /* And 6 x nv rows: the Jacobian, linear and angular, of a point of a body (-1: the world), `at` in its aligned axes. */
    void (*jacobian_tile)(const void *robot, void *workspace, void *tile, int body, const double at[3], void *out);
    /* The ground below points about the base or a frame, of lanes of the tile; of these the first is row `first_row` of the job's output.
     */
    void (*scan_tile)(const void *robot, void *workspace, void *tile, const myr_step_options *options, unsigned lane_mask,
                      const myr_scan_job *job, int64_t first_row);
    /* Rays of lanes of the tile, which are these rows of the job's arrays; room: myr_ray_room bytes of the worker, aligned to 64. */
    void (*rays_tile)(const void *robot, void *workspace, void *room, void *tile, const myr_step_options *options, unsigned lane_mask,
                      const myr_ray_job *job, const int64_t *rows);
    /* What the next step solves in one lane, without that step, of a scheme that solves a problem: tile and meta of the job are copies,
     * which the task may change. Nothing is written but out->contacts where that is more than out->room. */
    void (*problem_of_lane)(const myr_tile_job *job, int lane, myr_problem_room *out);
    size_t (*problem_workspace_bytes)(int contacts, int rows, myr_solver solver);
    void (*solve_tile)(const myr_problem_tile *problem, void *workspace, const myr_solve_options *options);
} myr_kernels;

/* isa: "auto" ($MYRIAPOD_ISA overrides it) or a name of isas.def; precision 4 or 8. Asking for what the processor or the system lacks is
 * MYR_E_ISA, never a fallback. */
myr_status myr_kernels_get(const char *isa, int precision, const myr_kernels **out);
/* Built, and runs here. */
int myr_isa_present(const char *isa);
/* A table of this build, to read and not to run: the processor may lack what it needs. */
const myr_kernels *myr_kernels_any(void);

#endif
