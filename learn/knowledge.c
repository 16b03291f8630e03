/* What a learner knows: its weights and Adam's means, in the order of torch (layer by layer (out, in)), and a checkpoint's numbers. */
#include <math.h>
#include <string.h>

#include "learn/learner.h"
#include "machine/machine.h"
#include "base/memory.h"
#include "base/message.h"

/* ---- the order of the interface -------------------------------------------------------------------------------------- */

/* Calls visit(context, place in the parameters, 1: it counts; 0: a weight of what is not seen) for each number, in the order of the
 * interface. */
typedef void visit(void *context, size_t place, int counts);

static void visit_net(const myr_net *net, visit *each, void *context) {
    for (int k = 0; k < net->layers; k++) {
        const myr_net_layer *l = &net->layer[k];
        for (int o = 0; o < l->out; o++)
            for (int i = 0; i < l->in; i++) each(context, l->weight + (size_t)i * (size_t)l->wide + (size_t)o, myr_net_sees(l, i, o));
        for (int o = 0; o < l->out; o++) each(context, l->bias + (size_t)o, 1);
    }
}

static void visit_all(const myr_learner *l, visit *each, void *context) {
    visit_net(&l->actor, each, context);
    for (int k = 0; k < l->options.actions; k++) each(context, l->deviation + (size_t)k, 1);
    visit_net(&l->critic, each, context);
}

static void count_one(void *context, size_t place, int counts) {
    (void)place, (void)counts;
    ++*(int64_t *)context;
}

int64_t myr_learner_count(const myr_learner *l) {
    int64_t count = 0;
    if (l) visit_all(l, count_one, &count);
    return count;
}

static float *numbers(const myr_learner *l, myr_learned what) {
    switch (what) {
    case MYR_LEARNED_WEIGHTS: return l->weights;
    case MYR_LEARNED_MEAN: return l->mean;
    case MYR_LEARNED_SQUARE: return l->square;
    case MYR_LEARNED_AVERAGE: return l->average;
    default: return NULL;
    }
}

typedef struct copy {
    float *inside;
    float *out;
    const float *in;
} copy;

static void copy_out(void *context, size_t place, int counts) {
    (void)counts; /* zeros are told, too */
    copy *c = context;
    *c->out++ = c->inside[place];
}

static void copy_in(void *context, size_t place, int counts) {
    (void)counts;
    copy *c = context;
    c->inside[place] = *c->in++;
}

myr_status myr_learner_get(const myr_learner *l, myr_learned what, float *out) {
    MYR_OWN_ARITHMETIC;
    if (!l || !out) return myr_fail(MYR_E_ARG, "myr_learner_get: learner or out is NULL");
    copy c = {.inside = numbers(l, what), .out = out};
    if (!c.inside) return myr_fail(MYR_E_ARG, "myr_learner_get: %d is not a myr_learned", (int)what);
    visit_all(l, copy_out, &c);
    return MYR_OK;
}

/* ---- setting --------------------------------------------------------------------------------------------------------- */

typedef struct judged {
    const myr_learner *l;
    myr_learned what;
    const float *in;
    int64_t number, wrong; /* the first wrong one, -1: none */
} judged;

static void judge_one(void *context, size_t place, int counts) {
    judged *j = context;
    const float x = j->in[j->number];
    const int is_deviation = place >= j->l->deviation && place < j->l->critic.begin;
    const int fits = isfinite(x) && (counts || x == 0) && (j->what != MYR_LEARNED_SQUARE || x >= 0) &&
                     (j->what != MYR_LEARNED_WEIGHTS || !is_deviation || x > 0);
    if (!fits && j->wrong < 0) j->wrong = j->number;
    j->number++;
}

myr_status myr_learner_set(myr_learner *l, myr_learned what, const float *in) {
    MYR_OWN_ARITHMETIC;
    if (!l || !in) return myr_fail(MYR_E_ARG, "myr_learner_set: learner or in is NULL");
    copy c = {.inside = numbers(l, what), .in = in};
    if (!c.inside) return myr_fail(MYR_E_ARG, "myr_learner_set: %d is not a myr_learned", (int)what);
    judged j = {.l = l, .what = what, .in = in, .wrong = -1};
    visit_all(l, judge_one, &j);
    if (j.wrong >= 0)
        return myr_fail(MYR_E_ARG,
                        "myr_learner_set: number %lld is %g, but must be finite; a deviation above 0, a square not below it, what an "
                        "encoder's layer does not see 0",
                        (long long)j.wrong, (double)in[j.wrong]);
    visit_all(l, copy_in, &c);
    if (what == MYR_LEARNED_WEIGHTS) myr_learn_turn(l);
    return MYR_OK;
}

void myr_learn_turn(myr_learner *l) {
    const myr_net *nets[2] = {&l->actor, &l->critic};
    for (int n = 0; n < 2; n++)
        for (int k = 0; k < nets[n]->layers; k++) {
            const myr_net_layer *y = &nets[n]->layer[k];
            const int wide_in = myr_net_wide(y->in);
            for (int i = 0; i < y->in; i++)
                for (int o = 0; o < y->out; o++)
                    l->turned[y->turned + (size_t)(o * wide_in + i)] = l->weights[y->weight + (size_t)(i * y->wide + o)];
        }
}

/* ---- at first --------------------------------------------------------------------------------------------------------- */

static int inputs_of(const myr_net_layer *l, int output) {
    int n = 0;
    for (int i = 0; i < l->in; i++) n += myr_net_sees(l, i, output);
    return n;
}

static void draw_net(myr_learner *l, const myr_net *net, uint64_t *number) {
    for (int k = 0; k < net->layers; k++) {
        const myr_net_layer *y = &net->layer[k];
        uint32_t words[4];
        int left = 0;
        for (int o = 0; o < y->out; o++) {
            const float width = (float)(1 / sqrt(inputs_of(y, o)));
            for (int i = 0; i <= y->in; i++) { /* the bias comes last */
                if (left == 0) myr_learn_words(l->options.seed, MYR_LEARN_FIRST_WEIGHTS, (*number)++, words), left = 4;
                const float uniform = (float)(words[--left] >> 8) * 0x1p-24f;
                const float x = i == y->in || myr_net_sees(y, i, o) ? width * (2 * uniform - 1) : 0;
                l->weights[i < y->in ? y->weight + (size_t)(i * y->wide + o) : y->bias + (size_t)o] = x;
            }
        }
    }
}

void myr_learn_begin(myr_learner *l) {
    uint64_t number = 0;
    draw_net(l, &l->actor, &number);
    draw_net(l, &l->critic, &number);
    for (int k = 0; k < l->options.actions; k++) l->weights[l->deviation + (size_t)k] = (float)l->options.deviation;
    memcpy(l->average, l->weights, l->parameters * sizeof(float));
    myr_learn_turn(l);
    l->rate = l->options.learning_rate;
    l->mean_power = l->square_power = 1;
}

void myr_learn_average(myr_learner *l) {
    const float keep = l->iterations > 1 ? (float)l->options.average : 0, take = 1 - keep; /* the first weights are nothing to keep */
    for (size_t k = 0; k < l->parameters; k++) l->average[k] = keep * l->average[k] + take * l->weights[k];
}

/* ---- progress --------------------------------------------------------------------------------------------------------- */

void myr_learner_progress(const myr_learner *l, myr_learn_progress *out) {
    if (out) *out = l ? (myr_learn_progress){l->iterations, l->gradient_steps, l->rate} : (myr_learn_progress){0};
}

/* What a training counts to and has room to go on: iterations, whose samples must be a number too, and steps. */
#define MOST_STEPS ((int64_t)1 << 40)
static int64_t most_iterations(const myr_learner *l) {
    const int64_t most = ((int64_t)1 << 62) / (l->options.envs * l->options.steps);
    return most < MOST_STEPS ? most : MOST_STEPS;
}

/* beta^t by the products that a training without a pause has. They end in the smallest numbers there are, where a factor changes nothing
 * more: after 8e5 steps the count does not matter. */
static void resume_powers(myr_learner *l) {
    double mean = 1, square = 1;
    for (int64_t k = 0; k < l->gradient_steps; k++) {
        const double next_mean = mean * MYR_ADAM_MEAN, next_square = square * MYR_ADAM_SQUARE;
        if (next_mean >= mean && next_square >= square) break;
        mean = next_mean, square = next_square;
    }
    l->mean_power = mean, l->square_power = square;
}

myr_status myr_learner_resume(myr_learner *l, const myr_learn_progress *p) {
    MYR_OWN_ARITHMETIC;
    if (!l || !p) return myr_fail(MYR_E_ARG, "myr_learner_resume: learner or progress is NULL");
    const int64_t most = most_iterations(l);
    if (p->iterations < 0 || p->iterations > most)
        return myr_fail(MYR_E_ARG, "myr_learner_resume: iterations is %lld, but must be 0 to %lld with %lld samples in each",
                        (long long)p->iterations, (long long)most, (long long)(l->options.envs * l->options.steps));
    if (p->gradient_steps < 0 || p->gradient_steps > MOST_STEPS)
        return myr_fail(MYR_E_ARG, "myr_learner_resume: gradient_steps is %lld, but must be 0 to %lld", (long long)p->gradient_steps,
                        (long long)MOST_STEPS);
    if (!(p->rate > 0 && p->rate <= 1))
        return myr_fail(MYR_E_ARG, "myr_learner_resume: rate is %g, but must be above 0 and at most 1", p->rate);
    l->iterations = p->iterations, l->gradient_steps = p->gradient_steps, l->rate = p->rate;
    l->step = l->asked = l->collected = l->sees = 0;
    resume_powers(l);
    return MYR_OK;
}
