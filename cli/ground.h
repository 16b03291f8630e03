/* The map that robots of a command stand on: what the setting `terrain` makes, and what it is. */
#ifndef MYRIAPOD_CLI_GROUND_H
#define MYRIAPOD_CLI_GROUND_H

#include <stdio.h>

#include <jansson.h>
#include <myriapod/myriapod.h>

/* The map of the settings, or NULL where that is a plane; the caller frees it. CLI_OK, or a status after saying what is wrong. */
int ground_generate(const myr_settings *settings, myr_terrain **terrain);
/* The model on that map: *on is the caller's; NULL where the settings say a plane. Likewise. */
int ground_put(const myr_model *model, const myr_settings *settings, myr_model **on);

/* "legged-gym, seed 1: 1312 x 2112 samples, ..", in one line without its end. */
void ground_print_line(const myr_terrain *terrain, const myr_settings *settings, FILE *stream);
/* The same over several lines, with the kinds of its patches. */
void ground_print(const myr_terrain *terrain, const myr_settings *settings, FILE *stream);
/* For programs; null: a plane. */
json_t *ground_json(const myr_terrain *terrain);

#endif
