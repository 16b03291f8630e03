/* Convex contact problems out of a seed that are hard for a method of first order: G = J M^-1 J' of low rank, bodies on many redundant
 * contacts, masses far apart, friction from none to 10, grips, wedges and normals that are nearly parallel.
 *
 * Every one has an optimal velocity: c = J v + s, s in the dual cones, so that s is a velocity that impulses can bring about. What is not
 * sure is that finite impulses bring the optimum about: where no v lifts all contacts off at once (Slater's condition) they may grow
 * without bound as the residual goes to zero. `slater` says which problems have such a v by their making; the others may. */
#ifndef MYR_TESTS_SUPPORT_CONVEX_PROBLEM_H
#define MYR_TESTS_SUPPORT_CONVEX_PROBLEM_H

#include "myriapod/contact.h"
#include "random_model.h"

typedef enum convex_family {
    CONVEX_LOW_RANK, /* J of random numbers, of rank 1 to 3 nc - 1 */
    CONVEX_CROWD,    /* one body on many contacts with one normal, and a few others */
    CONVEX_STACK,    /* boxes on each other, masses up to 1e6 apart, at rest or sliding */
    CONVEX_HAND,     /* fingers of their own mass around an object; some stand still */
    CONVEX_PARALLEL, /* normals 1e-6 to 1e-1 apart */
    CONVEX_LEGS,     /* a body on legs that move in a plane */
    CONVEX_WEDGE,    /* a body between walls, friction up to 10 */
    CONVEX_SCALES,   /* as LOW_RANK, mobilities of contacts up to 1e6 apart */
    CONVEX_FAMILIES
} convex_family;
extern const char *const convex_families[CONVEX_FAMILIES];

enum { CONVEX_CONTACTS = 16, CONVEX_ROWS = 3 * CONVEX_CONTACTS };

typedef struct convex_problem {
    double G[CONVEX_ROWS * CONVEX_ROWS], c[CONVEX_ROWS], mu[CONVEX_CONTACTS], impulse[CONVEX_ROWS], velocity[CONVEX_ROWS];
    int contacts, rank; /* rank: columns of J, at least that of G */
    int slater;
} convex_problem;

void convex_problem_new(convex_problem *p, convex_family family, uint64_t seed);
myr_contact_problem convex_problem_of(const convex_problem *p);

/* How far p->impulse is from the convex law, found from G and c alone in long double, impulses in units of the largest (at least of what
 * stops max|c|), velocities of max|c|: the largest distance from the cone and from the dual cone, and |l.w| over the larger of |l|, |w|. */
double convex_problem_distance(const convex_problem *p);

#endif
