/* What instructions of programs cost: ns per instruction and register of lanes, in a program of 400 of one kind on 12 rows each; and ns per
 * robot.
 *
 *   program_cost [envs=4096] [rounds=8] [isa=auto] */

#include "clock.h"
#include "must.h"

enum { ROWS = 12, LINES = 400 };

static char text[64 * LINES];

static myr_program *make(const char *op, int args, int fold) {
    size_t used = (size_t)snprintf(text, sizeof text, "myriapod_program 1\ninput a %d\ninput b %d\nr0 = add a b\n", ROWS, ROWS);
    myr_program *p;
    for (int k = 1; k <= LINES; k++) /* each of the one before, so that none is equal to another */
        used += (size_t)snprintf(text + used, sizeof text - used, fold ? "s%d = %s r%d%s\nr%d = add a s%d\n" : "r%d = %s r%d%s\n", k, op,
                                 k - 1, args > 1 ? " b" : "", k, k);
    snprintf(text + used, sizeof text - used, "output o r%d\n", LINES);
    must(myr_program_read(text, strlen(text), op, &p));
    return p;
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        int args, fold;
    } ops[] = {{"add", 2, 0}, {"mul", 2, 0},   {"div", 2, 0},  {"max", 2, 0}, {"gt", 2, 0}, {"exp", 1, 0},
               {"sin", 1, 0}, {"atan2", 2, 0}, {"tanh", 1, 0}, {"sum", 1, 1}, {"dot", 2, 1}};
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
        myr_program *p = make(ops[i].name, ops[i].args, ops[i].fold);
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
