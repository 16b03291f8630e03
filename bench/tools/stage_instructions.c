/* How many instructions each stage of the step takes, exactly: what docs/step.md shows.
 *
 *   stage_instructions MODEL [warmup=500] [steps=64] [ground=off] [KEY=VALUE ...]      any setting, such as task=trot solver=pgs isa=avx2
 *
 * A child makes a batch of one tile and steps it; the parent lets it go on instruction by instruction (ptrace) and counts those between two
 * readings of the time stamp counter, which the step makes around its stages when it samples. Prints the mean over the sampled steps of all
 * parts, per stage: instructions for a tile (16 robots in float, 8 in double) and step. Counts do not depend on what else the machine does.
 */
#include <signal.h>
#include <stddef.h>
#include <sys/auxv.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "must.h"

enum { READINGS = MYR_STAGE_COUNT + 1 }; /* of the counter: before the first stage, and behind each */

static void touch_nothing(const myr_model *model, myr_batch *batch) {
    myr_model_info info;
    myr_model_get_info(model, &info);
    uint8_t *none = allocate((size_t)info.n_geoms);
    must(myr_batch_set_collision(batch, none));
    free(none);
}

/* The child: all that is before the first stop is not counted. */
static void step_batch(const char *name, const myr_settings *settings, int ground, int64_t warmup, int64_t steps) {
    myr_model *model = NULL;
    myr_batch *batch = NULL;
    const int64_t lanes = strcmp(settings->precision, "f64") == 0 ? 8 : 16;
    must(myr_model_load(name, wanted_root(settings), &model));
    must(myr_batch_create(model, lanes, settings, &batch));
    if (!ground) touch_nothing(model, batch);
    must(myr_batch_step(batch, warmup));
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0 || raise(SIGSTOP) != 0) {
        perror("stage_instructions: ptrace");
        exit(1);
    }
    must(myr_batch_step(batch, steps));
    _exit(0);
}

static long next_instruction(pid_t child) {
    int status;
    if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) != 0 || waitpid(child, &status, 0) != child) return -1;
    if (!WIFSTOPPED(status)) return 0;
    struct user_regs_struct registers;
    return ptrace(PTRACE_GETREGS, child, NULL, &registers) == 0 ? (long)registers.rip : -1;
}

/* Who reads the counter: machine/ has one function for it, whose first instruction that is, so that the address to return to lies on top of
 * the stack. */
static long caller(pid_t child) {
    const long top = ptrace(PTRACE_PEEKUSER, child, offsetof(struct user, regs.rsp), NULL);
    return ptrace(PTRACE_PEEKDATA, child, top, NULL);
}

/* One reading of the counter: where, and instructions since the one before. */
typedef struct reading {
    long at;
    double since;
} reading;

static size_t all_readings(pid_t child, reading *log, size_t most) {
    enum { RDTSC = 0x310f, SHARED_CODE = 1 << 16 };       /* bytes of code that the kernel maps into every process, at most */
    const long kernel = (long)getauxval(AT_SYSINFO_EHDR); /* its clock reads the counter too */
    size_t n = 0;
    long at, since = 0;
    while ((at = next_instruction(child)) > 0) {
        since++;
        if ((ptrace(PTRACE_PEEKTEXT, child, at, NULL) & 0xffff) != RDTSC || (at >= kernel && at < kernel + SHARED_CODE)) continue;
        if (n < most) log[n++] = (reading){caller(child), (double)since};
        since = 0;
    }
    return n;
}

/* The step's readings are those made more than once; the call's own come but once. Returns the sampled steps. */
static int count(const reading *log, size_t n, double sum[MYR_STAGE_COUNT]) {
    long places[READINGS];
    int known = 0, samples = 0, next = 0;
    double step[MYR_STAGE_COUNT];
    for (size_t i = 0; i < n && known < READINGS; i++) {
        size_t times = 0;
        int seen = 0;
        for (size_t k = 0; k < n; k++) times += log[k].at == log[i].at;
        for (int k = 0; k < known; k++) seen |= places[k] == log[i].at;
        if (times > 1 && !seen) places[known++] = log[i].at;
    }
    for (size_t i = 0; i < n && known == READINGS; i++) {
        next = log[i].at == places[next] ? next + 1 : log[i].at == places[0];
        if (next > 1) step[next - 2] = log[i].since;
        if (next < READINGS) continue;
        for (int k = 0; k < MYR_STAGE_COUNT; k++) sum[k] += step[k];
        samples++, next = 0;
    }
    return samples;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fputs("usage: stage_instructions MODEL [warmup=500] [steps=64] [ground=off] [KEY=VALUE ...]\n", stderr);
        return 2;
    }
    int64_t warmup = 500, steps = 64;
    int ground = 1;
    myr_settings settings = myr_settings_default();
    must(myr_settings_set(&settings, "threads", "1"));
    for (int i = 2; i < argc; i++) {
        const char *value = cut_word(argv[i]);
        if (strcmp(argv[i], "warmup") == 0)
            warmup = strtoll(value, NULL, 10);
        else if (strcmp(argv[i], "steps") == 0)
            steps = strtoll(value, NULL, 10);
        else if (strcmp(argv[i], "ground") == 0)
            ground = strcmp(value, "off") != 0;
        else
            must(myr_settings_set(&settings, argv[i], value));
    }
    const pid_t child = fork();
    if (child == 0) step_batch(argv[1], &settings, ground, warmup, steps);
    int status;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) {
        fputs("stage_instructions: the batch could not be made, or may not be traced\n", stderr);
        return 1;
    }
    double sum[MYR_STAGE_COUNT] = {0}, all = 0;
    static reading log[1 << 16];
    const int samples = count(log, all_readings(child, log, sizeof log / sizeof *log), sum);
    if (samples == 0) {
        fputs("stage_instructions: fewer than two steps were sampled; ask for more steps\n", stderr);
        return 1;
    }
    for (int i = 0; i < MYR_STAGE_COUNT; i++) all += sum[i] / samples;
    printf("%-12s %12s %7s\n", "stage", "instructions", "share");
    for (int i = 0; i < MYR_STAGE_COUNT; i++)
        printf("%-12s %12.0f %6.1f %%\n", myr_stage_name(i), sum[i] / samples, 100 * sum[i] / samples / all);
    printf("%-12s %12.0f         mean of %d sampled steps of a part\n", "all", all, samples);
    return 0;
}
