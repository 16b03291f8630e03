/* A caller may compute in any floating-point environment: every exception trapped, another rounding, flushed subnormals, x87 in single
 * precision. Every public function is called in such environments. None traps, the environment is afterwards as before, sticky flags
 * included, and everything that comes out has the bits that it has under the default one. tests/promises/check_entries.py sees that no
 * public function is missing here. */
#include "support/floating_point.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* ---- settings, words ------------------------------------------------------------------------------------------------ */

static myr_settings use_settings(void) {
    myr_settings s;
    char text[MYR_NAME_LENGTH];
    const char *key, *doc;
    IN(s = myr_settings_default());
    saw(strange_call, &s, sizeof s);
    IN(strange_got = myr_settings_set(&s, "dt", "1e999"));
    assert_int_equal(strange_got, MYR_E_ARG);
    saw_text(myr_message());
    IN(strange_got = myr_settings_set(&s, "max-sweeps", "1e-999"));
    assert_int_equal(strange_got, MYR_E_ARG);
    saw_text(myr_message());
    IN_MUST(myr_settings_set(&s, "tolerance", "1.0000000000000001e-7"));
    IN_MUST(myr_settings_set(&s, "kd", "0.1"));
    write_text(strange_path("p.json"), "{ \"base\": \"rollout\", \"kp\": 0.30000000000000004, \"dt\": 1e-3 }");
    const char *profile = strange_path("p.json");
    IN_MUST(myr_settings_load(&s, profile));
    saw(strange_call, &s, sizeof s);
    int more = 1;
    for (int i = 0; more; i++) {
        IN(more = myr_settings_key(&s, i, &key, text, &doc));
        if (more) saw_text(text);
    }
    IN_MUST(myr_settings_set(&s, "threads", "2"));
    return s;
}

static void use_words(void) {
    const char *text;
    int n;
    myr_machine machine;
    myr_isa_info isa;
    myr_task_info task;
    IN(text = myr_status_text(MYR_E_ISA)), saw_text(text);
    IN(text = myr_message());
    IN(text = myr_settings_note()), saw_text(text);
    IN(text = myr_version()), saw_text(text);
    IN(text = myr_math_version()), saw_text(text);
    IN(text = myr_stage_name(2)), saw_text(text);
    IN(text = myr_solve_status_text(MYR_STALLED)), saw_text(text);
    IN(text = myr_quarantine_text(MYR_QUARANTINE_SPEED)), saw_text(text);
    IN(text = myr_solver_name(1)), saw_text(text);
    IN(text = myr_solver_model(1)), saw_text(text);
    IN(text = myr_solver_large_refusal("hybrid")), saw_text(text);
    IN(text = myr_task_name(0)), saw_text(text);
    IN_MUST(myr_task_get("hold", &task));
    saw(strange_call, &task.n_rewards, sizeof task.n_rewards);
    IN(text = myr_task_reward_name("hold", 0)), saw_text(text);
    IN(text = myr_task_reward_doc("hold", 0)), saw_text(text);
    IN(n = myr_task_reward_count("hold")), saw(strange_call, &n, sizeof n);
    IN(text = myr_reward_name(0)), saw_text(text);
    IN(text = myr_reward_doc(0)), saw_text(text);
    IN(n = myr_reward_count()), saw(strange_call, &n, sizeof n);
    IN_MUST(myr_machine_get(&machine));
    IN(text = myr_isa_name(0)), saw_text(text);
    IN_MUST(myr_isa_get(text, &isa));
    IN(myr_set_allocator(NULL));
}

/* ---- models --------------------------------------------------------------------------------------------------------- */

static const char urdf[] =
    "<robot name='arm'><link name='world'/><link name='a'><inertial><origin xyz='0.1 0.2 0.3' rpy='0.1 0.7 0.3'/>"
    "<mass value='1.1'/><inertia ixx='0.1' iyy='0.2' izz='0.15' ixy='0.01' ixz='0.003' iyz='0.007'/></inertial>"
    "<collision><geometry><sphere radius='0.1'/></geometry></collision></link>"
    "<joint name='j' type='revolute'><parent link='world'/><child link='a'/><origin xyz='0 0 0.1' rpy='0.3 0.2 0.1'/>"
    "<axis xyz='1 2 3'/><limit effort='10.1' velocity='3.3' lower='-1.1' upper='1.2'/><dynamics damping='0.1'/></joint></robot>";

static void see_model(myr_model *model) {
    myr_model_info info;
    myr_joint_info joint;
    myr_geom_info geom;
    myr_slot_info slot;
    const char *text;
    double q[64] = {0};
    uint64_t hash;
    IN(hash = myr_model_hash(model));
    saw(strange_call, &hash, sizeof hash);
    IN(myr_model_get_info(model, &info));
    saw(strange_call, &info.nq, sizeof info - offsetof(myr_model_info, nq));
    assert_true(info.nq <= 64);
    IN_MUST(myr_model_get_joint(model, 0, &joint));
    saw(strange_call, &joint.lower, 6 * sizeof joint.lower);
    IN_MUST(myr_model_get_geom(model, 0, &geom));
    saw(strange_call, &geom.friction, 11 * sizeof geom.friction);
    IN_MUST(myr_model_get_slot(model, 0, &slot));
    myr_keyframe_info key = {NULL, NULL, NULL};
    myr_status none;
    IN(none = myr_model_get_keyframe(model, 0, &key));
    assert_true(none == MYR_E_ARG && !key.q);
    myr_row_info joint_row;
    IN_MUST(myr_model_get_row(model, 0, &joint_row));
    saw(strange_call, &joint_row.length_m, sizeof joint_row.length_m);
    saw(strange_call, &slot.friction, sizeof slot.friction);
    myr_body_info body;
    myr_frame_info frame;
    int found;
    IN_MUST(myr_model_get_body(model, 0, &body));
    saw(strange_call, &body.mass_kg, 10 * sizeof body.mass_kg);
    IN_MUST(myr_model_get_frame(model, info.n_frames - 1, &frame));
    saw(strange_call, frame.position_m, 7 * sizeof *frame.position_m);
    IN_MUST(myr_model_find_joint(model, joint.name, &found));
    IN_MUST(myr_model_find_body(model, joint.body, &found));
    IN_MUST(myr_model_find_geom(model, geom.name, &found));
    myr_status lacking;
    IN(lacking = myr_model_find_actuator(model, "none", &found));
    assert_true(lacking == MYR_E_ARG && found == -1);
    IN_MUST(myr_model_find_frame(model, frame.name, &found));
    IN(text = myr_model_frame_name(model, 0)), saw_text(text);
    IN(text = myr_model_warning(model, 0)), saw_text(text);
    IN(myr_model_home(model, q));
    saw(strange_call, q, sizeof q);
}

static void use_evaluate(const myr_model *model, const myr_settings *settings) {
    double q[19] = {0.1, 0.2, 0.3, 0.5, 0.5, 0.1, 0.7}, v[18], tau[18], M[18 * 18], bias[18], acceleration[18], kinetic, potential, com[3];
    static double position[64 * 3], quaternion[64 * 4], velocity[64 * 6], jacobian[64 * 3 * 18];
    for (int i = 0; i < 18; i++) v[i] = 0.1 * i, tau[i] = 0.3 * i;
    for (int i = 7; i < 19; i++) q[i] = 0.07 * i;
    const myr_evaluation e = {1, q, v, tau, M, bias, acceleration, &kinetic, &potential, com, position, quaternion, velocity, jacobian};
    IN_MUST(myr_evaluate(model, settings, &e));
    saw(strange_call, M, sizeof M), saw(strange_call, bias, sizeof bias), saw(strange_call, acceleration, sizeof acceleration);
    saw(strange_call, &kinetic, sizeof kinetic), saw(strange_call, &potential, sizeof potential), saw(strange_call, com, sizeof com);
    saw(strange_call, position, sizeof position), saw(strange_call, quaternion, sizeof quaternion),
        saw(strange_call, velocity, sizeof velocity);
    saw(strange_call, jacobian, sizeof jacobian);
    IN_MUST(myr_inverse_dynamics(model, settings, 1, q, v, tau, acceleration));
    IN_MUST(myr_frame_jacobian(model, settings, 7, 1, q, M));
    saw(strange_call, acceleration, sizeof acceleration), saw(strange_call, M, 6 * 18 * sizeof *M);
}

static myr_model *use_builder(void) {
    static const double corners[] = {0.1, 0.1, 0.1, -0.1, 0.13, 0.1, 0.1, -0.17, 0.1, 0.03, 0.01, -0.3};
    const double at[] = {0.1, 0.2, 0.3}, turned[] = {0.5, 0.1, 0.7, 0.3}, high[] = {0.3, 0.1, 0.77};
    myr_builder *builder = NULL;
    myr_model *model = NULL;
    myr_body_def body;
    myr_geom_def geom;
    myr_loop_def loop;
    myr_coupling_def coupling;
    myr_tendon_def tendon;
    myr_actuator_def motor;
    myr_motor behind;
    myr_sensor_def sensor;
    myr_sensor_info reads;
    const char *name;
    myr_actuator_info motor_info;
    myr_loop_info held;
    myr_placement put;
    int id;
    IN_MUST(myr_builder_create("built", &builder));
    IN(body = myr_body_def_default());
    IN(geom = myr_geom_def_default());
    saw(strange_call, &geom.size_m, sizeof geom.size_m);
    body.name = "base", body.joint = MYR_JOINT_FREE, body.mass_kg = 1.1, body.com_m[1] = 0.013;
    for (int k = 0; k < 3; k++) body.inertia_kgm2[k] = 0.011 + 0.0017 * k;
    IN_MUST(myr_builder_body(builder, &body, &id));
    body.name = "arm", body.parent = 0, body.joint = MYR_JOINT_REVOLUTE, body.lower = -1e-3, body.upper = 2e-3, body.dry_friction = 0.01;
    memcpy(body.position_m, at, sizeof at), memcpy(body.quaternion, turned, sizeof turned), memcpy(body.axis, at, sizeof at);
    IN_MUST(myr_builder_body(builder, &body, &id));
    IN(body = myr_body_def_default());
    body.name = "wall";
    IN_MUST(myr_builder_body(builder, &body, &id));
    geom.body = 0, geom.type = MYR_GEOM_HULL, geom.points_m = corners, geom.n_points = 4;
    memcpy(geom.quaternion, turned, sizeof turned);
    IN_MUST(myr_builder_geom(builder, &geom, &id));
    geom.body = 1, geom.type = MYR_GEOM_SPHERE, geom.size_m[0] = 0.1;
    IN_MUST(myr_builder_geom(builder, &geom, &id));
    geom.name = "wall", geom.body = 2, geom.type = MYR_GEOM_BOX, geom.size_m[1] = geom.size_m[2] = 0.3;
    IN_MUST(myr_builder_geom(builder, &geom, &id));
    body.name = "hand", body.parent = 1, body.joint = MYR_JOINT_REVOLUTE, body.lower = -0.1, body.upper = 0.3, body.mass_kg = 0.7;
    for (int k = 0; k < 3; k++) body.inertia_kgm2[k] = 0.013;
    memcpy(body.axis, at, sizeof at);
    IN_MUST(myr_builder_body(builder, &body, &id));
    geom.name = "hand", geom.body = 3, geom.type = MYR_GEOM_CAPSULE, geom.size_m[0] = 0.1, geom.position_m[1] = 7.3;
    IN_MUST(myr_builder_geom(builder, &geom, &id));
    IN_MUST(myr_builder_self_collision(builder, MYR_SELF_AUTO)); /* the hand is far from the base */
    IN_MUST(myr_builder_frame(builder, "tool", 1, at, turned));
    IN_MUST(myr_builder_home(builder, 0, high, turned));
    IN_MUST(myr_builder_pair(builder, 1, 2, 1));
    IN_MUST(myr_builder_pair_friction(builder, 1, 2, 0.5));
    IN(loop = myr_loop_def_default()); /* the arm once more where it hangs, and its hinge held to a cubic */
    IN(coupling = myr_coupling_def_default());
    loop.name = "strap", loop.body = 1, loop.other = 0, memcpy(loop.other_position_m, at, sizeof at), loop.position_m[0] = 0;
    IN_MUST(myr_builder_loop(builder, &loop));
    coupling.name = "cubic", coupling.n = 1, coupling.joints[0] = 1, coupling.coefficients[0] = 0.3, coupling.polynomial[0] = 1e-4;
    IN_MUST(myr_builder_coupling(builder, &coupling));
    IN(tendon = myr_tendon_def_default());
    tendon.name = "string", tendon.n = 2, tendon.joints[0] = 1, tendon.joints[1] = 3, tendon.dry_friction = 1e-3, tendon.upper = 1.0 / 3;
    tendon.coefficients[0] = 0.3, tendon.coefficients[1] = -0.7;
    IN_MUST(myr_builder_tendon(builder, &tendon));
    IN(motor = myr_actuator_def_default());
    IN(behind = myr_motor_default());
    motor.motor = behind, motor.motor.lag = MYR_LAG_EXACT, motor.motor.lag_s = 1.0 / 3;
    IN(name = myr_motor_name(MYR_MOTOR_DC));
    IN(name = myr_motor_parameters(MYR_MOTOR_DC));
    IN(name = myr_motor_doc(MYR_MOTOR_DC));
    assert_non_null(name);
    motor.joints[0] = 1, motor.moments[0] = 0.7, motor.control_scale = 1.0 / 3, motor.control_bias = 1e-3;
    IN_MUST(myr_builder_passive(builder));
    IN_MUST(myr_builder_actuator(builder, &motor));
    IN_MUST(myr_builder_motor(builder, "*", &motor.motor));
    IN(sensor = myr_sensor_def_default());
    sensor.name = "turns", sensor.kind = MYR_SENSOR_ACCELEROMETER, sensor.of = NULL;
    IN_MUST(myr_builder_sensor(builder, &sensor));
    IN_MUST(myr_builder_compile(builder, &model));
    IN_MUST(myr_model_find_sensor(model, "turns", &id));
    IN_MUST(myr_model_get_sensor(model, id, &reads));
    IN(name = myr_sensor_kind_name(reads.kind));
    IN(name = myr_sensor_kind_doc(reads.kind));
    IN(put = myr_placement_default());
    put.prefix = "more/", put.position_m[0] = 5, memcpy(put.quaternion, turned, sizeof turned);
    IN_MUST(myr_builder_add_model(builder, model, &put));
    IN_MUST(myr_builder_find_body(builder, "more/arm", &id));
    IN_MUST(myr_builder_friction_group(builder, "walls", "*wall"));
    IN_MUST(myr_builder_find_geom(builder, "more/wall", &id));
    IN(myr_model_free(model));
    IN_MUST(myr_builder_compile(builder, &model));
    IN(myr_builder_free(builder));
    IN(id = myr_model_friction_groups(model));
    IN(name = myr_model_friction_group_name(model, id - 1));
    IN_MUST(myr_model_get_loop(model, 0, &held));
    saw(strange_call, &held.length_m, 15 * sizeof held.length_m);
    myr_pair_info pair;
    IN_MUST(myr_model_get_pair(model, 0, &pair));
    saw(strange_call, &pair, sizeof pair);
    myr_dropped_info dropped = {0};
    IN_MUST(myr_model_get_dropped(model, 0, &dropped));
    saw(strange_call, &dropped.gap_m, sizeof dropped.gap_m);
    IN_MUST(myr_model_get_actuator(model, 0, &motor_info));
    saw(strange_call, &motor_info.home_target, sizeof motor_info.home_target);
    return model;
}

static void use_act(const myr_model *model, myr_settings settings) {
    static double action[STRANGE_ENVS * 2 * 12], seen[STRANGE_ENVS * 2 * 48], reward[STRANGE_ENVS * 2];
    myr_batch *batch = NULL;
    myr_observed_info part;
    int n;
    for (int i = 0; i < STRANGE_ENVS * 2 * 12; i++) action[i] = 0.07 * (i % 13) - 0.4;
    IN_MUST(myr_settings_set(&settings, "task", "locomotion"));
    IN_MUST(myr_settings_set(&settings, "vary-mass", "1.3"));
    IN_MUST(myr_batch_create(model, STRANGE_ENVS, &settings, &batch));
    IN(n = myr_batch_observations(batch));
    IN_MUST(myr_batch_get_observed(batch, 0, &part));
    assert_true(n <= 48);
    const myr_act act = {.steps = 2, .type = MYR_F64, .action = action, .observation = seen, .reward = reward};
    IN_MUST(myr_batch_act(batch, &act));
    saw(strange_call, seen, sizeof seen), saw(strange_call, reward, sizeof reward);
    IN_MUST(myr_batch_observe(batch, MYR_F64, seen));
    saw(strange_call, seen, sizeof seen);
    saw_batch(batch);
    IN(myr_batch_free(batch));
}
static void use_program(void) {
    const char *text = "myriapod_program 1\ninput q 4\na = exp q\nb = sin a\nc = div b 3\nd = norm c\noutput o d\noutput p c\n", *name;
    double q[STRANGE_ENVS * 4], norm[STRANGE_ENVS], all[STRANGE_ENVS * 4];
    const void *in[] = {q};
    void *out[] = {norm, all};
    myr_program_info info;
    myr_program *program = NULL;
    int rows;
    char *written;
    for (int i = 0; i < STRANGE_ENVS * 4; i++) q[i] = 0.37 * i - 5 + (i % 5 == 0 ? 1e-310 : 0);
    IN_MUST(myr_program_read(text, strlen(text), NULL, &program));
    IN_MUST(myr_program_eval(program, NULL, 4, STRANGE_ENVS, in, out, MYR_F64));
    saw(strange_call, norm, sizeof norm), saw(strange_call, all, sizeof all);
    IN(myr_program_get_info(program, &info));
    IN(myr_program_get_input(program, 0, &name, &rows));
    IN(myr_program_get_output(program, 0, &name, &rows));
    IN(name = myr_program_op_name(0));
    IN(name = myr_program_op_doc(0));
    IN(written = myr_program_text(program));
    IN(myr_program_free_text(written));
    IN(myr_program_free(program));
}

/* ---- all of it ------------------------------------------------------------------------------------------------------ */

static void use_everything(const void *context) {
    const char *precision = context;
    myr_model *model = NULL;
    use_words();
    myr_settings settings = use_settings();
    IN_MUST(myr_settings_set(&settings, "precision", precision));
    myr_load_options options;
    IN(options = myr_load_options_default());
    IN_MUST(myr_model_open_text(urdf, sizeof urdf - 1, "arm.urdf", &options, &model));
    myr_model_free(model);
    IN_MUST(myr_model_open("cube", &options, &model));
    myr_model_free(model);
    IN_MUST(myr_model_load_text(urdf, sizeof urdf - 1, "arm.urdf", MYR_ROOT_AUTO, &model));
    see_model(model);
    IN(myr_model_free(model));
    model = use_builder();
    see_model(model);
    use_strange_batch(model, &settings);
    IN(myr_model_free(model));
    IN_MUST(myr_model_load("anymal", MYR_ROOT_AUTO, &model));
    see_model(model);
    use_evaluate(model, &settings);
    use_strange_batch(model, &settings);
    use_act(model, settings);
    use_program();
    IN(myr_model_free(model));
}

int main(void) { return strange_main(use_everything, 101); }
