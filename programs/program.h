/* What a program is: values, one per line of its text, each of an instruction and of values before it; and the code that lanes run. */
#ifndef MYR_PROGRAMS_PROGRAM_H
#define MYR_PROGRAMS_PROGRAM_H

#include "myriapod/program.h"

typedef enum myr_op {
    MYR_OP_INPUT,
    MYR_OP_CONSTANT,
#define MYR_OP(NAME, name, args, rule, first, second, result, doc) MYR_OP_##NAME,
#include "programs/ops.def"
#undef MYR_OP
    MYR_OP_COPY, /* of code alone: slices, and what is put together */
    /* Of code alone: two instructions in one, rounded as these two. */
    MYR_OP_PRODUCTS,   /* the sum of x y */
    MYR_OP_MUL_ADD,    /* x y + z */
    MYR_OP_MUL_SUB,    /* x y - z */
    MYR_OP_SUB_MUL,    /* z - x y */
    MYR_OP_SUB_SQUARE, /* (x - y)^2 */
    MYR_OPS
} myr_op;

typedef enum {
    MYR_RULE_NONE,
    MYR_RULE_EACH,
    MYR_RULE_FOLD,
    MYR_RULE_SIZED,
    MYR_RULE_SLICE,
    MYR_RULE_GATHER,
    MYR_RULE_CONCAT,
    MYR_RULE_REPEAT,
    MYR_RULE_MATVEC,
    MYR_RULE_ROW,
    MYR_RULE_SEARCH
} myr_rule;

typedef struct myr_op_kind {
    const char *name, *doc;
    int args; /* registers that it takes; -1: any number from 1 */
    myr_rule rule;
    int first, second, result; /* rows, of a rule SIZED */
} myr_op_kind;
extern const myr_op_kind myr_op_kinds[MYR_OPS];
/* Its first register is a constant whose numbers it reads where they are: that one needs no rows for it. */
static inline int myr_op_reads_numbers(myr_op op) {
    return myr_op_kinds[op].rule == MYR_RULE_MATVEC || myr_op_kinds[op].rule == MYR_RULE_ROW || myr_op_kinds[op].rule == MYR_RULE_SEARCH;
}
/* -1: there is none. */
int myr_op_find(const char *name);

typedef struct myr_value {
    myr_op op;
    int n, line;       /* rows; where its text stands */
    int args, n_args;  /* values that it takes: program->lists[args ..] */
    int ints, n_ints;  /* whole numbers: program->lists[ints ..]; of a constant its numbers: program->numbers[ints ..] */
    char *name;        /* NULL: a number within a line */
    int row, last_use; /* of code: its first row, -1: it needs none; the last value that takes it */
    int uses, within;  /* of code: how often it is taken; 1: the one that takes it computes it, too */
    /* Of code, of a constant that is mostly 0: where the numbers of each row of so many columns are that are not: program->lists[places ..]
     * has how many and which columns, row by row. 0: it is taken whole. */
    int places, places_wide;
} myr_value;

typedef struct myr_program_output {
    char *name;
    int value;
} myr_program_output;

/* An instruction of lanes. What has one row and goes with all of another has step 0. */
typedef struct myr_code {
    unsigned short op;
    unsigned short n;      /* rows of the result; of FOLD, of the arguments */
    int to, from[3];       /* rows */
    signed char step[3];   /* 0 or 1 */
    const int *rows;       /* GATHER: rows of the argument; MATVEC: places, NULL: all */
    const double *numbers; /* MATVEC: the matrix; n: its rows. ROW: the table. SEARCH: what is counted */
    int width, height;     /* columns of `numbers`; ROW: rows of the table */
} myr_code;

struct myr_program {
    char *name;
    myr_value *values;
    int n_values, value_capacity;
    int *lists;
    int n_lists, list_capacity;
    double *numbers;
    int n_numbers, number_capacity;
    myr_program_output *outputs;
    int n_outputs, output_capacity;
    myr_code *code;
    int n_code, code_capacity;
    int rows;
    uint64_t hash;
};

/* What inputs are, for texts whose inputs are known by name. */
typedef struct myr_program_source {
    void *context;
    /* *rows: as the text has them, 0: it has none; becomes how many there are. *numbers: of an input that is the same for all environments
     * at all times, else NULL; they need to last until the next call. A status with a message: there is no such input. */
    myr_status (*find)(void *context, const char *label, int line, const char *name, int *rows, const double **numbers);
    /* 0: this output is not asked for, and what it alone needs is not computed. */
    int (*wanted)(void *context, const char *output);
} myr_program_source;
/* read.c: the lines behind the first one of a text, which are lines `line`, .. of `label`. source NULL: each input says its rows. */
myr_status myr_program_read_lines(const char *text, size_t length, const char *label, int line, const myr_program_source *source,
                                  myr_program **out);

/* check.c: rows of the value at the end of the list, by its rule. `label`: of messages. */
myr_status myr_program_size(const myr_program *p, myr_value *v, const char *label);
/* program.c: what a program computes, as a number. */
uint64_t myr_program_hash_of(const myr_program *p);
/* tidy.c: leaves out what no output needs, and takes equal values once. */
myr_status myr_program_tidy(myr_program *p);
/* fold.c: what depends on constants alone becomes a constant, in doubles. */
myr_status myr_program_fold(myr_program *p);
/* code.c: a whole number behind the lists; 0: there is no memory. What points into them is of before. */
int myr_program_add_list(myr_program *p, int number);
/* code.c: instructions of one value that has its rows; 0: there is no memory. */
int myr_program_add_code(myr_program *p, const myr_value *v);
/* code.c: rows for all values, and the instructions. */
myr_status myr_program_compile(myr_program *p, const char *label);

/* A unit of lanes. */
typedef struct myr_program_kernels {
    const char *isa;
    int lanes, precision; /* of a register; bytes of a number */
    /* Constants into their rows; once for a workspace. */
    void (*open)(const myr_program *p, void *rows);
    void (*run)(const myr_program *p, void *rows);
    /* Rows first .. first + n - 1, of lanes 0 .. count - 1, from and to the caller's array (count, n). Other lanes get zeros. */
    void (*load)(void *rows, int first, int n, const void *array, int count, int is_f64);
    void (*store)(const void *rows, int first, int n, void *array, int count, int is_f64);
} myr_program_kernels;
/* NULL: not in this library. */
const myr_program_kernels *myr_program_kernels_get(const char *isa, int precision);

#endif
