/* A farm of rollouts: each process of an MPI job has its part of the robots, and nothing is exchanged but a sum and the best one. The line
 * that comes out is the same for every number of processes; mpi_rollout.py and job_rollout.py print it, too.
 *
 *   mpicc mpi_rollout.c -o mpi_rollout $(pkg-config --cflags --libs myriapod)
 *   mpiexec -n 4 --map-by ppr:1:numa --bind-to numa ./mpi_rollout anymal 4096 200 */
#include <mpi.h>
#include <myriapod/myriapod.h>
#include <stdio.h>
#include <stdlib.h>

/* A process that stops ends the job: the others would wait for it. */
static void must(myr_status status) {
    if (status == MYR_OK) return;
    fprintf(stderr, "%s\n", myr_message());
    MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int count, char **words) {
    int rank, ranks;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const char *robot = count > 1 ? words[1] : "anymal";
    const long long envs = count > 2 ? atoll(words[2]) : 1000, steps = count > 3 ? atoll(words[3]) : 100;

    /* every process has the same words; MPI's pair of a number and a place has 32 bits */
    if (envs < 1 || envs > INT32_MAX || steps < 1) {
        if (rank == 0) fprintf(stderr, "usage: mpi_rollout [ROBOT [ROBOTS [STEPS]]], ROBOTS 1 to 2147483647, STEPS 1 at least\n");
        MPI_Finalize();
        return 2;
    }
    int64_t first, mine;
    myr_shard(envs, rank, ranks, &first, &mine);

    uint64_t hash = 0, all = 0;
    struct {
        double height;
        int robot;
    } best = {-1e9, -1}, highest;
    if (mine > 0) {
        myr_settings settings = myr_settings_default();
        must(myr_settings_set(&settings, "task", "random")); /* actions are drawn by who a robot is, not by where it is computed */
        settings.first_env = first;
        myr_model *model = NULL;
        myr_batch *batch = NULL;
        must(myr_model_load(robot, MYR_ROOT_AUTO, &model));
        must(myr_batch_create(model, mine, &settings, &batch));
        must(myr_batch_step(batch, steps));
        myr_model_info info;
        myr_model_get_info(model, &info);
        double *q = malloc(sizeof *q * (size_t)mine * (size_t)info.nq);
        if (!q) MPI_Abort(MPI_COMM_WORLD, 1);
        must(myr_batch_get(batch, MYR_Q, NULL, mine, MYR_F64, q));
        for (int64_t e = 0; e < mine; e++)
            if (q[e * info.nq + 2] > best.height) best.height = q[e * info.nq + 2], best.robot = (int)(first + e);
        hash = myr_batch_hash(batch);
        free(q);
        myr_batch_free(batch);
        myr_model_free(model);
    }
    MPI_Allreduce(&hash, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD); /* modulo 2^64: the order does not matter */
    MPI_Allreduce(&best, &highest, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%lld robots, %lld steps: hash %016llx, robot %d is highest: %.6f m\n", envs, steps, (unsigned long long)all, highest.robot,
               highest.height);
    MPI_Finalize();
}
