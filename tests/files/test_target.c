/* Files that the library writes, and what a process that was killed in the middle of one leaves: a temporary file that names its writer,
 * and that the next save of the same file takes away; never one that a living process writes, or that another machine may write. */
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/target.h"
#include "myriapod/batch.h"
#include "myriapod/recording.h"

static char folder[] = "/tmp/myriapod-target-XXXXXX";
static char saved[128];

static const char *in_folder(const char *name) {
    static char path[4][512];
    static int at;
    at = (at + 1) % 4;
    snprintf(path[at], sizeof path[at], "%s/%s", folder, name);
    return path[at];
}

/* Files in the folder whose name holds `word`; one of them into `name` (nullable). */
static int count(const char *word, char *name) {
    int n = 0;
    DIR *d = opendir(folder);
    for (struct dirent *entry; d && (entry = readdir(d));) {
        if (!strstr(entry->d_name, word)) continue;
        if (name) snprintf(name, 256, "%s", entry->d_name);
        n++;
    }
    if (d) closedir(d);
    return n;
}

static myr_batch *batch_of(int64_t envs) {
    myr_settings settings = myr_settings_default();
    myr_model *model = NULL;
    myr_batch *batch = NULL;
    if (myr_settings_set(&settings, "threads", "1") || myr_model_load("anymal", MYR_ROOT_AUTO, &model) ||
        myr_batch_create(model, envs, &settings, &batch)) {
        fprintf(stderr, "%s\n", myr_message());
        exit(1);
    }
    myr_model_free(model);
    return batch;
}

/* The child: saves until it is killed. */
static int write_for_ever(const char *path) {
    myr_batch *batch = batch_of(50000);
    for (;;)
        if (myr_batch_save(batch, path) != MYR_OK) return 1;
}

/* A child that has begun to write. */
static pid_t start_writer(void) {
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        execl("/proc/self/exe", "test_target", "--write", saved, (char *)NULL);
        _exit(127);
    }
    struct stat s;
    char name[256];
    for (int i = 0; i < 6000; i++) {
        if (count(".tmp-", name) && stat(in_folder(name), &s) == 0 && s.st_size > 100000) return child;
        usleep(2000);
    }
    kill(child, SIGKILL);
    fail_msg("no temporary file appears in %s", folder);
    return -1;
}

static void what_a_killed_writer_leaves_goes_with_the_next_save(void **state) {
    (void)state;
    myr_batch *batch = batch_of(3);
    const pid_t child = start_writer();
    /* it lives, and writes: another save leaves its file alone */
    char before[256], after[256];
    int living = 0;
    for (int i = 0; i < 200 && !living; i++) { /* it may stop between two files */
        if (i) kill(child, SIGCONT), usleep(3000);
        kill(child, SIGSTOP);
        assert_int_equal(waitpid(child, NULL, WUNTRACED), child);
        living = count(".tmp-", before);
    }
    assert_int_equal(living, 1);
    assert_int_equal(myr_batch_save(batch, saved), MYR_OK);
    assert_int_equal(count(".tmp-", after), 1);
    assert_string_equal(before, after);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(count(".tmp-", NULL), 1); /* a killed process does not remove it */
    assert_int_equal(myr_batch_save(batch, saved), MYR_OK);
    if (count(".tmp-", after)) fail_msg("%s is still there", after);
    assert_int_equal(count("", NULL) - 2, 1); /* the file, beside . and .. */
    assert_int_equal(myr_batch_restore(batch, saved), MYR_OK);
    myr_batch_free(batch);
}

static void touch(const char *name, time_t age_s) {
    const int fd = open(in_folder(name), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    const struct timespec then = {.tv_sec = time(NULL) - age_s}, times[2] = {then, then};
    assert_int_equal(futimens(fd, times), 0);
    close(fd);
}

/* By name: HOME, PID and N of the mark. */
static void who_may_live_keeps_his_files(void **state) {
    (void)state;
    myr_target mine;
    char name[256], mark[64];
    enum { DAY = 24 * 3600 };
    assert_int_equal(myr_target_choose(saved, &mine), MYR_OK);
    unsigned home;
    assert_int_equal(sscanf(strrchr(mine.temporary, '/') + 1, "batch.tmp-%8x", &home), 1);
    const pid_t child = fork();
    if (child == 0) _exit(0);
    assert_int_equal(waitpid(child, NULL, 0), child); /* a process that is no more */
    const struct {
        unsigned home;
        long pid;
        int age_days, stays;
        const char *behind;
    } cases[] = {
        {home, (long)child, 0, 0, ""},
        {home, (long)getpid(), 30, 1, ""},
        {home, 1, 30, 1, ""},
        {home ^ 1, (long)child, 0, 1, ""},
        {home ^ 1, (long)child, 6, 1, ""},
        {home ^ 1, (long)child, 8, 0, ""},
        {home ^ 1, 1, 8, 0, ""},
        {home, (long)child, 30, 1, ".mine"},
        {home, (long)child, 30, 1, "x"},
        {home, (long)child, 30, 1, ".tmp-12345"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int other = 0; other < 2; other++) { /* of another file: never */
            snprintf(mark, sizeof mark, ".tmp-%08x-%ld-77%s", cases[i].home, cases[i].pid, cases[i].behind);
            snprintf(name, sizeof name, "%s%s", other ? "batch2" : "batch", mark);
            touch(name, cases[i].age_days * (time_t)DAY);
            assert_int_equal(myr_target_choose(saved, &mine), MYR_OK);
            const int stays = access(in_folder(name), F_OK) == 0;
            if (stays != (cases[i].stays || other)) fail_msg("%s of %d days %s", name, cases[i].age_days, stays ? "stays" : "is gone");
            unlink(in_folder(name));
        }
    }
    /* two marks: the library beside the program's file */
    snprintf(name, sizeof name, "batch.tmp-%08x-%ld-0.tmp-%08x-%ld-0", home, (long)child, home, (long)child);
    touch(name, 0);
    assert_int_equal(myr_target_choose(saved, &mine), MYR_OK);
    assert_int_equal(access(in_folder(name), F_OK), -1);
}

static void recordings_take_them_away_too(void **state) {
    (void)state;
    myr_batch *batch = batch_of(2);
    myr_target mine;
    char name[256];
    unsigned home;
    assert_int_equal(myr_target_choose(saved, &mine), MYR_OK);
    assert_int_equal(sscanf(strrchr(mine.temporary, '/') + 1, "batch.tmp-%8x", &home), 1);
    const pid_t child = fork();
    if (child == 0) _exit(0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    snprintf(name, sizeof name, "record.tmp-%08x-%ld-0", home, (long)child);
    touch(name, 0);
    const myr_field q = MYR_Q;
    myr_recording *recording = NULL;
    const myr_recording_plan plan = {.n = 2, .fields = &q, .n_fields = 1, .type = MYR_F32, .frame_s = 0.01};
    if (myr_recording_create(batch, in_folder("record"), &plan, &recording) != MYR_OK) fail_msg("%s", myr_message());
    assert_int_equal(myr_recording_close(recording), MYR_OK);
    assert_int_equal(count("record.tmp-", NULL), 0);
    assert_int_equal(count("record", NULL), 1);
    myr_batch_free(batch);
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "--write") == 0) return write_for_ever(argv[2]);
    if (!mkdtemp(folder)) return 1;
    snprintf(saved, sizeof saved, "%s/batch", folder);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_killed_writer_leaves_goes_with_the_next_save),
        cmocka_unit_test(who_may_live_keeps_his_files),
        cmocka_unit_test(recordings_take_them_away_too),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(saved);
    unlink(in_folder("record"));
    rmdir(folder);
    return failed;
}
