/* The figures of a run, for people and for programs. */
#include "run.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "ground.h"
#include "json.h"

double run_robot_steps_per_s(const run_result *result) {
    return result->stats.robot_steps > 0 ? (double)result->stats.robot_steps / result->stats.wall_s : (double)NAN;
}

double run_ns_per_robot_step_core(const run_result *result) {
    const myr_stats *s = &result->stats;
    return s->robot_steps > 0 ? 1e9 * s->wall_s * s->threads / (double)s->robot_steps : (double)NAN;
}

static const char *precision(const run_result *result) { return result->batch.precision == 4 ? "f32" : "f64"; }

/* ---- for people --------------------------------------------------------------------------------- */

/* 12345678 -> "12.3 M" and the unit at once: "B" makes "12.3 MB", " steps" makes "12.3 M steps". */
static void scaled(FILE *stream, double value, const char *unit) {
    static const struct {
        double size;
        const char *name;
    } steps[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (value < steps[i].size) continue;
        fprintf(stream, "%.3g %s%s", value / steps[i].size, steps[i].name, unit);
        return;
    }
    fprintf(stream, *unit == ' ' ? "%.3g%s" : "%.3g %s", value, unit);
}

static void print_stages(const myr_stats *s, FILE *stream) {
    double sum = 0;
    for (int i = 0; i < MYR_STAGE_COUNT; i++) sum += s->stage_ns[i];
    if (!(sum > 0)) return;
    fputs("stages       ns per robot-step and core\n", stream);
    for (int i = 0; i < MYR_STAGE_COUNT; i++) {
        const double part = s->stage_ns[i] / sum;
        fprintf(stream, "  %-10s %9.2f  %5.1f %%  ", myr_stage_name(i), s->stage_ns[i], 100 * part);
        for (int bar = 0; bar < (int)(40 * part + 0.5); bar++) fputc('#', stream);
        fputc('\n', stream);
    }
}

static void print_quarantined(const run_result *result, FILE *stream) {
    const int64_t n = result->n_quarantined;
    if (!result->stats.quarantined) {
        fputs("quarantined  none\n", stream);
        return;
    }
    fprintf(stream, "quarantined  %" PRId64 " of %" PRId64 " environments, frozen at their last good state:", result->stats.quarantined,
            result->batch.envs);
    int64_t shown = 0;
    for (int64_t i = 0; i < n && shown < 16; i++, shown++) {
        fprintf(stream, "%s %" PRId64 " (%s)", i ? "," : "", result->quarantined[i], myr_quarantine_text(result->reason[i]));
    }
    if (shown < n) fprintf(stream, ", and %" PRId64 " more", n - shown);
    fputc('\n', stream);
}

static void print_contacts(const myr_stats *s, FILE *stream) {
    fprintf(stream, "contacts     %.3g active slots per robot-step\n", s->contacts_mean);
    if (s->active_steps <= 0) {
        fputs("residual     - (no solve: nothing touched)\n", stream);
        return;
    }
    if (s->solves_max > 1)
        fprintf(stream, "solves       mean %.3g, p99 %" PRId64 ", max %" PRId64 " per step\n", s->solves_mean, s->solves_p99,
                s->solves_max);
    fprintf(stream, "iterations   mean %.3g, p99 %" PRId64 ", max %" PRId64 " sweeps per %s; ", s->iterations_mean, s->iterations_p99,
            s->iterations_max, s->solves_max > 1 ? "step" : "solve");
    fprintf(stream, "%" PRId64 " of %" PRId64 " solves not converged (%.3g %%)", s->not_converged, s->active_steps,
            100.0 * (double)s->not_converged / (double)s->active_steps);
    if (s->stalled) fprintf(stream, ", of these %" PRId64 " by rounding", s->stalled);
    if (s->unsolvable) fprintf(stream, ", %s%" PRId64 " without a solution", s->stalled ? "" : "of these ", s->unsolvable);
    fputc('\n', stream);
    fprintf(stream, "residual     p50 %.2e, p99 %.2e, max %.2e [N s, m/s], the solver's own model\n", s->residual_p50, s->residual_p99,
            s->residual_max);
    fprintf(stream, "             p50 %.2e, p99 %.2e, max %.2e [N s, m/s], the full Coulomb-Signorini law\n", s->residual_ncp_p50,
            s->residual_ncp_p99, s->residual_ncp_max);
    if (!isnan(s->limit_violation_max)) fprintf(stream, "joint limits exceeded by %.2e rad or m at most\n", s->limit_violation_max);
    if (!isnan(s->loop_error_max)) fprintf(stream, "loops        open by %.2e m or rad at most\n", s->loop_error_max);
    fprintf(stream, "occupancy    %.1f %% of the solver's lanes were useful\n", 100 * s->lane_occupancy);
}

static void print_end(const run_result *result, FILE *stream) {
    const posture *end = &result->end;
    fputs("at the end   ", stream);
    if (isnan(end->upright))
        fputs(result->model.n_free ? "every environment is quarantined" : "no floating root", stream);
    else
        fprintf(stream, "%.4g %% upright, base %.4g m high (p50)", 100 * end->upright, end->base_height_p50);
    if (isnan(end->penetration_max))
        fputs(", penetration -\n", stream);
    else
        fprintf(stream, ", penetration p50 %.2e, max %.2e m\n", end->penetration_p50, end->penetration_max);
}

void run_print(const run_result *result, FILE *stream) {
    const myr_model_info *m = &result->model;
    const myr_batch_info *b = &result->batch;
    const myr_stats *s = &result->stats;
    const char *root = m->n_free == m->n_trees ? "free" : m->n_free ? "some free, some fixed" : "fixed to the world";
    fprintf(stream, "robot        %s: %d dof, root %s, %d contact slots, %.4g kg", m->name, m->nv, root, m->n_slots, m->mass_kg);
    if (strcmp(m->name, result->model_argument) != 0) fprintf(stream, " (%s)", result->model_argument);
    fprintf(stream, "\ntask         %s\n", b->task);
    if (result->terrain) {
        fputs("terrain      ", stream);
        ground_print_line(result->terrain, &result->settings, stream);
        fputc('\n', stream);
    }
    fprintf(stream, "machine      %s; %s, %d thread%s", result->cpu, b->isa, b->threads, b->threads == 1 ? "" : "s");
    fputs(b->n_cpus > 0 && b->cpus[0] >= 0 ? b->n_cpus > 1 ? " on processors" : " on processor" : ", not pinned", stream);
    for (int i = 0; i < b->n_cpus && b->cpus[0] >= 0; i++) fprintf(stream, " %d", b->cpus[i]);
    fprintf(stream, "\nsettings     %s, dt %.6g ms, %s, %s, tolerance %.3g%s, profile %s\n", precision(result), 1e3 * b->dt_s,
            result->settings.dynamics, result->settings.solver, result->settings.tolerance,
            strcmp(result->settings.precision, "f32") ? "" : " + 3e-6 of a problem's scale", result->profile);
    fprintf(stream, "stepped      %" PRId64 " environments x %" PRId64 " steps", b->envs, result->steps);
    if (result->settings.decimation > 1) fprintf(stream, " of %" PRId64 " x dt", result->settings.decimation);
    fprintf(stream, " in %.3f s, after %" PRId64 " steps of warm-up\n", s->wall_s, result->warmup);
    if (s->robot_steps > 0) {
        fputs("speed        ", stream);
        scaled(stream, run_robot_steps_per_s(result), " robot-steps/s");
        fprintf(stream, ", %.4g ns per robot-step and core\n", run_ns_per_robot_step_core(result));
        print_contacts(s, stream);
        print_stages(s, stream);
    } else {
        fputs("speed        no steps were timed\n", stream);
    }
    fputs("memory       ", stream);
    scaled(stream, b->bytes_per_env, "B per environment, ");
    scaled(stream, (double)b->bytes, "B in all\n");
    print_quarantined(result, stream);
    print_end(result, stream);
    fprintf(stream, "state        hash %016" PRIx64 "\n", result->state_hash);
}

/* ---- for programs ------------------------------------------------------------------------------- */

json_t *run_json(const run_result *result) {
    const myr_batch_info *b = &result->batch;
    const myr_stats *s = &result->stats;
    json_t *stages = json_object(), *cpus = json_array(), *root = json_object();
    for (int i = 0; i < MYR_STAGE_COUNT; i++) json_object_set_new(stages, myr_stage_name(i), cli_json_real(s->stage_ns[i]));
    for (int i = 0; i < b->n_cpus; i++) json_array_append_new(cpus, json_integer(b->cpus[i]));
    char hash[17];
    snprintf(hash, sizeof hash, "%016" PRIx64, result->state_hash);
    const struct {
        const char *key;
        json_t *value;
    } keys[] = {
        {"model", cli_json_text(result->model_argument)},
        {"nq", json_integer(result->model.nq)},
        {"nv", json_integer(result->model.nv)},
        {"slots", json_integer(result->model.n_slots)},
        {"envs", json_integer(b->envs)},
        {"steps", json_integer(result->steps)},
        {"warmup", json_integer(result->warmup)},
        {"dt", cli_json_real(b->dt_s)},
        {"task", json_string(b->task)},
        {"terrain", ground_json(result->terrain)},
        {"dynamics", json_string(result->settings.dynamics)},
        {"solver", json_string(result->settings.solver)},
        {"tolerance", cli_json_real(result->settings.tolerance)},
        {"profile", cli_json_text(result->profile)},
        {"precision", json_string(precision(result))},
        {"isa", json_string(b->isa)},
        {"threads", json_integer(b->threads)},
        {"cpus", cpus},
        {"robot_steps_per_s", cli_json_real(run_robot_steps_per_s(result))},
        {"ns_per_robot_step_core", cli_json_real(run_ns_per_robot_step_core(result))},
        {"stage_ns", stages},
        {"contacts_mean", cli_json_real(s->contacts_mean)},
        {"iterations_mean", cli_json_real(s->iterations_mean)},
        {"iterations_p99", json_integer(s->iterations_p99)},
        {"iterations_max", json_integer(s->iterations_max)},
        {"solves_mean", cli_json_real(s->solves_mean)},
        {"solves_p99", json_integer(s->solves_p99)},
        {"solves_max", json_integer(s->solves_max)},
        {"residual_p50", cli_json_real(s->residual_p50)},
        {"residual_p99", cli_json_real(s->residual_p99)},
        {"residual_max", cli_json_real(s->residual_max)},
        {"residual_ncp_p50", cli_json_real(s->residual_ncp_p50)},
        {"residual_ncp_p99", cli_json_real(s->residual_ncp_p99)},
        {"residual_ncp_max", cli_json_real(s->residual_ncp_max)},
        {"limit_violation_max", cli_json_real(s->limit_violation_max)},
        {"loop_error_max", cli_json_real(s->loop_error_max)},
        {"not_converged", json_integer(s->not_converged)},
        {"stalled", json_integer(s->stalled)},
        {"unsolvable", json_integer(s->unsolvable)},
        {"lane_occupancy", cli_json_real(s->lane_occupancy)},
        {"bytes_per_env", cli_json_real(b->bytes_per_env)},
        {"quarantined", json_integer(s->quarantined)},
        {"penetration_p50", cli_json_real(result->end.penetration_p50)},
        {"penetration_max", cli_json_real(result->end.penetration_max)},
        {"base_height_p50", cli_json_real(result->end.base_height_p50)},
        {"upright", cli_json_real(result->end.upright)},
        {"state_hash", json_string(hash)},
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) json_object_set_new(root, keys[i].key, keys[i].value);
    return root;
}
