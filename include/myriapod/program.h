/* Programs: arithmetic over named arrays, written as text, checked once and run in lanes; docs/programs.md. */
#ifndef MYRIAPOD_PROGRAM_H
#define MYRIAPOD_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "batch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Immutable. Any number of threads may use one. */
typedef struct myr_program myr_program;

enum {
    MYR_PROGRAM_TEXT = 16 << 20,     /* bytes of a text at most */
    MYR_PROGRAM_INSTRUCTIONS = 4096, /* instructions at most, once equal and unused ones are gone */
    MYR_PROGRAM_ROWS = 8192,         /* rows at once at most, and of one register */
    MYR_PROGRAM_LINES = 65536        /* lines that give a value, at most */
};

/* Read a program. label: the file in messages, NULL: `program`. MYR_E_FORMAT names label, line and what is wrong; MYR_E_LIMIT what is too
 * large. The program is the caller's until myr_program_free. */
MYR_API myr_status myr_program_read(const char *text, size_t length, const char *label, myr_program **out);
/* NULL is accepted. */
MYR_API void myr_program_free(myr_program *program);

typedef struct myr_program_info {
    const char *name; /* "": it has none */
    int inputs, outputs;
    int instructions, rows; /* that a run executes, and that it works in */
    uint64_t hash;          /* of what it computes: names of registers and spaces do not count */
} myr_program_info;
/* What it is; zeros for NULL. */
MYR_API void myr_program_get_info(const myr_program *program, myr_program_info *info);

/* Name and rows of input 0, 1, ..; *name NULL past the last. The name is the program's. */
MYR_API void myr_program_get_input(const myr_program *program, int input, const char **name, int *rows);
/* Likewise of an output. */
MYR_API void myr_program_get_output(const myr_program *program, int output, const char **name, int *rows);

/* The program as a text that reads as the same program, in memory that is the caller's, for myr_program_free_text; NULL: there is no
 * memory. */
MYR_API char *myr_program_text(const myr_program *program);
/* NULL is accepted. */
MYR_API void myr_program_free_text(char *text);

/* Run it for n environments on arrays: inputs[i] (n, rows of input i), outputs[i] (n, rows of output i), of `type` MYR_F32 or MYR_F64. isa:
 * an instruction set, NULL: the best one here. precision: 4 or 8, bytes of the numbers that it computes with. The same bits on every
 * instruction set, whatever n. It runs in the caller's thread. */
MYR_API myr_status myr_program_eval(const myr_program *program, const char *isa, int precision, int64_t n, const void *const *inputs,
                                    void *const *outputs, myr_type type);

/* Name of instruction 0, 1, ..; NULL past the last. */
MYR_API const char *myr_program_op_name(int op);
/* What it gives. */
MYR_API const char *myr_program_op_doc(int op);

#ifdef __cplusplus
}
#endif
#endif
