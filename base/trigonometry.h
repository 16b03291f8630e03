/* The one wrapper over the one math library at load time: SLEEF's plain C functions, whose bits depend neither on
 * the processor nor on the C library. (The lanes have theirs in kernels/math.lane.h.) Angles in rad, errors <= 1 ulp. */
#ifndef MYR_BASE_TRIGONOMETRY_H
#define MYR_BASE_TRIGONOMETRY_H

void myr_sincos(double angle, double *sine, double *cosine);
double myr_atan2(double y, double x);
double myr_log(double x);
double myr_exp(double x);

/* R = Rz(yaw) Ry(pitch) Rx(roll): URDF's rpy, fixed axes x, y, z. */
void myr_rotation_from_rpy(double R[9], const double rpy[3]);
/* Turn by `angle` about the unit vector `axis`. */
void myr_rotation_from_axis(double R[9], const double axis[3], double angle);

#endif
