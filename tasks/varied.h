/* Which parameters the settings vary-* vary. */
#ifndef MYR_TASKS_VARIED_H
#define MYR_TASKS_VARIED_H

#include "myriapod/settings.h"

/* Does a range of factors vary anything? */
static inline int varies(double low, double high) { return low != 1 || high != 1; }
static inline int varies_base(const myr_settings *s) { return s->vary_mass > 0 || s->vary_com > 0; }
static inline int varies_links(const myr_settings *s) { return s->vary_links > 0 || s->vary_inertia > 0; }
static inline int varies_armature(const myr_settings *s) { return varies(s->vary_armature_low, s->vary_armature_high); }
static inline int varies_damping(const myr_settings *s) { return varies(s->vary_damping_low, s->vary_damping_high); }
static inline int varies_joints(const myr_settings *s) { return varies_armature(s) || varies_damping(s); }

/* What draw_parameters draws, a bit each. */
enum {
    MYR_DRAWN_FRICTION = 1,
    MYR_DRAWN_BASE = 2,
    MYR_DRAWN_LINKS = 4,
    MYR_DRAWN_GAINS = 8,
    MYR_DRAWN_STRENGTH = 16,
    MYR_DRAWN_DELAY = 32,
    MYR_DRAWN_ENCODER = 64,
    MYR_DRAWN_ARMATURE = 128,
    MYR_DRAWN_DAMPING = 256,
    MYR_DRAWN_DRY_FRICTION = 512,
    MYR_DRAWN_GROUP_FRICTION = 1024
};

static inline unsigned myr_drawn_parameters(const myr_settings *s) {
    return (varies(s->vary_friction_low, s->vary_friction_high) ? MYR_DRAWN_FRICTION : 0u) | (varies_base(s) ? MYR_DRAWN_BASE : 0u) |
           (varies_links(s) ? MYR_DRAWN_LINKS : 0u) | (s->vary_gains > 0 ? MYR_DRAWN_GAINS : 0u) |
           (s->vary_strength > 0 ? MYR_DRAWN_STRENGTH : 0u) | (s->vary_delay > 0 ? MYR_DRAWN_DELAY : 0u) |
           (s->vary_encoder > 0 ? MYR_DRAWN_ENCODER : 0u) | (varies_armature(s) ? MYR_DRAWN_ARMATURE : 0u) |
           (varies_damping(s) ? MYR_DRAWN_DAMPING : 0u) |
           (varies(s->vary_dry_friction_low, s->vary_dry_friction_high) ? MYR_DRAWN_DRY_FRICTION : 0u) |
           (varies(s->vary_group_friction_low, s->vary_group_friction_high) ? MYR_DRAWN_GROUP_FRICTION : 0u);
}

#endif
