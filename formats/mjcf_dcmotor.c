/* <dcmotor>: a motor by its electrical constants. Driven by a voltage u it is a torque K/R u with a damping K^2/R; driven by a controller
 * whose voltage ends at Vmax it is a PD whose torque falls with the speed: K/R Vmax at rest, none left at Vmax/K. Without an input it
 * brakes by K^2/R. What needs states of its own (inductance, heat, bristles, an integral) does not act, and is named. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mjcf.h"

enum { KP, KI, KD, SLEW, INTEGRAL, VOLTS };
enum { POS = MYR_MJCF_POS, VEL = MYR_MJCF_VEL, FF = MYR_MJCF_FF, VOLTAGE = MYR_MJCF_VOLTAGE };

/* The inputs that a text names, in their order; -1: it does not. "" is what is not said. */
static int inputs_of(const char *text) {
    static const char *const words[] = {"pos", "vel", "ff", "voltage"};
    char word[16];
    int inputs = 0, used = 0, next = 0;
    if (sscanf(text, " none%n", &used) == 0 && used && text[used + (int)strspn(text + used, " \t\n\r")] == 0) return 0;
    for (; sscanf(text, " %15s%n", word, &used) == 1; text += used) {
        while (next < 4 && strcmp(word, words[next]) != 0) next++;
        if (next == 4) return -1;
        inputs |= 1 << next++;
    }
    return inputs ? inputs : VOLTAGE;
}

/* The constant with which the motor runs at its no-load speed while the actuator's own damping brakes it, as MuJoCo has it. */
static double back_emf(const double nominal[3], double damping, double resistance) {
    const double volts = nominal[0], torque = nominal[1], speed = nominal[2],
                 root = volts * volts - 4.0 * resistance * damping * speed * speed;
    if (resistance > 0.0) return root >= 0.0 ? (volts + sqrt(root)) / (2.0 * speed) : volts / speed;
    return damping * speed < torque ? volts / speed * (1.0 - damping * speed / torque) : volts / speed;
}

static myr_status read_constants(const myr_mjcf *m, const myr_mjcf_element *e, myr_mjcf_dcmotor *d) {
    double constants[2] = {d->constant, 0.0}, nominal[3] = {0.0, 0.0, 0.0};
    int found;
    myr_status status = myr_mjcf_some_numbers(m, e, "motorconst", constants, 2, &found);
    if (!status) status = myr_mjcf_numbers(m, e, "resistance", &d->resistance, 1);
    if (!status) status = myr_mjcf_numbers(m, e, "nominal", nominal, 3);
    if (status) return status;
    const int by_nominal = myr_xml_text(e->node, "nominal") != NULL;
    if (by_nominal && !(nominal[0] > 0.0 && nominal[1] > 0.0 && nominal[2] > 0.0))
        return myr_xml_fail(m->xml, e->node, "`nominal` needs a voltage, a torque and a speed above 0");
    if (constants[0] < 0.0 || constants[1] < 0.0) return myr_xml_fail(m->xml, e->node, "`motorconst` is negative");
    if (by_nominal && constants[1] == 0.0) constants[1] = back_emf(nominal, d->damping, d->resistance);
    d->constant = constants[0] > 0.0 && constants[1] > 0.0 ? sqrt(constants[0] * constants[1]) : fmax(constants[0], constants[1]);
    if (by_nominal && d->resistance == 0.0) d->resistance = d->constant * nominal[0] / nominal[1];
    if (d->resistance > 0.0) return MYR_OK;
    return myr_xml_fail(m->xml, e->node, "its resistance is not above 0: `resistance` or `nominal` is missing");
}

/* Effects with states of their own, each switched on by the first of its numbers, heat by any. */
static myr_status read_lost(const myr_mjcf *m, const myr_mjcf_element *e, myr_mjcf_dcmotor *d) {
    static const struct {
        const char *name;
        int n, switches;
    } effects[MYR_MJCF_DC_EFFECTS] = {{"inductance", 2, 2}, {"thermal", 6, 3}, {"cogging", 3, 1}, {"lugre", 5, 1}};
    for (int k = 0; k < MYR_MJCF_DC_EFFECTS; k++) {
        double numbers[6] = {0.0};
        int found;
        if (!myr_xml_text(e->node, effects[k].name)) continue;
        const myr_status status = myr_mjcf_some_numbers(m, e, effects[k].name, numbers, effects[k].n, &found);
        if (status) return status;
        d->lost[k] = NULL;
        for (int i = 0; i < effects[k].switches; i++)
            if (numbers[i] != 0.0) d->lost[k] = effects[k].name;
    }
    return MYR_OK;
}

myr_status myr_mjcf_read_dcmotor(const myr_mjcf *m, const myr_mjcf_element *e, myr_mjcf_dcmotor *d) {
    double limits[3] = {0.0, 0.0, 0.0};
    int found;
    const char *input = myr_xml_text(e->node, "input");
    myr_status status = read_constants(m, e, d);
    if (!status) status = read_lost(m, e, d);
    if (!status) status = myr_mjcf_some_numbers(m, e, "saturation", limits, 3, &found);
    if (!status) status = myr_mjcf_some_numbers(m, e, "controller", d->controller, 6, &found);
    if (status) return status;
    if (myr_xml_text(e->node, "saturation")) d->torque = limits[0] > 0.0 ? limits[0] : d->constant * fmax(limits[1], 0.0), d->limited = 1;
    if (input) d->inputs = inputs_of(input);
    return d->inputs < 0
               ? myr_xml_fail(m->xml, e->node, "input=\"%.80s\" is neither none nor some of pos, vel, ff and voltage, in this order", input)
               : MYR_OK;
}

static myr_status check(const myr_mjcf *m, const myr_mjcf_dcmotor *d, const myr_mjcf_actuator *a) {
    const double *c = d->controller;
    const int gains = c[KP] != 0.0 || c[KI] != 0.0 || c[KD] != 0.0;
    if (!(d->constant > 0.0) && d->inputs)
        return myr_xml_fail(m->xml, a->node, "its motor constant is not above 0: `motorconst` or `nominal` is missing");
    if (!(d->inputs & (POS | VEL | FF)) && (gains || c[SLEW] > 0.0))
        return myr_xml_fail(m->xml, a->node, "the numbers of its `controller` need an input: pos, vel or ff");
    if (c[KI] != 0.0 && !(d->inputs & POS)) return myr_xml_fail(m->xml, a->node, "ki of its `controller` needs the input pos");
    return MYR_OK;
}

/* What of it does not act, for one warning. */
static void name_lost(const myr_mjcf_dcmotor *d, char lost[120]) {
    const char *words[MYR_MJCF_DC_EFFECTS + 2] = {d->lost[0],
                                                  d->lost[1],
                                                  d->lost[2],
                                                  d->lost[3],
                                                  d->controller[KI] != 0.0 ? "ki" : NULL,
                                                  d->controller[SLEW] > 0.0 ? "slewmax" : NULL};
    size_t used = 0;
    lost[0] = 0;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (words[k]) used += (size_t)snprintf(lost + used, 120 - used, "%s%s", used ? " and " : "", words[k]);
    if (used) snprintf(lost + used, 120 - used, " of <dcmotor>");
}

/* One control for each actuator: of several inputs none could be told from the others. */
myr_status myr_mjcf_dcmotor_law(const myr_mjcf *m, const myr_mjcf_dcmotor *d, myr_mjcf_actuator *a) {
    const double *c = d->controller, slope = d->constant / d->resistance;
    const int pos = d->inputs == POS, vel = d->inputs == VEL, ff = d->inputs == FF, volts = d->inputs == VOLTAGE;
    const myr_status status = check(m, d, a);
    if (status) return status;
    name_lost(d, a->lost);
    a->n_controls = (d->inputs & POS) / POS + (d->inputs & VEL) / VEL + (d->inputs & FF) / FF + (d->inputs & VOLTAGE) / VOLTAGE;
    if (d->limited) a->force_limited = d->torque > 0.0, a->force_range[0] = -d->torque, a->force_range[1] = d->torque;
    if (d->inputs == 0) { /* the brake joins the joint's damping, where nothing limits it */
        a->passive = a->transmission == MYR_MJCF_TO_JOINT && !a->force_limited;
        a->damping += a->passive ? slope * d->constant : 0.0;
        a->dropped = "it has no input";
        return MYR_OK;
    }
    if (!pos && !vel && !ff && !volts) a->dropped = "it has several inputs";
    if (volts) {
        a->gain = slope, a->bias[0] = a->bias[1] = 0.0, a->bias[2] = -slope * d->constant;
        return MYR_OK;
    }
    a->gain = pos ? c[KP] : vel ? c[KD] : 1.0, a->bias[0] = 0.0, a->bias[1] = -c[KP], a->bias[2] = -c[KD];
    if (c[VOLTS] > 0.0) a->stall = slope * c[VOLTS], a->speed = c[VOLTS] / d->constant;
    if (a->speed > 0.0 && a->transmission == MYR_MJCF_TO_SITE && !a->dropped) a->dropped = "a site has no speed";
    return MYR_OK;
}
