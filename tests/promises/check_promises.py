#!/usr/bin/env python3
# ctest: long timeout=5400
"""Each promise, broken on purpose: a test must fail. In a copy of the tree one line is changed at a time, as a hurried edit might, and the test that
holds the promise is run; it must pass before and fail after. A line that is no longer there fails too: then this list is what needs an edit.

MYRIAPOD_ONLY=word: the breaks whose name has the word."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ["MYRIAPOD_SOURCE"])
ONLY = os.environ.get("MYRIAPOD_ONLY", "")

# promise and how it is broken; file; the line's words; what is put in their place; the test that must fail
BREAKS = [
    ("own fate: random numbers of the lane, not of the environment", "kernels/random.lane.h",
     "(uint64_t)(meta->global_id + lane)", "(uint64_t)lane", "check_same_bits"),
    ("a policy in lanes: all tiles of a block see the first one's robots", "learn/play.c",
     "job.first_row -= first * lanes;", "job.first_row = 0;", "test_policy_lanes"),
    ("a policy in lanes: its actions are one row off", "batch/act.lane.h",
     "tile_action_of(a->job, a->first_lane + lane, a->step)", "tile_action_of(a->job, lane, a->step)", "test_policy_lanes"),
    ("a plan: noise of the lane's place, not of the sample", "plan/plan.c",
     ".first = b->metas[t].global_id,", ".first = t * b->layout.lanes,", "test_plan"),
    ("a plan: a tile of samples begins where the one before it ended", "plan/roll.c",
     "memcpy(rows, p->begin, b->layout.tile_bytes);", "if (tile == myr_batch_first_tile(b, worker)) memcpy(rows, p->begin, b->layout.tile_bytes);", "test_plan"),
    ("a program: parts that do not lie side by side are taken as if they did", "programs/code.c",
     "(k && part->row != next)", "(0 && part->row != next)", "test_program_text"),
    ("a plan: pushes and new commands come to samples", "batch/act.lane.h",
     "task->after && !a->job->cost ?", "task->after ?", "test_plan"),
    ("a program: a product that others take is within its sum", "programs/code.c",
     " || part->uses != (adds ? 1 : 2)", "", "test_program_text"),
    ("a plan: who is lost weighs in the mean", "plan/update.c",
     "if (!isfinite(p->cost[i])) continue;", "if (isnan(p->cost[i])) continue;", "test_plan"),
    ("a policy in lanes: what it sees is not normalised", "learn/policy.c",
     "x[k] = (x[k] - p->mean[k]) / p->std[k];", "x[k] = x[k] - p->mean[k];", "test_policy_lanes"),
    ("own fate: an action is kept because a neighbour's is not finite", "batch/act.lane.h",
     "const vm take = vm_and(alive, finite);", "const vm take = vm_any(vm_andnot(alive, finite)) ? vm_none() : alive;", "test_act_faults"),
    ("own fate: a robot that holds fails because a neighbour does", "tasks/table.lane.h",
     "const unsigned ends = vm_bits(vm_gt(vf_abs(*from), vf_zero()));", "const unsigned ends = vm_any(vm_gt(vf_abs(*from), vf_zero())) ? p->alive : 0;", "test_hold"),
    ("own fate: an actuator's gains stop acting because a neighbour's is at its limit", "dynamics/motors/pd.lane.h",
     "vf_select(vm_or(high, low), vf_zero(), implicit)", "(vm_any(vm_or(high, low)) ? vf_zero() : implicit)", "test_actuators"),
    ("own fate: a robot in quarantine reads what its neighbours' steps make of it", "sensors/sensors.lane.h",
     "rows[PARTS * k] = vf_select(lanes, out[k], rows[PARTS * k]);", "rows[PARTS * k] = out[k];", "test_sensors"),
    ("own fate: a foot feels what a neighbour's does", "sensors/contacts.lane.h",
     "return v3_select(mine, sign > 0 ? world : v3_scale(vf_set(-1), world), v3_zero());", "return vm_any(mine) ? world : v3_zero();", "test_sensors"),
    ("own fate: an input is late because a neighbour's is", "dynamics/motors/input.lane.h",
     "late = vf_select(vm_eq(back, vf_set((real)k)), is[PARTS * (1 + k)], late);", "late = vm_any(vm_eq(back, vf_set((real)k))) ? is[PARTS * (1 + k)] : late;",
     "test_motors"),
    ("own fate: a net has readings of before because a neighbour's has", "dynamics/motors/net.lane.h",
     "const vm begun = back ? vm_gt(was[0], vf_zero()) : vm_none();", "const vm begun = back && vm_any(vm_gt(was[0], vf_zero())) ? vm_all() : vm_none();",
     "test_motor_nets"),
    ("a net makes a force of a target that is a NaN", "kernels/bends.lane.h", "x = vf_max(vf_set(least), x);", "x = vf_max(x, vf_set(least));", "test_motor_nets"),
    ("a step that ends in quarantine moves on what is on its way to a motor", "dynamics/actuators.lane.h",
     "keep_good(rows + PARTS * k, p->w->activation[k], good, 0);", "rows[PARTS * k] = p->w->activation[k];", "test_motors"),
    ("own fate: actuators of a joint are bounded because a neighbour's are", "dynamics/actuators.lane.h",
     "const vm over = vm_gt(vf_abs(w->tau[j->v]), limit);", "const vm over = vm_any(vm_gt(vf_abs(w->tau[j->v]), limit)) ? vm_all() : vm_none();", "test_actuators"),
    ("own fate: the corner that a hull stands on is a neighbour's", "collision/hulls.lane.h",
     "least = vf_select(better, height, least);", "least = vm_any(better) ? height : least;", "test_hulls"),
    ("own fate: a lane's pair climbs on because a neighbour's does", "collision/gjk.lane.h",
     "live = vm_and(live, vm_gt(here.apart, before + tolerance));",
     "live = vm_any(vm_and(live, vm_gt(here.apart, before + tolerance))) ? live : vm_none();", "test_pairs"),
    ("own fate: a corner under a face is offered because a neighbour's is", "collision/clip.lane.h",
     "where = vm_and(where, vm_le(height, k->highest));", "where = vm_any(vm_and(where, vm_le(height, k->highest))) ? vm_all() : vm_none();", "test_pairs"),
    ("own fate: two geoms are looked at only where the first lane may reach", "collision/pairs.lane.h",
     "if (vm_any(vm_le(v3_dot(d, d), reach * reach)))", "if (vm_bits(vm_le(v3_dot(d, d), reach * reach)) & 1u)", "test_mixed_fate"),
    ("what can be touched is looked at: reaches end before the geoms do", "collision/pairs.lane.h",
     "vf_set((real)1.001 * is->reach) + half", "vf_set((real)0.5 * is->reach) + half", "test_mixed_fate"),
    ("own fate: the look of a lane that is done goes on", "collision/gjk.lane.h",
     "x = v3_select(live, next.x, x);", "x = next.x;", "test_pairs"),
    ("limits hold: those of a joint that follows another are its own row", "model/rows.c",
     "    if (to == i || follows[to].of >= 0 || b == 0.0) return;", "    return;", "test_followers"),
    ("controls keep to their range: they do not", "model/model.h",
     "const double bounded = control < a->control_lower ? a->control_lower :", "const double bounded =", "test_actuators"),
    ("robots stand on the ground: a raised one is not looked for", "collision/ground_slots.lane.h",
     "z - vf_set((real)p->options->ground) +", "z +", "test_ground"),
    ("own fate: a lane that is done goes on with its neighbours", "kernels/contact/checked_sweeps.lane.h",
     "now = v3_select(todo, relaxed, old);", "now = relaxed;", "test_quarantine"),
    ("own fate: the row of a lane that is done goes on", "kernels/contact/rows.lane.h",
     "const vf now = vf_select(todo, vf_fma(alpha, best - old, old), old)", "const vf now = vf_fma(alpha, best - old, old)", "test_contact_rows"),
    ("own fate: a row is held because a neighbour's is", "kernels/contact/held_rows.lane.h",
     "h->held[k] = vf_select(hold, one, h->held[k]);", "h->held[k] = one;", "test_contact_rows"),
    ("own fate: a packed row takes a neighbour's place", "kernels/contact/packed_rows.lane.h",
     "{ *to = vf_select(mine, value, *to); }", "{ *to = value; }", "test_joint_rows"),
    ("own fate: a lane is finished because its neighbour is", "kernels/contact/hybrid.lane.h",
     "o->max_sweeps, vm_bits(open));", "o->max_sweeps, vm_bits(problem_lanes(p)));", "test_hybrid"),
    ("own fate: a lane sweeps on because a neighbour's joints rub", "kernels/contact/hybrid.lane.h",
     "vf_select(vm_gt(p->rows.f[k], vf_zero()), p->rows.active[k], vf_zero())", "vf_set(vm_any(vm_gt(p->rows.f[k], vf_zero())))", "test_contact_rows"),
    ("own fate: an impulse goes back to the slot of a neighbour", "robot/touch.lane.h",
     "l = v3_select(touch_lanes(w, t, n), v3_load(w->slot_lambda + 3 * n), l);", "l = v3_load(w->slot_lambda + 3 * n);", "test_planks"),
    ("same bits: a call forgets without looking what the one before left", "batch/had.lane.h",
     "p->w->had = had->n <= p->r->n_entries ? had->n : -1;", "p->w->had = 0;", "test_mixed_promises"),
    ("slots: of a tile's parts the last one alone is remembered", "batch/had.lane.h",
     "if (k == 0) had->n = 0;", "had->n = 0;", "test_mixed_promises"),
    ("slots: what a robot holds that waited is not known", "batch/act.lane.h",
     "if (a->waiting) p->w->had = -1;", "", "test_mixed_promises"),
    ("slots: what a state brings is not known", "batch/record.c",
     "    myr_impulses_changed(meta);\n", "", "test_mixed_promises"),
    ("slots: what a copy brings is not known", "batch/state.c",
     "    myr_impulses_changed(b);\n", "", "test_mixed_promises"),
    ("slots: a mask takes the first geom's impulses alone", "batch/reset.c",
     " && (other < 0 || batch->geom_mask[other])", "", "test_mixed_promises"),
    ("own fate: a robot's contacts are counted with its neighbours'", "collision/occupied.lane.h",
     "w->crowd = w->crowd + vf_select(fits, vf_set(1), vf_zero());", "w->crowd = w->crowd + vf_set(vm_any(fits) ? 1 : 0);", "test_mixed_fate"),
    ("own fate: a contact's dofs are those of the neighbour who came first", "constraints/pack.lane.h",
     "            mix->runs |= runs;\n            if (mix->first < 0) mix->first = n;",
     "            if (mix->first < 0) mix->first = n, mix->runs = runs;", "test_mixed_fate"),
    ("own fate: what another tile left is a contact's", "constraints/mixed_assemble.lane.h",
     "mixed_clear(p);", "(void)mixed_clear;", "test_mixed_fate"),
    ("own fate: what a second solve puts aside runs over what lies behind", "constraints/again.lane.h",
     "*active = w + 3 * r->n_contacts;", "*active = w + 3 * r->n_slots;", "test_mixed_fate"),
    ("own fate: closing the loops of a robot moves its neighbours", "constraints/loops_project.lane.h",
     "const vm moved = vm_and(open, vm_finite(far));", "const vm moved = vm_finite(far);", "test_loops"),
    ("loops hold: the redundant row of a planar loop is solved for", "constraints/loops_solve.lane.h",
     "const vm kept = vm_gt(pivot, least);", "const vm kept = vm_gt(pivot, vf_zero());", "test_loops"),
    ("own fate: a joint row is there because a neighbour's is near", "constraints/joint_rows.lane.h",
     "const vm near = vm_and(vm_from_bits(p->alive), joint_row_near(p, r, s, at, v, last));", "const vm near = vm_from_bits(p->alive);", "test_joint_rows"),
    ("own fate: a robot is solved again because its neighbour is", "constraints/recheck.lane.h",
     "    return any;", "    return vm_any(any) ? alive : any;", "test_limit_recheck"),
    ("own fate: a contact is foreseen because a neighbour's is", "collision/ground_slots.lane.h",
     "vm active = vm_and(look->alive, window_reached(p, gap, ends));",
     "vm active = vm_any(window_reached(p, gap, ends)) ? look->alive : vm_none();", "test_laws_landing"),
    ("own fate: a step of a patch moves what only a neighbour's patch has", "kernels/contact/patch_newton.lane.h",
     "vm_and(todo, vm_from_bits(v->lanes[a]))", "todo", "test_patch_newton"),
    ("own fate: what is taken in lies in one bundle or two, as neighbours have it", "constraints/bundle.lane.h",
     "last && n < w->found &&", "last &&", "test_hold"),
    ("the law holds for all contacts: what is left out and violated is not taken in", "constraints/recheck.lane.h",
     "left_out_take(p, vm_from_bits(p->alive))", "left_out_take(p, vm_none())", "test_working_sets"),
    ("the law holds for all contacts: what is left out does not count in the residual", "constraints/left_out.lane.h",
     "c->residual_ncp = vf_max(c->residual_ncp, vf_sqrt(worst->ncp2));", "", "test_working_sets"),
    ("robots land: depth that comes out moves a hinge to where it has no lever", "constraints/lift.lane.h",
     "#define LIFT_LEVER 1e-2", "#define LIFT_LEVER 0", "test_contact_singular"),
    ("robots land: what a blow throws through the floor is not foreseen", "batch/options.c",
     "? 0 : SPARE_SPEED;", "? 0 : 0 * SPARE_SPEED;", "test_laws_landing"),
    ("own fate: a robot keeps what its neighbour's second solve left", "constraints/again.lane.h",
     "c->lambda[a] = vf_select(again, c->lambda[a], k->lambda[a]);", ";", "test_limit_recheck"),
    ("own fate: impulses of joints move to others where a neighbour's limit is found", "maximal/variational.lane.h",
     "best_copy(at + w->row[n], c->rows.lambda + n", "best_copy(at + n, c->rows.lambda + n", "test_variational_promises"),
    ("own fate: a contact moves as in its neighbour's second solve", "constraints/again.lane.h",
     "c->w[a] = vf_select(again, c->w[a], k->w[a]);", ";", "test_variational_promises"),
    ("own fate: a lane that is done goes on while its neighbours pass", "maximal/variational.lane.h",
     "w->z[i] = vf_select(open, w->z[i], mw->point[i]);", ";", "test_variational_promises"),
    ("one bad robot: whole turns in a step look like none", "maximal/increments.lane.h",
     "vm_or(vm_lt(mw->least_turn, vf_set((real)TURN_MOST)), vm_gt(mw->most_rate, vf_set(whole * whole)))",
     "((void)whole, vm_lt(mw->least_turn, vf_set((real)TURN_MOST)))", "test_variational"),
    ("own fate: a step without an answer slows its neighbours", "maximal/unsolved.lane.h",
     "w->z[i] = vf_select(mine, scale * w->z[i], w->z[i]);", "w->z[i] = ((void)mine, scale * w->z[i]);", "test_variational_promises"),
    ("own fate: what touches is corrected where a neighbour flies", "maximal/variational.lane.h",
     "w->z[i] = vf_select(mine, w->z[i] - mw->left[i], w->z[i]);", "w->z[i] = w->z[i] - mw->left[i];", "test_variational_promises"),
    ("friction takes energy out: it acts on the velocity before the step", "dynamics/joint_friction.lane.h",
     "w->extra[k] = vf_select(rubs, vf_fma(dt, damping, w->extra[k]), w->extra[k]);", "", "test_joint_friction"),
    ("own fate: a dead lane is written to", "batch/tile.lane.h",
     "meta->quarantine[a->first_lane + lane] == MYR_HEALTHY", "meta->quarantine[a->first_lane + lane] <= MYR_QUARANTINE_SPEED", "test_quarantine"),
    ("what is shown is what is solved: the scheme's own part is left out", "batch/step.c",
     "run_stages(&a.p, scheme_solve, NULL);", "run_stages(&a.p, scheme_open, NULL);", "test_batch_problem"),
    ("same bits: one instruction set rounds twice", "kernels/lane_portable.h",
     "r[i] = MYR_FMA(a[i], b[i], c[i]);", "r[i] = a[i] * b[i] + c[i];", "test_bodies_promises"),
    ("same bits: a whole problem's products round twice on one instruction set", "kernels/lane_portable.h",
     "(vd){__builtin_fma(a[0], b[0], c[0]), __builtin_fma(a[1], b[1], c[1])}", "a * b + c", "test_hybrid"),
    ("same weights: what is added up depends on who fills it", "learn/update.c",
     "        myr_learn_add_bunch(l, lo, hi);", "        if (worker) myr_learn_add_bunch(l, lo, hi);", "test_learn"),
    ("same weights: processes show in the order of sums", "learn/groups.c",
     "if (s < lo || whole > hi || !left[s] || !left[s + w]) continue;", "if (whole < 0 || s < lo || !left[s] || !left[s + w]) continue;", "test_learn_exchange"),
    ("one bad process: its failed exchange leaves half an update", "learn/update.c",
     "if (l->failures > failed) keep(l, &begin, 1);", "if (l->failures < failed) keep(l, &begin, 1);", "test_learn_exchange"),
    ("same weights: a process with other options learns along", "learn/exchange.c",
     "if (what) return myr_fail(", "if (what && l->iterations == 0) return myr_fail(", "test_learn_exchange"),
    ("same weights: sums of losses depend on the width of registers", "learn/loss.lane.h",
     "const int at = first % MYR_NET_ROW;", "const int at = 0;", "test_learn_lanes"),
    ("same weights: rounding stops the value's gradient", "learn/loss.lane.h",
     "const vm pulls = vm_or(vm_ge(off * off, near * near), vm_le(vf_abs(way), clip));", "const vm pulls = vm_ge(off * off, near * near);",
     "test_learn_lanes"),
    ("one bad robot: speed has no limit", "batch/tile.lane.h",
     "if (bad >> (16 + lane) & 1u)", "if (0 && bad >> (16 + lane) & 1u)", "test_quarantine"),
    ("nothing in silence: the library prints", "batch/run.c",
     "const double start_s = myr_now_s();", "const double start_s = myr_now_s(); __builtin_puts(\"\");", "check_symbols"),
    ("nothing in silence: a bad argument is taken", "batch/run.c",
     "if (rollout->steps < 0) return", "if (rollout->steps < -1) return", "test_rollout"),
    ("residuals are measured: the worst is called zero", "kernels/contact/law.lane.h",
     "p->residual = vf_select(known, vf_sqrt(own2), unknown);", "p->residual = vf_select(known, vf_zero(), unknown);", "test_contact_law"),
    ("nothing in silence: what has a solution is said to have none", "kernels/contact/whole/certificate.h",
     "return cost < 1e-6 && apart", "return apart", "test_hybrid"),
    ("rows only take energy: dry friction pushes on", "constraints/joint_rows.lane.h",
     "to->f[n] = f;", "to->f[n] = -f;", "test_laws_rows"),
    ("rows only take energy: a limit throws back what is beyond it", "constraints/joint_rows.lane.h",
     "vf_select(vm_gt(lo, zero), vf_min(correction * lo, back), lo)", "vf_select(vm_gt(lo, zero), back, lo)", "test_laws_rows"),
    ("a flat map is the plane: gaps are lengths along the normal in the world", "collision/map_slots.lane.h",
     "vf gap = (level ? place->at.z - height : v3_dot(n, v3_sub(place->at, t->corner))) + (v3_dot(own, arm) - radius);",
     "vf gap = (level ? (place->at.z + v3_dot(own, arm)) - height : v3_dot(n, v3_sub(v3_add(place->at, m3_mul(place->R0, arm)), t->corner))) - radius;",
     "test_flat_map"),
    ("a map: a fast ball does not look at where it will be", "collision/map.lane.h",
     "const vm fast = vm_not(vm_le(reach, half)),", "const vm fast = vm_none(),", "test_map_falls"),
    ("a map: an edge wins over a face where it is as near", "collision/map_touch.h",
     "#define MAP_MARGIN (MYR_DOUBLE ? 1 - 0x1p-46 : 1 - 0x1p-18)", "#define MAP_MARGIN (MYR_DOUBLE ? 1 + 0x1p-20 : 1 + 0x1p-12)", "test_map_lanes"),
    ("a map: the factor of a block on friction is left out", "collision/map_slots.lane.h",
     "return vf_set((real)(1.0 / 128)) * ground_block(", "return vf_set(1) + vf_zero() * ground_block(", "test_map_laws"),
    ("own fate on a map: a foot's two faces round as the neighbours are packed", "constraints/legs_assemble.lane.h",
     "        if (common > ROOT && p->r->packable) {", "        if (0) {", "test_map_fate"),
    ("who leaves the map stops: it does not", "collision/collide.lane.h",
     "w->strayed = off_map(p, &look.origin);", "w->strayed = off_map(p, &look.origin) & 0u;", "test_map_fate"),
    ("levels follow the way: none goes down", "terrain/curriculum.h",
     "const int up = walked > size / 2, down = !up && walked < 0.5 * commanded * episode;",
     "const int up = walked > size / 2, down = 0 * !up * (int)commanded * (int)episode;", "test_locomotion_ground"),
    ("a step allocates nothing: it does", "batch/run.c",
     "const myr_tile_job asked = {.steps = steps};", "const myr_tile_job asked = {.steps = steps}; myr_release(myr_allocate(64, 64));",
     "test_guest"),
    ("reproducible files: the warm start is not saved", "layouts/fields.def",
     '"contact: x, y, z = normal", STATE', '"contact: x, y, z = normal", OUTPUT', "test_batch_state"),
    ("same bits on another architecture: NEON takes the least of two as the processor does", "kernels/lane_neon.h",
     "vf_min(vf a, vf b) { return vf_select(vm_lt(a, b), a, b); }", "vf_min(vf a, vf b) { return MYR_N(vmin)(a, b); }", "check_aarch64"),
    ("same bits on another architecture: NEON rounds a product before it is taken off", "kernels/lane_neon.h",
     "{ return MYR_N(vfms)(c, a, b); }", "{ return c - a * b; }", "check_aarch64"),
    ("a good guest: the caller stays bound", "base/threads.c",
     "if (move) bind_to(team, team->threads);", "", "test_guest"),
]
# What the changed copy is built as: two instruction sets, so that they can differ.
CONFIGURE = ["-DMYRIAPOD_UNITS=avx2;portable", "-DMYRIAPOD_SUB_BUILDS=OFF", "-DMYRIAPOD_BENCH=OFF", "-DMYRIAPOD_WERROR=OFF", "--log-level=ERROR"]


def run(*command):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)


def copy_tree(to):
    """The files of the project as they stand, without what builds have made."""
    for name in run("git", "-C", SOURCE, "ls-files", "-co", "--exclude-standard").stdout.splitlines():
        if (SOURCE / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(SOURCE / name, to / name)


def build(tree, test):
    targets = ["myriapod_program", "myriapod_static"] + ([test] if test.startswith("test_") else [])
    done = run("cmake", "--build", tree / "build", "--parallel", os.cpu_count(), "--target", *targets)
    if done.returncode != 0:
        sys.exit(f"the copy does not build:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")


def passes(tree, test):
    build(tree, test)
    return run("ctest", "--test-dir", tree / "build", "-R", f"^{test}$", "--no-tests=error").returncode == 0


def main():
    breaks = [b for b in BREAKS if ONLY in b[0]]
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder) / "myriapod"
        tree.mkdir()
        copy_tree(tree)
        done = run("cmake", "-S", tree, "-B", tree / "build", *CONFIGURE)
        if done.returncode != 0:
            sys.exit(f"the copy does not configure:\n{done.stderr}")
        for test in sorted({b[4] for b in breaks}):
            if not passes(tree, test):
                failures.append(f"{test} fails before anything is broken")
        for name, file, old, new, test in breaks:
            path = tree / file
            text = path.read_text(encoding="utf-8")
            if text.count(old) != 1:
                failures.append(f"{name}: {file} has `{old}` {text.count(old)} times; this list needs an edit")
                continue
            path.write_text(text.replace(old, new), encoding="utf-8")
            survived = passes(tree, test)
            path.write_text(text, encoding="utf-8")
            print(f"{'NOT SEEN' if survived else 'seen'}: {name} ({test})", flush=True)
            if survived:
                failures.append(f"{name}: {test} passes all the same")
    if failures or not breaks:
        sys.exit("\n".join(failures) or "no such break")
    print(f"{len(breaks)} broken promises, each seen by its test")


if __name__ == "__main__":
    main()
