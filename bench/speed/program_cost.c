/* What instructions of programs cost: ns per instruction and register of lanes, in a program of 400 of one kind on 12 rows each; and ns per
 * robot. sum, dot, row, search: each with an add behind it. A table has 1000 frames of 12 numbers, a list 1000.
 *
 *   program_cost [envs=4096] [rounds=8] [isa=auto] */

#include "../tools/clock.h"
#include "../tools/must.h"

enum { ROWS = 12, LINES = 400, FRAMES = 1000 };

static char text[64 * LINES + 16 * ROWS * FRAMES];

/* Each line of the one before, r(k - 1), so that none is equal to another. */
static myr_program *make(const char *op, const char *line) {
    size_t used =
        (size_t)snprintf(text, sizeof text, "myriapod_program 1\ninput a %d\ninput b %d\nr0 = add a b\nconstant table", ROWS, ROWS);
    myr_program *p;
    for (int k = 0; k < ROWS * FRAMES; k++) used += (size_t)snprintf(text + used, sizeof text - used, " %d", (int)(k * 7919LL % FRAMES));
    used += (size_t)snprintf(text + used, sizeof text - used, "\nconstant list");
    for (int k = 0; k < FRAMES; k++) used += (size_t)snprintf(text + used, sizeof text - used, " %d", k);
    used += (size_t)snprintf(text + used, sizeof text - used, "\n");
    for (int k = 1; k <= LINES; k++) used += (size_t)snprintf(text + used, sizeof text - used, line, k - 1, k);
    snprintf(text + used, sizeof text - used, "output o r%d\n", LINES);
    must(myr_program_read(text, strlen(text), op, &p));
    return p;
}

int main(int argc, char **argv) {
    static const struct {
        const char *name, *line;
    } ops[] = {{"add", "r%2$d = add r%1$d b\n"},
               {"mul", "r%2$d = mul r%1$d b\n"},
               {"div", "r%2$d = div r%1$d b\n"},
               {"max", "r%2$d = max r%1$d b\n"},
               {"gt", "r%2$d = gt r%1$d b\n"},
               {"exp", "r%2$d = exp r%1$d\n"},
               {"sin", "r%2$d = sin r%1$d\n"},
               {"atan2", "r%2$d = atan2 r%1$d b\n"},
               {"tanh", "r%2$d = tanh r%1$d\n"},
               {"sum", "s%2$d = sum r%1$d\nr%2$d = add a s%2$d\n"},
               {"dot", "s%2$d = dot r%1$d b\nr%2$d = add a s%2$d\n"},
               {"row", "i%2$d = slice r%1$d 0 1\ns%2$d = row table i%2$d 12\nr%2$d = add a s%2$d\n"},
               {"search", "s%2$d = search list r%1$d\nr%2$d = add a s%2$d\n"}};
    int envs = 4096, rounds = 8;
    const char *isa = "auto";
    for (int k = 1; k < argc; k++) {
        if (!strncmp(argv[k], "envs=", 5)) envs = atoi(argv[k] + 5);
        if (!strncmp(argv[k], "rounds=", 7)) rounds = atoi(argv[k] + 7);
        if (!strncmp(argv[k], "isa=", 4)) isa = argv[k] + 4;
    }
    if (envs < 1 || rounds < 1) return fputs("program_cost: envs and rounds must be at least 1\n", stderr), 1;
    float *a = allocate((size_t)(envs * ROWS)), *b = allocate((size_t)(envs * ROWS)), *o = allocate((size_t)(envs * ROWS));
    for (int k = 0; k < envs * ROWS; k++) a[k] = 0.3f + 0.001f * (float)(k % 100), b[k] = 1.01f;
    const void *in[] = {a, b};
    void *out[] = {o};
    printf("programs of %d instructions on %d rows, %d robots, f32, isa %s, one thread\n", LINES, ROWS, envs, isa);
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        myr_program *p = make(ops[i].name, ops[i].line);
        myr_program_info info;
        double best = 1e30;
        myr_program_get_info(p, &info);
        for (int r = 0; r < rounds; r++) {
            const double start = thread_seconds();
            must(myr_program_eval(p, isa, 4, envs, in, out, MYR_F32));
            const double took = thread_seconds() - start;
            if (took < best) best = took;
        }
        printf("%-6s %7.3f ns per instruction and robot, %6.2f per 16 robots, of %d instructions\n", ops[i].name,
               1e9 * best / envs / info.instructions, 16e9 * best / envs / info.instructions, info.instructions);
        myr_program_free(p);
    }
    free(a), free(b), free(o);
    return 0;
}
