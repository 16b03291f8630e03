#include "tasks/inputs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "tasks/seen.h"

enum {
    BEFORE_FIXED = MYR_LANE_INPUTS - 1,
#define MYR_INPUT_FIXED(NAME, name, rows, unit, doc) FIXED_##NAME,
#include "tasks/inputs.def"
    FIXED_END
};

static const struct {
    const char *name, *unit, *doc;
} inputs[FIXED_END] = {
#define MYR_INPUT(NAME, name, rows, unit, doc) {#name, unit, doc " [" unit "]"},
#include "tasks/inputs.def"
#define MYR_INPUT_FIXED(NAME, name, rows, unit, doc) {#name, unit, doc " [" unit "]"},
#include "tasks/inputs.def"
};

/* Of the first, floating base: rows of a field by names of their own. */
static const struct {
    const char *name, *doc;
    myr_rows field;
    int first, n;
} base_rows[] = {
    {"base_position", "position of the base's origin, world axes [m]", MYR_ROWS_q, 0, 3},
    {"base_turn", "quaternion of the base, w x y z, base axes to world axes [1]", MYR_ROWS_q, 3, 4},
    {"base_velocity", "linear velocity of the base's origin, world axes, then angular velocity, base axes [m/s, rad/s]", MYR_ROWS_v, 0, 6}};
enum { BASE_INPUTS = sizeof base_rows / sizeof *base_rows };

/* Fields with their unit, as inputs have it. */
static const char *const field_docs[MYR_ROWS_COUNT] = {
#define MYR_FIELD(name, count, unit, frame, access, doc) doc " [" unit "]",
#include "layouts/fields.def"
#undef MYR_FIELD
};

/* Fields that the task has no memory of its own for, that are not told by other names, and that mean what batch.h says. */
static int is_field(int rows) {
    const int hidden[] = {MYR_ROWS_memory, MYR_ROWS_reward_sum, MYR_ROWS_rest, MYR_ROWS_inertial, MYR_ROWS_sensor_memory, MYR_ROWS_phase};
    for (size_t k = 0; k < sizeof hidden / sizeof *hidden; k++)
        if (rows == hidden[k]) return 0;
    return 1;
}

/* Input 0, 1, ..: its name and what it is; 0: there are no more. */
static int told(int input, const char **name, const char **doc) {
    if (input < 0) return 0;
    if (input < FIXED_END) return *name = inputs[input].name, *doc = inputs[input].doc, 1;
    input -= FIXED_END;
    if (input < BASE_INPUTS) return *name = base_rows[input].name, *doc = base_rows[input].doc, 1;
    input -= BASE_INPUTS;
    for (int f = 0; f < MYR_ROWS_COUNT; f++)
        if (is_field(f) && input-- == 0) {
            *name = myr_fields[f].name, *doc = field_docs[f];
            if (!strncmp(*doc, "task: ", 6)) *doc += 6;
            return 1;
        }
    return 0;
}

const char *myr_task_input_name(int input) {
    const char *name, *doc;
    return told(input, &name, &doc) ? name : NULL;
}
const char *myr_task_input_doc(int input) {
    const char *name, *doc;
    return told(input, &name, &doc) ? doc : NULL;
}

static int rows_of(int input, const myr_inputs_of *of) {
    const myr_model *m = of->model;
    const myr_settings *s = of->settings;
    const int actions = of->layout->task.actions;
    const int counts[FIXED_END] = {
#define MYR_INPUT(NAME, name, rows, unit, doc) (rows),
#include "tasks/inputs.def"
#define MYR_INPUT_FIXED(NAME, name, rows, unit, doc) (rows),
#include "tasks/inputs.def"
    };
    return counts[input];
}

int myr_inputs_room(const myr_model *m) { return m->nq + m->nu + 16; }

/* A number of the robot as lanes have it: what follows from it is then computed from the same. */
static double as_kept(const myr_inputs_of *of, double x) { return of->layout->precision == 4 ? (double)(float)x : x; }

static void home_down(const myr_model *m, double *out) {
    const double *a = m->home + 3,
                 down[3] = {-2 * (a[1] * a[3] - a[0] * a[2]), -2 * (a[2] * a[3] + a[0] * a[1]), -(1 - 2 * (a[1] * a[1] + a[2] * a[2]))};
    const int turned = m->quadruped.heading_y; /* rider_axes */
    out[0] = turned ? down[1] : down[0], out[1] = turned ? -down[0] : down[1], out[2] = down[2];
}

static void home(const myr_inputs_of *of, double *out) {
    const myr_model *m = of->model;
    memcpy(out, m->home, (size_t)m->nq * sizeof *out);
    for (int t = 0; t < m->n_trees; t++) {
        const myr_body *root = &m->bodies[m->tree_root[t]];
        if (root->joint == MYR_JOINT_FREE) out[root->q + 2] += of->options->raised;
    }
}

static void fill_fixed(const myr_inputs_of *of, int input) {
    const myr_model *m = of->model;
    double *out = of->numbers, unused;
    const double none = of->layout->precision == 4 ? 1e30 : 1e200; /* beyond all; the square of its inverse is 0 */
    switch (input) {
    case FIXED_DT: *out = of->options->dt_s; return;
    case FIXED_CONTROL_DT: *out = of->options->dt_s * of->options->decimation; return;
    case FIXED_ACTUATORS: *out = m->nu; return;
    case FIXED_HOME: home(of, out); return;
    case FIXED_HOME_DOWN: home_down(m, out); return;
    default: break;
    }
    for (int u = 0; u < m->nu; u++) {
        const myr_actuator *a = &m->actuators[u];
        const myr_body *b = a->pushes ? NULL : &m->bodies[a->joint[0]];
        const double most = fmax(-as_kept(of, a->lower), as_kept(of, a->upper));
        const int limited = b && b->lower <= b->upper;
        if (input == FIXED_HOME_LENGTH) out[u] = myr_actuator_length(m, u, m->home);
        if (input == FIXED_HOME_POSITION) out[u] = b ? m->home[b->q] : 0;
        if (input == FIXED_EFFORT) out[u] = most > 0 && isfinite(most) ? most : none;
        if (input == FIXED_POSITION_LOWER) out[u] = limited && isfinite(b->lower) ? b->lower : -none;
        if (input == FIXED_POSITION_UPPER) out[u] = limited && isfinite(b->upper) ? b->upper : none;
        if (input == FIXED_STIFFNESS) myr_start_gains(m, u, of->options, &out[u], &unused);
    }
}

static myr_status none_here(const char *label, int line, const char *name, const char *why) {
    return line > 0 ? myr_fail(MYR_E_FORMAT, "%s:%d: the input `%s`: %s", label, line, name, why)
                    : myr_fail(MYR_E_FORMAT, "%s: the input `%s`: %s", label, name, why);
}

static int begins(const myr_inputs_of *of) { return of->moment == MYR_MOMENT_START || of->moment == MYR_MOMENT_COMMAND; }

/* Why there is no such field here; NULL: there is. */
static const char *no_field(const myr_inputs_of *of, int f) {
    if (!of->layout->count[f]) switch (f) {
        case MYR_ROWS_command: return "the task has no command: declare one, a line `command ROWS`, in Python @task.commands(rows)";
        case MYR_ROWS_acceleration: return "this batch keeps no such field without sense-acceleration 1";
        case MYR_ROWS_body_pose:
        case MYR_ROWS_body_velocity: return "this batch keeps no such field without sense-bodies 1";
        case MYR_ROWS_contact_point:
        case MYR_ROWS_contact_normal:
        case MYR_ROWS_contact_depth: return "this batch keeps no such field without sense-contacts 1";
        default: return "this batch keeps no such field";
        }
    if (begins(of) && (f == MYR_ROWS_sensors || myr_fields[f].access == MYR_ACCESS_OUTPUT))
        return "it is not known where an episode begins";
    return NULL;
}

/* PREFIX.NAME */
static void add_dotted(myr_words *words, const char *prefix, const char *name) {
    char word[MYR_WORD_BYTES];
    snprintf(word, sizeof word, "%s.%.50s", prefix, name);
    myr_words_add(words, word);
}

/* What a word of another engine is here; NULL: this is not such a word. */
static const char *peers_word(const char *name) {
    static const struct {
        const char *word, *here;
    } words[] = {
#define MYR_PEER(word, here) {word, here},
#include "tasks/peers.def"
#undef MYR_PEER
    };
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (!strcmp(words[k].word, name)) return words[k].here;
    return NULL;
}

/* With the nearest of what could stand here. */
static myr_status unknown(const myr_inputs_of *of, const char *label, int line, const char *name) {
    const char *here = peers_word(name);
    char hint[MYR_WORD_BYTES + 160];
    myr_words words = {0};
    myr_table_number_words(of->table, name, &words);
    if (!words.n) {
        for (int k = 0; k < FIXED_END; k++)
            if (rows_of(k, of) && !(begins(of) && k < MYR_LANE_INPUTS)) myr_words_add(&words, inputs[k].name);
        for (int f = 0; f < MYR_ROWS_COUNT; f++)
            if (is_field(f) && !no_field(of, f)) myr_words_add(&words, myr_fields[f].name);
        for (size_t k = 0; k < BASE_INPUTS && myr_floats(of->model); k++) myr_words_add(&words, base_rows[k].name);
        if (of->moment == MYR_MOMENT_START) myr_words_add(&words, "episode_turn");
        for (int k = 0; k < of->table->n_memories; k++) add_dotted(&words, "memory", of->table->memories[k].name);
        for (int k = 0; k < of->model->n_sensors && k < 64 && !begins(of); k++) add_dotted(&words, "sensor", of->model->sensors[k].name);
    }
    if (here)
        snprintf(hint, sizeof hint, ": it is %s", here);
    else
        myr_words_hint(&words, name, hint, sizeof hint);
    return line > 0 ? myr_fail(MYR_E_FORMAT, "%s:%d: there is no input `%s`%s", label, line, name, hint)
                    : myr_fail(MYR_E_FORMAT, "%s: there is no input `%s`%s", label, name, hint);
}

static int rows_from(myr_binding *b, int n, int at) {
    b->to = MYR_BOUND_ROWS, b->n = n, b->at = at;
    return 1;
}

int myr_base_rows(const myr_inputs_of *of, const char *name, myr_binding *b) {
    for (size_t k = 0; k < BASE_INPUTS && myr_floats(of->model); k++)
        if (!strcmp(name, base_rows[k].name))
            return rows_from(b, base_rows[k].n, of->layout->first[base_rows[k].field] + base_rows[k].first);
    return 0;
}

/* Behind a dot: sensor.NAME, memory.NAME, draw.NAME, setting.KEY, number.NAME. 0: it is none of these. */
static int find_dotted(const myr_inputs_of *of, const char *name, myr_binding *b, int *fixed) {
    const myr_task_table *t = of->table;
    myr_table_number number;
    if (myr_table_find_number(t, name, &number)) {
        *fixed = b->n = 1;
        of->numbers[0] = myr_table_value(t, of->settings, &number);
        return 1;
    }
    for (int k = 0; k < t->n_memories && !strncmp(name, "memory.", 7); k++)
        if (!strcmp(name + 7, t->memories[k].name))
            return rows_from(b, t->memories[k].rows, of->layout->first[MYR_ROWS_memory] + t->memories[k].first);
    for (int k = 0; k < of->model->n_sensors && !strncmp(name, "sensor.", 7); k++) {
        const myr_sensor *s = &of->model->sensors[k];
        if (!strcmp(name + 7, s->name)) return rows_from(b, s->n_rows, of->layout->first[MYR_ROWS_sensors] + s->row);
    }
    return 0;
}

/* A stream of draws of its own for each name: what other terms draw changes none of its numbers. */
static int stream_of(const char *name) {
    uint32_t h = UINT32_C(2166136261);
    for (; *name; name++) h = (h ^ (unsigned char)*name) * UINT32_C(16777619);
    return (int)(h | UINT32_C(0x80000000));
}

static int all_act_at_once(const myr_model *m) {
    for (int u = 0; u < m->nu; u++)
        if (!myr_motor_acts_at_once(&m->actuators[u].motor)) return 0;
    return 1;
}

/* Lengths and velocities of actuators are rows of q and v where each has a joint of its own, in the order of these. */
static int joint_rows(const myr_inputs_of *of, int input, myr_binding *b) {
    const myr_model *m = of->model;
    const int speeds = input == MYR_INPUT_ACTUATOR_VELOCITY, field = speeds ? MYR_ROWS_v : MYR_ROWS_q;
    int first = 0;
    if (!m->own_actuators || (!speeds && input != MYR_INPUT_ACTUATOR_LENGTH)) return 0;
    for (int u = 0; u < m->nu; u++) {
        const myr_body *body = &m->bodies[m->actuators[u].joint[0]];
        const int at = speeds ? body->v : body->q;
        if (u == 0) first = at;
        if (at != first + u) return 0;
    }
    *b = (myr_binding){.to = MYR_BOUND_LENGTHS, .n = m->nu, .at = of->layout->first[field] + first};
    return 1;
}

myr_status myr_input_find(const myr_inputs_of *of, const char *label, int line, const char *name, myr_binding *b, int *fixed) {
    const int asked = b->n;
    *b = (myr_binding){.to = MYR_BOUND_ROWS}, *fixed = 0;
    if (of->moment == MYR_MOMENT_ACT && !strcmp(name, "action")) {
        b->to = MYR_BOUND_ACTION, b->n = of->layout->count[MYR_ROWS_action];
        return MYR_OK;
    }
    for (int f = 0; f < MYR_ROWS_COUNT; f++) {
        if (strcmp(myr_fields[f].name, name) != 0 || !is_field(f)) continue;
        const char *why = no_field(of, f);
        if (why) return none_here(label, line, name, why);
        rows_from(b, of->layout->count[f], of->layout->first[f]);
        return MYR_OK;
    }
    if (myr_base_rows(of, name, b)) return MYR_OK;
    for (int k = 0; k < FIXED_END; k++) {
        if (strcmp(inputs[k].name, name) != 0) continue;
        b->n = rows_of(k, of);
        if (!b->n) return none_here(label, line, name, "there is none here");
        if ((of->moment == MYR_MOMENT_ACT || of->moment == MYR_MOMENT_STEP) && k == MYR_INPUT_ACTUATOR_FORCE && !all_act_at_once(of->model))
            return none_here(label, line, name,
                             "of motors other than a pd, and of those that are late or lag, it is known after a step alone");
        /* What is observed is a function of the state, so that it is the same when it is asked for later, or after a restore. */
        if (of->moment == MYR_MOMENT_OBSERVE && (k == MYR_INPUT_ACTION_BEFORE || k == MYR_INPUT_ACTUATOR_VELOCITY_BEFORE))
            return none_here(label, line, name, "it is known within a control step alone: keep what you need in a memory");
        if (of->moment == MYR_MOMENT_OBSERVE && k == MYR_INPUT_ACTUATOR_FORCE && !all_act_at_once(of->model))
            return none_here(
                label, line, name,
                "of motors other than a pd, and of those that are late or lag, it is known within a control step alone: keep it in "
                "a memory");
        if (of->moment == MYR_MOMENT_ACT && k == MYR_INPUT_ACTION_BEFORE)
            return none_here(label, line, name, "a late action does not know the one before: keep what you need in a memory");
        *fixed = k >= MYR_LANE_INPUTS;
        if (*fixed)
            fill_fixed(of, k);
        else if (begins(of))
            return none_here(label, line, name, "it is not known where an episode begins");
        if (!joint_rows(of, k, b)) b->to = MYR_BOUND_LANES, b->at = k;
        return MYR_OK;
    }
    if (!strncmp(name, "draw.", 5) || !strncmp(name, "draws.", 6)) {
        const int own = name[4] == '.';
        if (!own && !begins(of)) return none_here(label, line, name, "it is for the moments `start` and `command`: take draw.NAME");
        if (!asked) return none_here(label, line, name, "say how many numbers are drawn: a number, or `like` another input");
        *b = (myr_binding){.to = own ? MYR_BOUND_DRAW : MYR_BOUND_DRAWS, .n = asked, .at = own ? stream_of(name + 5) : 0};
        return MYR_OK;
    }
    if (!strcmp(name, "episode_turn")) {
        if (of->moment != MYR_MOMENT_START) return none_here(label, line, name, "it is for the moment `start`: take draw.NAME");
        b->to = MYR_BOUND_TURN, b->n = 4;
        return MYR_OK;
    }
    if (begins(of) && !strncmp(name, "sensor.", 7)) return none_here(label, line, name, "it is not known where an episode begins");
    return find_dotted(of, name, b, fixed) ? MYR_OK : unknown(of, label, line, name);
}
