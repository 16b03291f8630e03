/* Texts of programs: what is wrong is refused by label, line, name and what was meant; equal and unused lines are gone; a text that is
 * written reads as the same program; limits are kept; memory may run out anywhere. */
#include "support/batch_scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/failing_memory.h"
#include "programs/program.h"

#define BEGIN "myriapod_program 1\n"

static myr_program *read_program(const char *text) {
    myr_program *p;
    MUST(myr_program_read(text, strlen(text), "test", &p));
    return p;
}

static void what_is_wrong_is_named(void **state) {
    (void)state;
    static const struct {
        const char *text, *words;
        myr_status status;
    } wrong[] = {
        {"", "begins with `myriapod_program 1`", MYR_E_FORMAT},
        {"myriapod_program 2\n", "test:1: a program begins", MYR_E_FORMAT},
        {BEGIN "input q 3\n", "no output", MYR_E_FORMAT},
        {BEGIN "input q\n", "test:2: the input `q` needs a number of rows", MYR_E_FORMAT},
        {BEGIN "input q 0\n", "rows, 1 to 8192", MYR_E_FORMAT},
        {BEGIN "input q 1.5\n", "rows, 1 to 8192", MYR_E_FORMAT},
        {BEGIN "input q 8193\n", "rows, 1 to 8192", MYR_E_FORMAT},
        {BEGIN "input q 3 4\n", "and no more", MYR_E_FORMAT},
        {BEGIN "input 3q 3\n", "`3q` is not a name of an input", MYR_E_FORMAT},
        {BEGIN "input q 3\n# q again\ninput q 3\n", "test:4: `q` is taken: line 2", MYR_E_FORMAT},
        {BEGIN "constant c\n", "`c` has no numbers", MYR_E_FORMAT},
        {BEGIN "constant c 1 nan\n", "`c`: `nan` is not a finite number", MYR_E_FORMAT},
        {BEGIN "constant c 1 -inf\n", "`-inf` is not a finite number", MYR_E_FORMAT},
        {BEGIN "constant c 1e999\n", "`1e999` is not a finite number", MYR_E_FORMAT},
        {BEGIN "constant c 0x10\n", "`0x10` is not a finite number", MYR_E_FORMAT},
        {BEGIN "input qvel 3\na = add qvel qvle\noutput o a\n", "test:3: there is no register `qvle`; did you mean 'qvel'?", MYR_E_FORMAT},
        {BEGIN "input q 3\na = add q a\noutput o a\n", "there is no register `a`", MYR_E_FORMAT}, /* a name that needs itself */
        {BEGIN "input q 3\na = ad q q\noutput o a\n", "there is no instruction `ad`; did you mean 'add'?", MYR_E_FORMAT},
        {BEGIN "input q 3\na = add q\noutput o a\n", "`a`: add: it is given 1 registers, but takes 2", MYR_E_FORMAT},
        {BEGIN "input q 3\na = add q q q\noutput o a\n", "add takes 2 registers, and `q` is not a whole number", MYR_E_FORMAT},
        {BEGIN "input q 3\na = add q q 2\noutput o a\n", "1 whole numbers follow, but must be 0", MYR_E_FORMAT},
        {BEGIN "input q 3\ninput p 4\na = add q p\noutput o a\n", "test:4: `a`: add: it is given 3 rows and 4", MYR_E_FORMAT},
        {BEGIN "input q 3\na = quat_mul q q\noutput o a\n", "its first has 3 rows, but must have 4", MYR_E_FORMAT},
        {BEGIN "input q 4\na = quat_rotate q q\noutput o a\n", "its second has 4 rows, but must have 3", MYR_E_FORMAT},
        {BEGIN "input q 4\na = slice q 2 3\noutput o a\n", "3 rows from there are not all among 4", MYR_E_FORMAT},
        {BEGIN "input q 4\na = slice q 4 1\noutput o a\n", "it begins at row 4 of 4", MYR_E_FORMAT},
        {BEGIN "input q 4\na = slice q -1 1\noutput o a\n", "it begins at row -1 of 4", MYR_E_FORMAT},
        {BEGIN "input q 4\na = slice q 1\noutput o a\n", "1 whole numbers follow, but must be 2", MYR_E_FORMAT},
        {BEGIN "input q 4\na = gather q 0 4\noutput o a\n", "row 4 of 4", MYR_E_FORMAT},
        {BEGIN "input q 4\na = gather q\noutput o a\n", "no row is named, of 4", MYR_E_FORMAT},
        {BEGIN "input q 4\na = repeat q 0\noutput o a\n", "0 times 4 rows", MYR_E_FORMAT},
        {BEGIN "input q 4\na = repeat q 1000000000\noutput o a\n", "too many", MYR_E_FORMAT},
        {BEGIN "input q 4\na = repeat q 2.5\noutput o a\n", "`2.5` is not a whole number", MYR_E_FORMAT},
        {BEGIN "input q 4\na = matvec q q\noutput o a\n", "its first must be a constant", MYR_E_FORMAT},
        {BEGIN "input q 1\na = row q q 1\noutput o a\n", "its first must be a constant", MYR_E_FORMAT},
        {BEGIN "input q 4\nconstant m 1 2 3 4\na = row m q 2\noutput o a\n", "its index has 4 rows, but must have 1", MYR_E_FORMAT},
        {BEGIN "input q 1\nconstant m 1 2 3 4\na = row m q 3\noutput o a\n", "a table of 4 numbers has no rows of 3", MYR_E_FORMAT},
        {BEGIN "input q 1\nconstant m 1 2 3 4\na = row m q\noutput o a\n", "0 whole numbers follow, but must be 1", MYR_E_FORMAT},
        {BEGIN "input q 1\nconstant m 1 3 2\na = search m q\noutput o a\n", "number 3 of its constant is below number 2", MYR_E_FORMAT},
        {BEGIN "input q 4\nconstant m 1 2 3\na = matvec m q\noutput o a\n", "a matrix of 3 numbers has no rows of 4", MYR_E_FORMAT},
        {BEGIN "input q 4\na =\noutput o a\n", "nothing follows `a =`", MYR_E_FORMAT},
        {BEGIN "input q 4\na q\n", "`a` is neither input, constant, output, name nor", MYR_E_FORMAT},
        {BEGIN "input q 4\noutput o\n", "the output `o` needs one register", MYR_E_FORMAT},
        {BEGIN "input q 4\noutput o q\noutput o q\n", "there is an output `o` already", MYR_E_FORMAT},
        {BEGIN "input q 4\noutput o p\n", "there is no register `p`", MYR_E_FORMAT},
        {BEGIN "input q 8000\na = concat q q\noutput o a\n", "`a` has more than 8192 rows", MYR_E_LIMIT},
        {BEGIN "input q 8000\na = neg q\noutput o a\n", "more than 8192 rows are in use at once", MYR_E_LIMIT},
        {BEGIN "input q 8000\ninput p 8000\noutput o q\n", "inputs and constants have more than 8192 rows", MYR_E_LIMIT},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        myr_program *p = (myr_program *)(void *)&state;
        const myr_status status = myr_program_read(wrong[k].text, strlen(wrong[k].text), "test", &p);
        if (status != wrong[k].status || p || !strstr(myr_message(), wrong[k].words))
            fail_msg("text %zu: status %d, `%s`, but must say `%s`", k, (int)status, myr_message(), wrong[k].words);
    }
    myr_program *p;
    MUST_FAIL(myr_program_read("a\0b", 3, NULL, &p), MYR_E_FORMAT, "program: it is not a text");
    MUST_FAIL(myr_program_read(BEGIN, MYR_PROGRAM_TEXT + 1, "big", &p), MYR_E_LIMIT, "big: its text is longer");
    MUST_FAIL(myr_program_read(NULL, 0, NULL, &p), MYR_E_ARG, "text is NULL");
    MUST_FAIL(myr_program_read(BEGIN, 3, NULL, NULL), MYR_E_ARG, "out is NULL");
}

static void calls_are_checked(void **state) {
    (void)state;
    myr_program *p = read_program(BEGIN "input q 2\na = neg q\noutput o a\n");
    double x[2] = {1, 2}, y[2];
    const void *in[] = {x}, *none[] = {NULL};
    void *out[] = {y}, *nowhere[] = {NULL};
    MUST_FAIL(myr_program_eval(NULL, NULL, 8, 1, in, out, MYR_F64), MYR_E_ARG, "program is NULL");
    MUST_FAIL(myr_program_eval(p, NULL, 8, -1, in, out, MYR_F64), MYR_E_ARG, "n is -1");
    MUST_FAIL(myr_program_eval(p, NULL, 8, 1, none, out, MYR_F64), MYR_E_ARG, "input `q` is NULL");
    MUST_FAIL(myr_program_eval(p, NULL, 8, 1, in, nowhere, MYR_F64), MYR_E_ARG, "output `o` is NULL");
    MUST_FAIL(myr_program_eval(p, NULL, 2, 1, in, out, MYR_F64), MYR_E_ARG, "precision is 2");
    MUST_FAIL(myr_program_eval(p, NULL, 8, 1, in, out, MYR_I64), MYR_E_ARG, "type is");
    MUST_FAIL(myr_program_eval(p, "sse9", 8, 1, in, out, MYR_F64), MYR_E_ARG, "sse9");
    MUST(myr_program_eval(p, NULL, 8, 0, NULL, NULL, MYR_F64));
    MUST(myr_program_eval(p, NULL, 4, 1, in, out, MYR_F64));
    assert_true(y[0] == -1 && y[1] == -2);
    myr_program_free(p);
    myr_program_free(NULL);
}

static void equal_and_unused_lines_are_gone(void **state) {
    (void)state;
    myr_program *p = read_program(
        BEGIN "name lean # and a comment\r\ninput q 3\ninput idle 2\nconstant two 2\n\n  a = mul q two\nb = mul q 2\nc = add a b\n"
              "dead = exp c\nd = add b a\ne = slice d 1 1\noutput sum c\noutput one e\n");
    myr_program_info info;
    myr_program_get_info(p, &info);
    assert_string_equal(info.name, "lean");
    assert_int_equal(info.inputs, 2);
    assert_int_equal(info.instructions, 2); /* mul, add: the slice has the rows of what it is of */
    char *text = myr_program_text(p);
    assert_string_equal(
        text, BEGIN
        "name lean\ninput q 3\ninput idle 2\nconstant two 2\na = mul q two\nc = add a a\ne = slice c 1 1\noutput sum c\noutput one e\n");
    myr_program_free_text(text);
    myr_program_free(p);
}

static void what_needs_no_instruction(void **state) {
    (void)state;
    const double a[] = {1, 2}, b[] = {3}, c[] = {4, 5, 6};
    const void *in[] = {a, b, c};
    struct {
        const char *text;
        int instructions;
        double wanted[8];
    } cases[] = {
        {"d = concat a b c\ne = mul d 2\noutput o e\n", 1, {2, 4, 6, 8, 10, 12}},
        {"s = slice c 0 1\nd = concat b s\ne = slice d 1 1\nf = add d e\noutput o f\n", 1, {7, 8}},
        {"d = concat a b c\noutput o d\n", 0, {1, 2, 3, 4, 5, 6}},
        {"d = concat b a\ne = mul d 2\noutput o e\n", 3, {6, 2, 4}},              /* not as they lie */
        {"d = concat a c\ne = mul d 2\noutput o e\n", 3, {2, 4, 8, 10, 12}},      /* not side by side */
        {"n = neg a\nd = concat n b\ne = mul d 2\noutput o e\n", 4, {-2, -4, 6}}, /* not an input */
        {"d = mul c c\ne = sum d\noutput o e\n", 1, {77}},
        {"d = mul b c\ne = sum d\nf = add e a\noutput o f\n", 2, {46, 47}},
        {"d = mul c c\ne = sum d\nf = add e d\noutput o f\n", 3, {93, 102, 113}},         /* wanted once more */
        {"d = mul c c\ns = slice d 1 1\ne = sum d\nf = add e s\noutput o f\n", 3, {102}}, /* a part of it */
        {"d = mul c c\nm = mul a a\ne = sum d\nf = add e m\noutput o f\n", 2, {78, 81}},
        {"d = mul a 3\ne = mul a a\nf = sub d e\noutput o f\n", 2, {2, 2}},
        {"d = mul a 3\ne = sub d a\nf = mul e e\noutput o f\n", 2, {4, 16}},
        {"d = sub c b\ne = mul d d\noutput o e\n", 1, {1, 4, 9}},
        {"d = sub c b\ne = mul d d\nf = sum e\ng = sub f e\noutput o g\n", 3, {13, 10, 5}},
        {"d = mul b b\ne = add d c\noutput o e\n", 2, {13, 14, 15}},                                   /* one row among three */
        {"n = neg c\nd = mul n n\nm = neg b\ne = add m d\nf = add e n\noutput o f\n", 4, {9, 17, 27}}, /* n is wanted later */
        {"constant m 0 0 2 1 0 0 0 0 0\nd = matvec m c\noutput o d\n", 1, {12, 4, 0}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char text[400];
        double y[8] = {0};
        void *const out[] = {y};
        snprintf(text, sizeof text, BEGIN "input a 2\ninput b 1\ninput c 3\n%s", cases[k].text);
        myr_program *p = read_program(text);
        myr_program_info info;
        myr_program_get_info(p, &info);
        assert_int_equal(info.instructions, cases[k].instructions);
        MUST(myr_program_eval(p, NULL, 8, 1, in, out, MYR_F64));
        assert_memory_equal(y, cases[k].wanted, sizeof y);
        myr_program_free(p);
    }
}

/* The sum of products is rounded as if they had been rows. */
static void sums_of_products_are_rounded_as_two(void **state) {
    (void)state;
    const double q[] = {0.1, 0.7, -0.3, 1e-3, 11.1};
    const void *in[] = {q};
    double sums[2], products[5];
    void *const out[2][2] = {{&sums[0]}, {&sums[1], products}};
    for (int rows = 0; rows < 2; rows++) {
        char text[200];
        snprintf(text, sizeof text, BEGIN "input q 5\nd = mul q q\ne = sum d\noutput e e\n%s", rows ? "output d d\n" : "");
        myr_program *p = read_program(text);
        MUST(myr_program_eval(p, NULL, 8, 1, in, out[rows], MYR_F64));
        myr_program_free(p);
    }
    assert_memory_equal(&sums[0], &sums[1], sizeof sums[0]);
}

static void reads_as_itself(const char *text) {
    myr_program *p = read_program(text);
    char *written = myr_program_text(p);
    myr_program *again = read_program(written);
    char *twice = myr_program_text(again);
    myr_program_info a, b;
    myr_program_get_info(p, &a), myr_program_get_info(again, &b);
    assert_string_equal(written, twice);
    assert_true(a.hash == b.hash && a.rows == b.rows);
    myr_program_free_text(written), myr_program_free_text(twice);
    myr_program_free(p), myr_program_free(again);
}

static void a_text_reads_as_the_same_program(void **state) {
    (void)state;
    const char *text = BEGIN "input q 4\nconstant m 0.1 -2.5e-7 3 4 5 1e300 7 8\na = matvec m q\nb = fma a 0.30000000000000004 -0\nc = "
                             "concat b q 1\nd = gather c 3 0 3\n"
                             "output o d\noutput p 0.1\n";
    reads_as_itself(text);
    /* A number that is first used where it is folded away (fuzzer, 2026-11-27). */
    reads_as_itself(BEGIN "input q 4\nconstant m 2 3\na = mul m 7\nb = sub q 5\nc = concat a b 7\noutput o c\noutput p 5\n");
    myr_program *p = read_program(text);
    myr_program_info a, b;
    myr_program_get_info(p, &a);
    myr_program_free(p);
    myr_program *other = read_program(BEGIN "input q 4\na = neg q\noutput o a\n");
    myr_program_get_info(other, &b);
    assert_true(a.hash != b.hash);
    myr_program_free(other);
}

static void rows_are_used_again(void **state) {
    (void)state;
    static char text[400000];
    size_t used = (size_t)snprintf(text, sizeof text, BEGIN "input r0 1000\n");
    for (int k = 1; k <= 4000; k++) used += (size_t)snprintf(text + used, sizeof text - used, "r%d = add r%d %d\n", k, k - 1, k % 7);
    snprintf(text + used, sizeof text - used, "output o r4000\n");
    myr_program *p = read_program(text);
    myr_program_info info;
    myr_program_get_info(p, &info);
    assert_int_equal(info.instructions, 4000);
    assert_int_equal(info.rows, 1000 + 7 + 2000);
    myr_program_free(p);
    for (int k = 4001; k <= 4200; k++) used += (size_t)snprintf(text + used, sizeof text - used, "r%d = add r%d %d\n", k, k - 1, k % 7);
    snprintf(text + used, sizeof text - used, "output o r4200\n");
    MUST_FAIL(myr_program_read(text, strlen(text), "long", &p), MYR_E_LIMIT, "more than 4096 instructions");
}

static void memory_may_run_out_anywhere(void **state) {
    (void)state;
    const char *text = BEGIN "name n\ninput q 4\nconstant m 1 2 3 4\na = mul q m\nb = sum a\nc = concat b q 1\noutput o c\n";
    ledger l = {0};
    const myr_allocator counting = {count_allocation, count_release, &l};
    myr_set_allocator(&counting);
    myr_status status = MYR_E_MEMORY;
    int failures = 0, left = 0;
    for (l.fails_at = 1; status == MYR_E_MEMORY; l.fails_at++) {
        myr_program *p = NULL;
        l.calls = 0;
        status = myr_program_read(text, strlen(text), "test", &p);
        failures += status == MYR_E_MEMORY;
        myr_program_free(p);
        left += l.live;
    }
    myr_set_allocator(NULL);
    assert_int_equal(status, MYR_OK);
    assert_int_equal(left, 0);
    assert_true(failures > 15);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(calls_are_checked),
        cmocka_unit_test(equal_and_unused_lines_are_gone),
        cmocka_unit_test(what_needs_no_instruction),
        cmocka_unit_test(sums_of_products_are_rounded_as_two),
        cmocka_unit_test(a_text_reads_as_the_same_program),
        cmocka_unit_test(rows_are_used_again),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
