/* Contact problems from files of any kind: JSON, Siconos' text, FCLib's HDF5. The readers print nothing and never end the program over
 * their input: fuzzers call them. */
#ifndef MYRIAPOD_CLI_PROBLEMS_H
#define MYRIAPOD_CLI_PROBLEMS_H

#include <stddef.h>
#include <stdio.h>

#include <jansson.h>
#include <myriapod/myriapod.h>

#include "cli.h"

typedef struct problem_entry {
    json_t *id;                  /* as in the file; where it gives none the place in it (JSON) or the file's name */
    const char *file;            /* the path that it came from, the set's */
    myr_contact_problem problem; /* arrays owned here; (x, y, z) with z the normal, whatever the file says */
    double asymmetry;            /* max |G_ij - G_ji| / max |G| of what the file said; G itself is symmetrised */
    myr_large_problem large; /* of a large problem G in blocks, which are owned here, with c, mu and start of `problem`, whose G is NULL */
} problem_entry;

typedef struct problem_set {
    size_t n, room;
    problem_entry *entry;
    char **file; /* one per file that was opened */
    size_t n_files;
    size_t numbers;    /* in the arrays of all problems */
    int most_contacts; /* problems with more are large: taken where `large` says so, else refused */
    int large;
    const char *why_not; /* words behind that refusal, nullable */
    int cold;            /* 1: starts that the files bring are left aside */
} problem_set;

enum { PROBLEM_CONTACTS = 64, PROBLEM_CONTACTS_LIMIT = 1000 }; /* most contacts of a dense matrix: unless said, and at all */
enum { PROBLEM_CONTACTS_LARGE = 100000 };                      /* of a large problem */
#define PROBLEM_NUMBERS ((size_t)1 << 28)                      /* of all problems of a command together: 2 GiB */

/* Asymmetry [relative] above which a matrix is refused, and below which it is rounding and not worth a word. */
#define PROBLEM_ASYMMETRY 1e-3
#define PROBLEM_ASYMMETRY_ROUNDING 1e-13

/* Where a reader is, for messages: "FILE", problem 31: .. */
typedef struct problem_place {
    const char *file, *item; /* item: "problem 31", "line 7", "/fclib_local"; nullable */
    cli_text *message;
} problem_place;
/* "FILE", ITEM: and the rest, into the message. Returns -1. */
int problem_refuse(const problem_place *at, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The numbers of a problem: three for each contact, one for each row. */
static inline size_t problem_numbers(const myr_contact_problem *p) {
    return 3 * (size_t)p->contacts + (size_t)p->rows + (size_t)p->bilateral;
}

static inline int problem_is_large(const problem_entry *entry) { return entry->problem.contacts > 0 && !entry->problem.G; }

/* A new entry with zeroed G, c, mu for so many contacts, to be filled and then given to problem_finish. Of a large problem the blocks come
 * later (matrix_fill). Takes `id`. NULL: too many contacts, or too many numbers; the message says so. */
problem_entry *problem_add(problem_set *set, const problem_place *at, json_t *id, long long contacts);
/* The same with zeroed stairs for scalar rows, and bilateral rows. */
problem_entry *problem_add_with_rows(problem_set *set, const problem_place *at, json_t *id, long long contacts, long long rows,
                                     long long bilateral);
/* Optional arrays of as many numbers as the problem has, zeroed. */
double *problem_add_start(problem_set *set, problem_entry *entry);
double *problem_add_compliance(problem_set *set, problem_entry *entry);
int *problem_add_patches(problem_entry *entry);

/* What the file calls them. */
typedef struct problem_words {
    const char *G, *c, *mu;
} problem_words;
/* Check what was filled in (finite, mu >= 0, start finite, R >= 0, G nearly symmetric and with a diagonal that bodies can have), symmetrise
 * G, and turn the arrays to (T1, T2, N) per contact where the file has (N, T1, T2). 0, or -1 and a message with the file's places. */
int problem_finish(const problem_place *at, const problem_words *words, problem_entry *entry, int normal_first);

/* The blocks of a large problem, which are then the entry's; and problem_finish of one, which calls it (problems_large.c). */
void problem_give_blocks(problem_set *set, problem_entry *entry, int64_t *first, int *column, double *blocks);
int problem_finish_large(const problem_place *at, const problem_words *words, problem_entry *entry, int normal_first);

/* (T1, T2, N) per contact <-> (N, T1, T2), of one array of n numbers; NULL is fine. */
void problem_turn(double *triples, size_t n, int to_first);
/* (T1, T2, N) per contact -> (N, T1, T2), of one array; rows behind the contacts stay. */
void problem_normal_first(double *triples, size_t contacts);

/* Forget all entries from the n-th on. */
void problem_cut(problem_set *set, size_t n);
void problem_set_free(problem_set *set);

/* Readers: append the problems of a file to the set. `file` stands for it in messages and entries. 0; or -1, a message, and the set as
 * it was. */
int problems_json(const char *text, size_t length, const char *file, problem_set *set, cli_text *message);
int problems_siconos(const char *text, size_t length, const char *file, problem_set *set, cli_text *message);
int problems_fclib(const void *bytes, size_t length, const char *file, problem_set *set, cli_text *message);
/* The same in a process of its own, so that a file that breaks libhdf5 breaks nothing here. */
int problems_fclib_apart(const void *bytes, size_t length, const char *file, problem_set *set, cli_text *message);

/* Write the problems as JSON that problems_json reads to the same bits, G as its lower triangle. 0, or -1. */
int problems_write(const problem_set *set, FILE *file);

/* Read paths: files of any kind, told apart by what is in them, and folders of such. What is wrong with a file named here is an error; in
 * a folder it is a warning, unless nothing is left. CLI_OK, or CLI_BAD_INPUT after saying what is wrong. */
int problems_load(const char *const *paths, size_t n, problem_set *set);

#endif
