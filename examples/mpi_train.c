/* ANYmal learns to walk on the processes of an MPI job. Each has its part of the robots; what the library asks to be moved between them is
 * one call of MPI. The weights that come out, and the line that is printed, are the same for every number of processes.
 *
 *   mpicc mpi_train.c -o mpi_train $(pkg-config --cflags --libs myriapod)
 *   mpiexec -n 4 --map-by ppr:1:numa --bind-to numa ./mpi_train 512 400 */
#include <limits.h>
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

/* What the learner asks for: an array of bytes of which each process has filled a part. MPI counts in ints: a call of
 * 100 thousand weights moves 0.4 MB for each process. */
static int gather(void *context, void *data, const int64_t *begin) {
    const myr_exchange *job = context;
    int counts[256], places[256]; /* a learner has at most 256 processes */
    if (begin[job->ranks] > INT_MAX) return 1;
    for (int r = 0; r < job->ranks; r++) counts[r] = (int)(begin[r + 1] - begin[r]), places[r] = (int)begin[r];
    return MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, counts, places, MPI_BYTE, MPI_COMM_WORLD) != MPI_SUCCESS;
}

static uint64_t hash_of(const myr_learner *learner) {
    const size_t count = (size_t)myr_learner_count(learner);
    float *weights = malloc(count * sizeof *weights);
    if (!weights) MPI_Abort(MPI_COMM_WORLD, 1);
    must(myr_learner_get(learner, MYR_LEARNED_WEIGHTS, weights));
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < count * sizeof *weights; i++) hash = (hash ^ ((unsigned char *)weights)[i]) * UINT64_C(0x100000001b3);
    free(weights);
    return hash;
}

int main(int count, char **words) {
    myr_exchange job = {.gather = gather, .context = &job};
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &job.rank), MPI_Comm_size(MPI_COMM_WORLD, &job.ranks);
    const long long envs = count > 1 ? atoll(words[1]) : 512, iterations = count > 2 ? atoll(words[2]) : 20;

    myr_settings settings = myr_settings_default();
    must(myr_settings_load(&settings, "anymal-flat"));
    int64_t mine;
    must(myr_learn_shard(envs, job.rank, job.ranks, &settings.first_env, &mine));
    myr_model *model = NULL;
    myr_batch *batch = NULL;
    must(myr_model_load("anymal", MYR_ROOT_AUTO, &model));
    must(myr_batch_create(model, mine, &settings, &batch));

    myr_model_info info;
    myr_model_get_info(model, &info);
    myr_learn_options options;
    myr_learn_options_default(&options);
    options.envs = envs, options.observations = myr_batch_observations(batch), options.actions = info.nu;
    myr_learner *learner = NULL;
    must(myr_learner_create_shared(&options, &job, &learner));

    myr_learn_report report = {0};
    for (long long k = 0; k < iterations; k++) {
        must(myr_learner_collect(learner, batch));
        must(myr_learner_update(learner, NULL, &report));
    }
    if (job.rank == 0)
        printf("%lld robots, %lld iterations: weights %016llx, value loss %.6f\n", envs, iterations, (unsigned long long)hash_of(learner),
               report.value_loss);
    myr_learner_destroy(learner);
    myr_batch_free(batch);
    myr_model_free(model);
    MPI_Finalize();
}
