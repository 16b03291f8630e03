/* <dcmotor>: a motor by its electrical constants. Driven by a voltage u it is a torque K/R u with a damping K^2/R; driven by a controller
 * whose voltage ends at Vmax it is a PD whose torque falls with the speed: K/R Vmax at rest, none left at Vmax/K. What needs states of its
 * own (inductance, heat, bristles, an integral) does not act, and is named. */
#include <math.h>
#include <string.h>

#include "mjcf.h"

enum { KP, KI, KD, SLEW, INTEGRAL, VOLTS };

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
    if (by_nominal && constants[1] == 0.0) constants[1] = nominal[0] / nominal[2];
    d->constant = constants[0] > 0.0 && constants[1] > 0.0 ? sqrt(constants[0] * constants[1]) : fmax(constants[0], constants[1]);
    if (by_nominal && d->resistance == 0.0) d->resistance = d->constant * nominal[0] / nominal[1];
    if (!(d->resistance > 0.0)) return myr_xml_fail(m->xml, e->node, "its resistance is not above 0: `resistance` or `nominal` is missing");
    if (!(d->constant > 0.0))
        return myr_xml_fail(m->xml, e->node, "its motor constant is not above 0: `motorconst` or `nominal` is missing");
    return MYR_OK;
}

myr_status myr_mjcf_read_dcmotor(const myr_mjcf *m, const myr_mjcf_element *e, myr_mjcf_dcmotor *d) {
    double limits[3] = {0.0, 0.0, 0.0};
    int found;
    const char *input = myr_xml_text(e->node, "input");
    myr_status status = read_constants(m, e, d);
    if (!status) status = myr_mjcf_some_numbers(m, e, "saturation", limits, 3, &found);
    if (!status) status = myr_mjcf_some_numbers(m, e, "controller", d->controller, 6, &found);
    if (status) return status;
    if (myr_xml_text(e->node, "saturation")) d->torque = limits[0] > 0.0 ? limits[0] : d->constant * fmax(limits[1], 0.0), d->limited = 1;
    if (input) d->input = input;
    return MYR_OK;
}

/* One control for each actuator: of several inputs none could be told from the others. */
myr_status myr_mjcf_dcmotor_law(const myr_mjcf *m, const myr_mjcf_dcmotor *d, myr_mjcf_actuator *a) {
    const double *c = d->controller, slope = d->constant / d->resistance;
    const int pos = !strcmp(d->input, "pos"), vel = !strcmp(d->input, "vel"), ff = !strcmp(d->input, "ff"),
              volts = !strcmp(d->input, "voltage");
    if (!pos && !vel && !ff && !volts) a->dropped = !strcmp(d->input, "none") ? "it has no input" : "it has several inputs";
    if (volts) {
        if (c[KP] != 0.0 || c[KI] != 0.0 || c[KD] != 0.0)
            return myr_xml_fail(m->xml, a->node, "the gains of its `controller` need an input: pos, vel or ff");
        a->gain = slope, a->bias[0] = a->bias[1] = 0.0, a->bias[2] = -slope * d->constant;
    } else {
        a->gain = pos ? c[KP] : vel ? c[KD] : 1.0, a->bias[0] = 0.0, a->bias[1] = -c[KP], a->bias[2] = -c[KD];
        if (c[VOLTS] > 0.0) a->stall = slope * c[VOLTS], a->speed = c[VOLTS] / d->constant;
        if (c[KI] != 0.0 || c[SLEW] > 0.0) a->lost = "ki and slewmax in the controller of <dcmotor>";
    }
    if (d->limited) a->force_limited = d->torque > 0.0, a->force_range[0] = -d->torque, a->force_range[1] = d->torque;
    return MYR_OK;
}
