/* Which bodies are wheels: turning them changes no inertia, so no Coriolis force comes of it. */
#include <math.h>

#include "base/rotation.h"
#include "model/model.h"

int myr_is_wheel(const myr_model *m, int i) {
    const myr_body *b = &m->bodies[i];
    const double *I = b->inertia, *a = b->axis_user;
    if (b->joint != MYR_JOINT_REVOLUTE) return 0;
    if (i + 1 < m->n_bodies && m->bodies[i + 1].parent == i) return 0; /* children follow their parent */
    /* I = spin a a' + a t' + t a' + S, S across the axis: round when t = 0 and S has two equal moments, which is when its squared
     * norm is half its squared trace */
    const double Ia[3] = {I[0] * a[0] + I[3] * a[1] + I[4] * a[2], I[3] * a[0] + I[1] * a[1] + I[5] * a[2],
                          I[4] * a[0] + I[5] * a[1] + I[2] * a[2]};
    const double spin = myr_dot3(a, Ia), trace = I[0] + I[1] + I[2], along = myr_dot3(a, b->com);
    double tilt2 = 0.0, off2 = 0.0, norm2 = 0.0;
    for (int k = 0; k < 3; k++) {
        tilt2 += (Ia[k] - spin * a[k]) * (Ia[k] - spin * a[k]);
        off2 += (b->com[k] - along * a[k]) * (b->com[k] - along * a[k]);
        norm2 += I[k] * I[k] + 2.0 * I[3 + k] * I[3 + k];
    }
    const double uneven = norm2 - spin * spin - 2.0 * tilt2 - (trace - spin) * (trace - spin) / 2.0;
    return b->mass * off2 <= 1e-6 * trace && tilt2 <= 1e-12 * trace * trace && uneven <= 1e-9 * trace * trace;
}
