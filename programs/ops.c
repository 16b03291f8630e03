#include <stddef.h>
#include <string.h>

#include "programs/program.h"

const myr_op_kind myr_op_kinds[MYR_OPS] = {
    [MYR_OP_INPUT] = {"input", "what the caller gives", 0, MYR_RULE_NONE, 0, 0, 0},
    [MYR_OP_CONSTANT] = {"constant", "numbers", 0, MYR_RULE_NONE, 0, 0, 0},
    [MYR_OP_COPY] = {"", "rows of another", 1, MYR_RULE_NONE, 0, 0, 0},
#define MYR_OP(NAME, name, args, rule, first, second, result, doc)                                                                         \
    [MYR_OP_##NAME] = {#name, doc, args, MYR_RULE_##rule, first, second, result},
#include "programs/ops.def"
#undef MYR_OP
};

int myr_op_find(const char *name) {
    for (int op = MYR_OP_CONSTANT + 1; op < MYR_OP_COPY; op++)
        if (!strcmp(myr_op_kinds[op].name, name)) return op;
    return -1;
}

static int op_of(int number) { return number >= 0 && number < MYR_OP_COPY - MYR_OP_CONSTANT - 1 ? number + MYR_OP_CONSTANT + 1 : -1; }

const char *myr_program_op_name(int op) { return op_of(op) < 0 ? NULL : myr_op_kinds[op_of(op)].name; }
const char *myr_program_op_doc(int op) { return op_of(op) < 0 ? NULL : myr_op_kinds[op_of(op)].doc; }
