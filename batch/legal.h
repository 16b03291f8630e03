/* Which numbers a parameter of an environment may be. Parameters change where a call writes them, never in a step: the writer marks the
 * lanes (myr_tile_meta.changed), and the next call that steps judges them once. */
#ifndef MYR_BATCH_LEGAL_H
#define MYR_BATCH_LEGAL_H

#include "kernels/step_job.h"

/* The changed ones of these lanes of the tile are judged: a healthy one with a parameter that is not a legal number is quarantined
 * for it. A caller that steps a tile part by part judges the lanes of the part alone, or a lane would be judged sooner where it has
 * neighbours in another part. */
void myr_judge_parameters(const myr_model *model, const myr_layout *layout, const myr_step_options *options, void *tile,
                          myr_tile_meta *meta, unsigned lanes);

/* Parameters of the lane may have been written. */
static inline void myr_parameters_changed(myr_tile_meta *meta, int64_t lane) { meta->changed |= (uint16_t)(1u << lane); }

#endif
