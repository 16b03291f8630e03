/* The tables of `bench`, for people. */
#include "bench.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "machine_text.h"

/* "0-95, 192": processors in the order of their workers. */
static void print_cpus(const bench_row *row, FILE *stream) {
    if (row->n_cpus < 1 || row->cpus[0] < 0) {
        fputs("not pinned", stream);
        return;
    }
    for (int i = 0, end; i < row->n_cpus; i = end) {
        for (end = i + 1; end < row->n_cpus && row->cpus[end] == row->cpus[end - 1] + 1; end++) {}
        fprintf(stream, "%s%d", i ? ", " : "", row->cpus[i]);
        if (end > i + 1) fprintf(stream, "-%d", row->cpus[end - 1]);
    }
}

static void print_machine(const bench_plan *plan, FILE *stream) {
    const myr_machine *m = &plan->machine;
    const myr_settings *s = &plan->settings;
    fprintf(stream, "machine      %s: ", m->cpu);
    cli_print_topology(m, stream);
    cli_print_caches(m, stream);
    fputs("\nusable       ", stream);
    cli_print_usable(m, stream);
    if (!isnan(plan->load)) fprintf(stream, "; load of the minute before %.2f", plan->load);
    if (plan->large_pages[0]) fprintf(stream, "; large pages: %s", plan->large_pages);
    fputs("\nisa          ", stream);
    cli_print_isa_choice(m, s, stream);
    fprintf(stream, "\nsettings     %s, %s, %s, tolerance %.3g%s, %s, profile %s\n", s->precision, s->dynamics, s->solver, s->tolerance,
            strcmp(s->precision, "f32") ? "" : " + 3e-6 of a problem's scale", s->pin ? "threads pinned" : "threads not pinned",
            plan->profile);
    fprintf(stream, "myriapod     %s, math %s; %.3g s for each figure, %.0f s in all\n", myr_version(), myr_math_version(), plan->seconds,
            plan->end_s - plan->start_s);
}

static void print_rows(const bench_robot *robot, FILE *stream) {
    const int first = robot->row[0].figure.threads;
    char over[32] = "over one";
    if (first > 1) snprintf(over, sizeof over, "over %d", first);
    fprintf(stream, "  %7s %15s %9s %11s %8s %18s %9s  %s\n", "threads", "robot-steps/s", over, "efficiency", "dealt", "ns x core, mean",
            "p10", "processors");
    for (int i = 0; i < robot->n_rows; i++) {
        const bench_figure *f = &robot->row[i].figure;
        fprintf(stream, "  %7d %13.4g M %9.2f %9.1f %% %6.0f %% %18.2f %9.2f  ", f->threads, 1e-6 * f->rate, bench_speedup(robot, i),
                100 * bench_efficiency(robot, i), 100 * bench_balance(bench_tiles(robot, robot->envs), f->threads), f->ns, f->ns_p10);
        print_cpus(&robot->row[i], stream);
        fputc('\n', stream);
    }
}

/* Of the last row, which is the one of most threads; another row has the same robots at other moments. */
static void print_reached(const bench_robot *robot, FILE *stream) {
    const myr_stats *s = &robot->row[robot->n_rows - 1].stats;
    fprintf(stream, "  contacts   %.3g active slots per robot-step; ", s->contacts_mean);
    if (s->active_steps > 0)
        fprintf(stream,
                "sweeps mean %.3g, p99 %" PRId64 "; residual p99 %.1e, of the full law %.1e; %" PRId64 " of %" PRId64
                " solves not converged\n",
                s->iterations_mean, s->iterations_p99, s->residual_p99, s->residual_ncp_p99, s->not_converged, s->active_steps);
    else
        fputs("no solve: nothing touched\n", stream);
    if (s->quarantined) fprintf(stream, "  quarantine %" PRId64 " of %" PRId64 " robots\n", s->quarantined, robot->envs);
    if (robot->n_rows > 1)
        fprintf(stream, "  bits       %s\n",
                bench_same_bits(robot) ? "the same for all numbers of threads" : "NOT THE SAME for all numbers of threads");
}

static void print_stage(const char *name, const bench_robot *robot, double first, double last, FILE *stream) {
    fprintf(stream, "  %-10s %10.2f", name, first);
    if (robot->n_rows > 1) fprintf(stream, " %12.2f %12.2f", last, last / first);
    fputc('\n', stream);
}

static void print_stages(const bench_robot *robot, FILE *stream) {
    const bench_row *first = &robot->row[0], *last = &robot->row[robot->n_rows - 1];
    double sum[2] = {0, 0};
    char head[2][32];
    for (int i = 0; i < 2; i++) {
        const int threads = (i ? last : first)->figure.threads;
        snprintf(head[i], sizeof head[i], "%d thread%s", threads, threads == 1 ? "" : "s");
    }
    fputs("\n  stages: ns per robot-step and core, from one step in 16\n", stream);
    fprintf(stream, "  %-10s %10s", "", head[0]);
    if (robot->n_rows > 1) fprintf(stream, " %12s %12s", head[1], "ratio");
    fputc('\n', stream);
    for (int i = 0; i < MYR_STAGE_COUNT; i++) {
        const double a = first->stats.stage_ns[i], b = last->stats.stage_ns[i];
        sum[0] += a, sum[1] += b;
        if (a > 0 || b > 0) print_stage(myr_stage_name(i), robot, a, b, stream);
    }
    print_stage("sum", robot, sum[0], sum[1], stream);
}

static void print_sizes(const bench_robot *robot, FILE *stream) {
    fputs("\n  sizes of the batch: calls of one step, beside long calls of n steps; ns per robot-step and core\n", stream);
    fprintf(stream, "  %9s %9s %8s %8s %14s %9s %9s %9s %9s %9s %9s\n", "robots", "MB", "threads", "dealt", "us a call", "p10", "ns", "p10",
            "n", "ns", "p10");
    for (int i = 0; i < robot->n_sizes; i++) {
        const bench_size *s = &robot->sizes[i];
        const bench_figure *one = &s->one, *longer = &s->longer;
        const double dealt = bench_balance(bench_tiles(robot, s->envs), one->threads);
        fprintf(stream, "  %9" PRId64 " %9.3g %8d %6.0f %% %14.2f %9.2f %9.2f %9.2f %9" PRId64 " %9.2f %9.2f\n", s->envs,
                1e-6 * (double)s->bytes, one->threads, 100 * dealt, one->call_us, one->call_us_p10, one->ns, one->ns_p10, longer->steps,
                longer->ns, longer->ns_p10);
    }
}

static void print_robot(const bench_robot *robot, FILE *stream) {
    const int64_t tiles = bench_tiles(robot, robot->envs);
    fprintf(stream, "\n%s, task %s: %d dof, %d contact slots; %" PRId64 " robots in %" PRId64 " tiles of %d, %.4g B each; dt %.4g ms",
            robot->name, robot->task, robot->size.nv, robot->size.n_slots, robot->envs, tiles, robot->lanes, robot->bytes_per_env,
            1e3 * robot->dt_s);
    if (robot->settings.kp >= 0) fprintf(stream, ", kp %.4g", robot->settings.kp);
    if (robot->settings.kd >= 0) fprintf(stream, ", kd %.4g", robot->settings.kd);
    fputc('\n', stream);
    if (robot->n_rows) {
        print_rows(robot, stream);
        print_reached(robot, stream);
        print_stages(robot, stream);
    }
    if (robot->n_sizes) print_sizes(robot, stream);
}

void bench_print(const bench_plan *plan, FILE *stream) {
    print_machine(plan, stream);
    for (int i = 0; i < plan->n_robots; i++)
        if (plan->robot[i].n_rows || !plan->interrupted) print_robot(&plan->robot[i], stream);
}
