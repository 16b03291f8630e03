/* Bare contact problems of one tile, as solvers get them without a robot (problems/solve.c). */
#ifndef MYR_KERNELS_PROBLEM_TILE_H
#define MYR_KERNELS_PROBLEM_TILE_H

/* One tile of bare problems, all with room for n contacts and k scalar rows, behind the 3n numbers of the contacts: rows of W scalars. */
typedef struct myr_problem_tile {
    int contacts, rows;                                  /* n, k: the largest of the tile */
    void *G;                                             /* (3n + k)^2 rows, row-major */
    void *c, *mu;                                        /* 3n + k, n rows */
    void *stairs;                                        /* 3k rows: f, lo, hi of each scalar row */
    void *active;                                        /* n + k rows: 1.0 or 0.0 */
    void *patch;                                         /* n rows: contacts of one patch have the same number; NULL: each is by itself */
    void *impulse;                                       /* 3n + k rows: start in, answer out */
    void *R;                                             /* 3n + k rows: compliance, the diagonal of R; NULL: none */
    void *velocity;                                      /* 3n + k rows out: G impulse + c */
    void *residual, *residual_ncp, *iterations, *status; /* 1 row each, out */
} myr_problem_tile;

#endif
