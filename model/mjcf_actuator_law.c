/* The law of an actuator, force = gain ctrl + b0 + b1 length + b2 velocity, from the words that say it. The words of a class count for
 * elements of other words, too: <position kp="5"/> in a class is what a <general> of that class begins with. So the words are taken one
 * after the other, from the outermost class to the element itself. As MuJoCo 4.0.0 has it, by experiment: each leaves what a <general>
 * begins with; <position> and <velocity> begin with what was last said by their own word or by <general>, and <motor> clears everything. */
#include "mjcf.h"

typedef enum word { GENERAL, MOTOR, POSITION, VELOCITY, OTHERS } word;
static const char *const words[] = {"general", "motor", "position", "velocity"};

/* What a <position> says, and begins with. */
typedef struct servo {
    double kp, kv, ratio; /* ratio: of damping, 0: none */
    double share;         /* of the joint's range that targets go, 0: nothing is said */
    int lags;
} servo;

typedef struct law {
    double gain[10], bias[10], ratio, share;
    int gain_type, bias_type, dynamics;
    servo position;
    double velocity; /* kv of a <velocity> */
} law;

static const law plain = {.gain = {1.0}, .position = {.kp = 1.0}, .velocity = 1.0};

static word word_of(const myr_xml_node *node) {
    word k = GENERAL;
    while (k < OTHERS && !myr_xml_is(node, words[k])) k++;
    return k;
}

static myr_status take_general(const myr_mjcf *m, const myr_mjcf_element *e, law *l) {
    int found;
    myr_status status = myr_mjcf_word(m, e, "gaintype", "fixed|affine|muscle|user|dcmotor", &l->gain_type);
    if (!status) status = myr_mjcf_word(m, e, "biastype", "none|affine|muscle|user|dcmotor", &l->bias_type);
    if (!status) status = myr_mjcf_word(m, e, "dyntype", "none|integrator|filter|filterexact|muscle|user|dcmotor", &l->dynamics);
    if (!status) status = myr_mjcf_some_numbers(m, e, "gainprm", l->gain, 10, &found);
    if (!status) status = myr_mjcf_some_numbers(m, e, "biasprm", l->bias, 10, &found);
    if (status) return status;
    if (myr_xml_text(e->node, "gainprm")) l->position.kp = l->velocity = l->gain[0];
    if (myr_xml_text(e->node, "biasprm")) l->position.kv = 0.0 - l->bias[2], l->ratio = l->position.ratio = 0.0;
    return MYR_OK;
}

static myr_status take_position(const myr_mjcf *m, const myr_mjcf_element *e, law *l) {
    servo s = l->position;
    double kv = 0.0, ratio = 0.0, lag = s.lags;
    myr_status status = myr_mjcf_numbers(m, e, "kp", &s.kp, 1);
    if (!status) status = myr_mjcf_numbers(m, e, "kv", &kv, 1);
    if (!status) status = myr_mjcf_numbers(m, e, "dampratio", &ratio, 1);
    if (!status) status = myr_mjcf_numbers(m, e, "timeconst", &lag, 1);
    if (!status) status = myr_mjcf_numbers(m, e, "inheritrange", &s.share, 1);
    if (status) return status;
    if (s.kp < 0.0 || kv < 0.0 || ratio < 0.0) return myr_xml_fail(m->xml, e->node, "a gain is negative");
    if (kv > 0.0 && ratio > 0.0) return myr_xml_fail(m->xml, e->node, "`kv` and `dampratio` both say how it is damped");
    if (myr_xml_text(e->node, "kv") || myr_xml_text(e->node, "dampratio")) s.kv = kv, s.ratio = ratio; /* the last one counts */
    s.lags = lag > 0.0;
    *l = (law){.gain = {s.kp},
               .bias = {0.0, 0.0 - s.kp, 0.0 - s.kv},
               .bias_type = 1,
               .ratio = s.ratio,
               .share = s.share,
               .dynamics = s.lags,
               .position = s,
               .velocity = l->velocity};
    return MYR_OK;
}

static myr_status take_velocity(const myr_mjcf *m, const myr_mjcf_element *e, law *l) {
    double kv = l->velocity;
    const myr_status status = myr_mjcf_numbers(m, e, "kv", &kv, 1);
    if (status) return status;
    if (kv < 0.0) return myr_xml_fail(m->xml, e->node, "kv is negative");
    *l = (law){.gain = {kv}, .bias = {0.0, 0.0, 0.0 - kv}, .bias_type = 1, .position = l->position, .velocity = kv};
    return MYR_OK;
}

static myr_status take(const myr_mjcf *m, const myr_xml_node *node, law *l) {
    const myr_mjcf_element own = {node, -1};
    switch (word_of(node)) {
    case GENERAL: return take_general(m, &own, l);
    case MOTOR: *l = plain; return MYR_OK;
    case POSITION: return take_position(m, &own, l);
    case VELOCITY: return take_velocity(m, &own, l);
    default: return MYR_OK; /* of a kind that is not read */
    }
}

static myr_status take_class(const myr_mjcf *m, int c, law *l) {
    myr_status status = c < 0 ? MYR_OK : take_class(m, m->classes[c].parent, l);
    for (int i = 0; i < m->n_sections && c >= 0; i++) {
        if (m->sections[i].class_id != c) continue;
        for (const myr_xml_node *child = m->sections[i].node->children; child && !status; child = child->next)
            if (word_of(child) != OTHERS) status = take(m, child, l);
    }
    return status;
}

myr_status myr_mjcf_actuator_law(myr_mjcf *m, const myr_mjcf_element *e, myr_mjcf_actuator *a) {
    law l = plain;
    myr_status status = take_class(m, e->class_id, &l);
    if (!status) status = take(m, e->node, &l);
    if (status) return status;
    a->gain = l.gain[0];
    for (int k = 0; k < 3 && l.bias_type; k++) a->bias[k] = l.bias[k];
    a->damping_ratio = l.ratio;
    a->range_share = l.share;
    if (l.gain_type) a->dropped = "its gain is not fixed";
    if (l.bias_type > 1) a->dropped = "its bias is neither none nor affine";
    if (l.dynamics) a->dropped = "it has dynamics of its own (dyntype, timeconst)";
    if (word_of(e->node) == OTHERS) a->dropped = "its kind is not read";
    return MYR_OK;
}
