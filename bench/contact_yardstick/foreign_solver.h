/* Your own contact solver in C, for the leaderboard of the contact yardstick: a shared library with one function of this type.
 *
 *     cc -O2 -shared -fPIC -o mine.so mine.c -lm
 *     leaderboard.py --solver mine.so:mine
 *
 * Copy this file: it needs nothing else. The problem is w = G impulse + c, with w and impulse as below, under the law
 *
 *     contact   K contains impulse, K* contains w + (0, 0, mu |w_T|), and the two are orthogonal; K = { |impulse_T| <= mu impulse_N }:
 *               Signorini and Coulomb: it opens, sticks, or slides against its friction
 *     row       inside, lo < w < hi: impulse = -f sign(w), and |impulse| <= f where w = 0; at an end, w = lo or hi, impulse at least, or at
 *               most, its value just inside
 *
 * Contacts come first, three numbers each: (x, y, z), z the normal; then scalar rows, limits and dry friction of joints, one number each.
 * The answer is right where its distance from the law is at most `accuracy`: scale-free, impulses in units of
 * max(max |impulse|, max |c| / mobility) and velocities of max |c|, mobility the largest of a contact's mean diagonal of G and a row's
 * (law.py, problem.py). Every call is for another problem; do not count on the order. The function runs in a process of its own with a time
 * limit; it may print, allocate and crash. */
#ifndef MYRIAPOD_FOREIGN_SOLVER_H
#define MYRIAPOD_FOREIGN_SOLVER_H

#ifdef __cplusplus
extern "C" {
#endif

/* contacts, rows: how many; m = 3 contacts + rows.
 * G: (m, m) Delassus matrix, symmetric, row-major [1/kg].      c: (m) free velocity [m/s].      mu: (contacts) friction coefficients.
 * stairs: (rows, 3) f [N s], lo, hi [m/s] of each row; lo may be -INFINITY, hi INFINITY.
 * impulse: (m) the answer [N s]; zero when the function is called.
 *
 * Returns 0: solved to `accuracy`, as far as you know (where the law says otherwise, it counts as wrong); positive: not solved, and
 * `impulse` is the best there is; negative: refused, there is no answer. */
typedef int myr_foreign_solver(int contacts, int rows, const double *G, const double *c, const double *mu, const double *stairs,
                               double accuracy, double *impulse);

#ifdef __cplusplus
}
#endif
#endif
