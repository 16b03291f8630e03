/* The level after an episode (Rudin 2022, legged_gym): up from a patch that was walked off, down from one where little was walked. */
#ifndef MYR_TERRAIN_CURRICULUM_H
#define MYR_TERRAIN_CURRICULUM_H

/* walked: distance between the origin and where the episode ended, in the plane; commanded: length of the commanded velocity in the plane;
 * size: of a patch; draw: in [0, 1). More than half a patch goes up, past the last level to a random one; else less than half of what was
 * commanded goes down, to 0 at least. Units: m, m/s, s. */
static inline int myr_terrain_next_level(int level, int levels, double size, double walked, double commanded, double episode, double draw) {
    const int up = walked > size / 2, down = !up && walked < 0.5 * commanded * episode;
    const int next = level + up - down;
    return next < 0 ? 0 : next < levels ? next : (int)(draw * levels);
}

#endif
