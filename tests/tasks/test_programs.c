/* ctest: lanes
 * Instructions of programs in lanes: each beside a scalar interpreter in doubles, at the edges, on every instruction set; programs of
 * random instructions have the same bits on all of them, in both precisions, however the environments are split. */
#include "support/batch_scene.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/isas.h"
#include "support/program_reference.h"
#include "support/random_model.h"

enum { MOST_ENVS = 37, MOST_ROWS = 64, MOST_INPUTS = 3 };

static const double edges[] = {0,
                               -0.0,
                               1,
                               -1,
                               (double)INFINITY,
                               -(double)INFINITY,
                               NAN,
                               1e-310,
                               -1e-310,
                               1e30,
                               -1e30,
                               4503599627370497.0,
                               0.5,
                               -0.5,
                               2.5,
                               -2.5,
                               1e-9,
                               8388609.0,
                               3e6,
                               -700,
                               700,
                               2,
                               1e5,
                               3.141592653589793};
enum { EDGES = sizeof edges / sizeof *edges };

static myr_program *read_program(const char *text) {
    myr_program *p;
    MUST(myr_program_read(text, strlen(text), "test", &p));
    return p;
}

/* ---- each instruction ------------------------------------------------------------------------------------------------------- */

static double input[MOST_INPUTS][MOST_ENVS * MOST_ROWS], output[MOST_ENVS * MOST_ROWS * 4], wanted[MOST_ROWS * 4];

/* Numbers of ordinary size, between them those of `edges`; of turns unit quaternions. */
static void fill(random_source *source, double *to, int envs, int n, int strange, int turns) {
    for (int i = 0; i < envs; i++) {
        for (int k = 0; k < n; k++)
            to[i * n + k] = strange && random_below(source, 4) == 0 ? edges[random_below(source, EDGES)] : random_uniform(source, -2, 2);
        if (turns) random_quaternion(source, to + i * n);
    }
}

static int agree(double a, double b, double tolerance) {
    if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
    if (a == b) return 1;
    return isfinite(a) && isfinite(b) && fabs(a - b) <= tolerance * fmax(1, fmax(fabs(a), fabs(b)));
}

static void judge(const myr_program *p, const char *isa, int envs, const int rows[MOST_INPUTS], double tolerance) {
    const void *in[MOST_INPUTS] = {input[0], input[1], input[2]};
    void *out[1] = {output};
    const char *name;
    int n;
    myr_program_get_output(p, 0, &name, &n);
    MUST(myr_program_eval(p, isa, 8, envs, in, out, MYR_F64));
    for (int env = 0; env < envs; env++) {
        const double *const of[MOST_INPUTS] = {input[0] + env * rows[0], input[1] + env * rows[1], input[2] + env * rows[2]};
        double *const to[1] = {wanted};
        reference_program(p, of, to);
        for (int k = 0; k < n; k++)
            if (!agree(output[env * n + k], wanted[k], tolerance))
                fail_msg("%s on %s, environment %d, row %d: %.17g, but must be %.17g (of %.17g, %.17g)", name, isa, env, k,
                         output[env * n + k], wanted[k], of[0][rows[0] > 1 ? k % rows[0] : 0], of[1][rows[1] > 1 ? k % rows[1] : 0]);
    }
}

static myr_program *program_of(myr_op op, int n, int rows[MOST_INPUTS]) {
    static const char *const more[] = {[MYR_RULE_SLICE] = " 1 2", [MYR_RULE_GATHER] = " 2 0 0", [MYR_RULE_REPEAT] = " 3"};
    const myr_op_kind *kind = &myr_op_kinds[op];
    const int args = kind->args < 0 ? 3 : kind->args;
    char text[600], words[80] = "";
    for (int k = 0; k < MOST_INPUTS; k++) {
        rows[k] = kind->rule == MYR_RULE_SIZED ? (k ? kind->second : kind->first) : k == 1 && n % 2 == 0 ? 1 : n; /* one row with many */
        if (rows[k] < 1) rows[k] = 1;
        if (k < args && !myr_op_reads_numbers(op)) snprintf(words + strlen(words), sizeof words - strlen(words), " %c", 'a' + k);
    }
    if (op == MYR_OP_MATVEC) snprintf(words, sizeof words, " matrix a");
    if (op == MYR_OP_ROW) snprintf(words, sizeof words, " matrix a 2");
    if (op == MYR_OP_SEARCH) snprintf(words, sizeof words, " list a");
    if (kind->rule == MYR_RULE_SLICE || kind->rule == MYR_RULE_GATHER) rows[0] = n < 3 ? 3 : n;
    if (op == MYR_OP_MATVEC) rows[0] = 3;
    if (op == MYR_OP_ROW) rows[0] = 1;
    snprintf(text, sizeof text,
             "myriapod_program 1\ninput a %d\ninput b %d\ninput c %d\nconstant matrix 1 2.5 -3 0 5 0 0 0 0 0.25 0 6\nconstant list -2 -0.5 "
             "-0.5 0 0.25 "
             "1e9\nr = %s%s%s\noutput %s r\n",
             rows[0], rows[1], rows[2], kind->name, words,
             kind->rule < sizeof more / sizeof *more && more[kind->rule] ? more[kind->rule] : "", kind->name);
    return read_program(text);
}

/* What is not of ordinary size has no bound in common where products are summed, or a function has few digits of a large angle. */
static int takes_strange(myr_op op) {
    const myr_rule rule = myr_op_kinds[op].rule;
    return rule != MYR_RULE_SIZED && rule != MYR_RULE_MATVEC && op != MYR_OP_SUM && op != MYR_OP_DOT && op != MYR_OP_NORM &&
           op != MYR_OP_WRAP && op != MYR_OP_TAN;
}

static void each_instruction_beside_the_reference(void **state) {
    (void)state;
    static const int sizes[] = {1, 2, 7, 64}, counts[] = {1, 3, 4, 5, 7, 8, 9, 15, 16, 17, MOST_ENVS};
    for (int op = MYR_OP_CONSTANT + 1; op < MYR_OP_COPY; op++)
        for (int s = 0; s < 4; s++) {
            int rows[MOST_INPUTS];
            myr_program *p = program_of((myr_op)op, sizes[s], rows);
            const int turns = op >= MYR_OP_QUAT_MUL && op <= MYR_OP_QUAT_DIFF, strange = takes_strange((myr_op)op);
            random_source source = {(uint64_t)(100 * op + s + 1)};
            for (int k = 0; k < MOST_INPUTS; k++) fill(&source, input[k], MOST_ENVS, rows[k], strange, turns && rows[k] == 4);
            for (int i = 0; isa_at(i); i++)
                for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) judge(p, isa_at(i), counts[c], rows, 4e-15);
            myr_program_free(p);
        }
}

/* ---- programs of random instructions ---------------------------------------------------------------------------------------- */

typedef struct writer {
    random_source source;
    char text[40000];
    size_t used;
    int n, rows[400]; /* registers r0 .. */
} writer;

static void put(writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(writer *w, const char *format, ...) {
    va_list list;
    va_start(list, format);
    w->used += (size_t)vsnprintf(w->text + w->used, sizeof w->text - w->used, format, list);
    va_end(list);
}

/* A register of so many rows; -1: there is none. rows 0: any. */
static int pick(writer *w, int rows) {
    for (int tries = 0; tries < 40; tries++) {
        const int k = random_below(&w->source, w->n);
        if (!rows || w->rows[k] == rows) return k;
    }
    return -1;
}

static void put_line(writer *w) {
    const myr_op op = (myr_op)(MYR_OP_CONSTANT + 1 + random_below(&w->source, MYR_OP_COPY - MYR_OP_CONSTANT - 1));
    const myr_op_kind *kind = &myr_op_kinds[op];
    int args[3] = {0}, n = kind->args < 0 ? 2 : kind->args, rows = 1;
    if (op == MYR_OP_MATVEC) return;
    if (myr_op_reads_numbers(op)) { /* of a table that all have */
        const int at = pick(w, op == MYR_OP_ROW ? 1 : 0);
        if (at < 0) return;
        put(w, op == MYR_OP_ROW ? "r%d = row table r%d 4\n" : "r%d = search list r%d\n", w->n, at);
        w->rows[w->n++] = op == MYR_OP_ROW ? 4 : w->rows[at];
        return;
    }
    for (int k = 0; k < n; k++) {
        const int need = kind->rule == MYR_RULE_SIZED              ? (k ? kind->second : kind->first)
                         : kind->rule <= MYR_RULE_FOLD && rows > 1 ? rows
                                                                   : 0;
        args[k] = pick(w, kind->rule <= MYR_RULE_FOLD && rows > 1 && random_below(&w->source, 3) == 0 ? 1 : need);
        if (args[k] < 0) return;
        if (w->rows[args[k]] > 1 && kind->rule <= MYR_RULE_FOLD) rows = w->rows[args[k]];
    }
    const int first = w->rows[args[0]];
    int result = kind->rule == MYR_RULE_EACH ? rows : kind->rule == MYR_RULE_FOLD ? 1 : kind->result;
    put(w, "r%d = %s", w->n, kind->name);
    for (int k = 0; k < n; k++) put(w, " r%d", args[k]);
    if (kind->rule == MYR_RULE_SLICE) {
        const int from = random_below(&w->source, first);
        put(w, " %d %d", from, result = 1 + random_below(&w->source, first - from));
    } else if (kind->rule == MYR_RULE_GATHER) {
        result = 1 + random_below(&w->source, 5);
        for (int k = 0; k < result; k++) put(w, " %d", random_below(&w->source, first));
    } else if (kind->rule == MYR_RULE_REPEAT) {
        put(w, " %d", 2);
        result = 2 * first;
    } else if (kind->rule == MYR_RULE_CONCAT)
        result = first + w->rows[args[1]];
    put(w, "\n");
    if (result > 64) { /* as if it had not been written */
        while (w->used > 0 && w->text[w->used - 2] != '\n') w->used--;
        w->used--;
        return;
    }
    w->rows[w->n++] = result;
}

static myr_program *random_program(uint64_t seed, writer *w) {
    static const int sizes[] = {1, 4, 7};
    memset(w, 0, sizeof *w);
    w->source.state = seed;
    put(w, "myriapod_program 1\nconstant table 1 2.5 -3 0.25 5 6 -7 0.5\nconstant list -2 -0.5 -0.5 0 0.25 1e9\n");
    for (int k = 0; k < MOST_INPUTS; k++) {
        put(w, "input r%d %d\n", k, sizes[k]);
        w->rows[w->n++] = sizes[k];
    }
    put(w, "constant r%d 0.5 -1.25 2\n", w->n);
    w->rows[w->n++] = 3;
    const int lines = 1 + random_below(&w->source, 340);
    for (int k = 0; k < lines; k++) put_line(w);
    for (int o = 0; o < 3; o++) put(w, "output o%d r%d\n", o, w->n - 1 - (o < w->n ? o : 0));
    return read_program(w->text);
}

static float f32_in[MOST_INPUTS][MOST_ENVS * 8];
static unsigned char seen[2][3][MOST_ENVS * 64 * 8];

static void run_in_parts(const myr_program *p, const char *isa, int precision, int parts, unsigned char to[3][MOST_ENVS * 64 * 8]) {
    static const int sizes[] = {1, 4, 7};
    const size_t each = precision == 4 ? sizeof(float) : sizeof(double);
    memset(to, 0, 3 * sizeof *to);
    for (int part = 0; part < parts; part++) {
        const int first = MOST_ENVS * part / parts, end = MOST_ENVS * (part + 1) / parts;
        const void *in[MOST_INPUTS];
        void *out[3];
        for (int k = 0; k < MOST_INPUTS; k++)
            in[k] = precision == 4 ? (const void *)(f32_in[k] + first * sizes[k]) : (const void *)(input[k] + first * sizes[k]);
        for (int o = 0; o < 3; o++) {
            int n;
            myr_program_get_output(p, o, NULL, &n);
            out[o] = to[o] + (size_t)(first * n) * each;
        }
        MUST(myr_program_eval(p, isa, precision, end - first, in, out, precision == 4 ? MYR_F32 : MYR_F64));
    }
}

/* A NaN is one, whatever its bits: which of two goes on is not the same in each instruction set. */
static void one_nan(unsigned char of[3][MOST_ENVS * 64 * 8], int precision) {
    for (int o = 0; o < 3; o++)
        for (size_t k = 0; k < MOST_ENVS * 64; k++) {
            float *f = (float *)(void *)of[o] + k;
            double *d = (double *)(void *)of[o] + k;
            if (precision == 4 && isnan(*f)) *f = NAN;
            if (precision == 8 && isnan(*d)) *d = NAN;
        }
}

static void random_programs_have_the_same_bits_everywhere(void **state) {
    (void)state;
    static const int sizes[] = {1, 4, 7};
    static writer w;
    const char *many = getenv("MYRIAPOD_PROGRAMS");
    const int programs = many ? atoi(many) : 2000;
    int instructions = 0;
    for (int i = 0; i < programs; i++) {
        myr_program *p = random_program((uint64_t)i + 1, &w);
        random_source source = {(uint64_t)i + 77};
        myr_program_info info;
        myr_program_get_info(p, &info);
        instructions += info.instructions;
        for (int k = 0; k < MOST_INPUTS; k++) {
            fill(&source, input[k], MOST_ENVS, sizes[k], i % 2, 0);
            for (int j = 0; j < MOST_ENVS * sizes[k]; j++) f32_in[k][j] = (float)input[k][j];
        }
        for (int precision = 4; precision <= 8; precision += 4) {
            run_in_parts(p, isa_at(0), precision, 1, seen[0]);
            one_nan(seen[0], precision);
            for (int k = 0; isa_at(k); k++)
                for (int parts = 1; parts <= 3; parts += 2) {
                    run_in_parts(p, isa_at(k), precision, parts, seen[1]);
                    one_nan(seen[1], precision);
                    if (memcmp(seen[0], seen[1], sizeof seen[0]) != 0)
                        fail_msg("program %d in %d bytes differs on %s in %d parts:\n%s", i, precision, isa_at(k), parts, w.text);
                }
        }
        myr_program_free(p);
    }
    if (instructions <= 20 * programs) fail_msg("%lld instructions in %d programs", (long long)instructions, programs);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_instruction_beside_the_reference),
        cmocka_unit_test(random_programs_have_the_same_bits_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
