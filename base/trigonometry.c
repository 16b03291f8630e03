#include "trigonometry.h"

#include <sleef.h>

void myr_sincos(double angle, double *sine, double *cosine) {
    const Sleef_double_2 both = Sleef_cinz_sincosd1_u10purec(angle);
    *sine = both.x;
    *cosine = both.y;
}

double myr_atan2(double y, double x) { return Sleef_cinz_atan2d1_u10purec(y, x); }

double myr_log(double x) { return Sleef_cinz_logd1_u10purec(x); }

double myr_exp(double x) { return Sleef_cinz_expd1_u10purec(x); }

void myr_rotation_from_rpy(double R[9], const double rpy[3]) {
    double sr, cr, sp, cp, sy, cy;
    myr_sincos(rpy[0], &sr, &cr);
    myr_sincos(rpy[1], &sp, &cp);
    myr_sincos(rpy[2], &sy, &cy);
    R[0] = cy * cp, R[1] = cy * sp * sr - sy * cr, R[2] = cy * sp * cr + sy * sr;
    R[3] = sy * cp, R[4] = sy * sp * sr + cy * cr, R[5] = sy * sp * cr - cy * sr;
    R[6] = -sp, R[7] = cp * sr, R[8] = cp * cr;
}

void myr_rotation_from_axis(double R[9], const double axis[3], double angle) {
    double s, c;
    myr_sincos(angle, &s, &c);
    const double x = axis[0], y = axis[1], z = axis[2], t = 1.0 - c;
    R[0] = c + t * x * x, R[1] = t * x * y - s * z, R[2] = t * x * z + s * y;
    R[3] = t * x * y + s * z, R[4] = c + t * y * y, R[5] = t * y * z - s * x;
    R[6] = t * x * z - s * y, R[7] = t * y * z + s * x, R[8] = c + t * z * z;
}
