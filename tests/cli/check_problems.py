# Contact problems as files, from outside: every kind that is read gives the same answers, whatever is wrong is refused by file and item,
# what a run dumps can be solved again, traces and comparisons are what their rows say. Never fails on time.
# ctest: later timeout=300
import csv
import glob
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from cli_scene import INPUT, OK, PROGRAM, SOURCE, USAGE, check, finish, path, run, write

SEEDS = os.path.join(SOURCE, "tests/fuzz")
SHARED = os.environ.get("MYRIAPOD_SHARED", os.path.join(SOURCE, "..", "shared")) + "/oracles/contact"


def solve(*words, **how):
    """The answers, by solving into a file."""
    out = path("answers.json")
    if os.path.exists(out):
        os.remove(out)
    run("solve", *words, "--json", out, **how)
    if how.get("status", OK) != OK:
        check(not os.path.exists(out), f"{words}: refused, and an output is left")
        return []
    with open(out, encoding="utf-8") as file:
        return json.load(file)["problems"]


def near(a, b, allowed=1e-12):
    return len(a) == len(b) and all(abs(x - y) <= allowed for x, y in zip(a, b))


# The problem that all seeds hold, as Siconos and FCLib order it: (N, T1, T2).
W = [[2, 0.1, 0.2, 0.3, 0.15, 0.1], [0.1, 3, 0.1, 0, 0.2, 0], [0.2, 0.1, 4, 0.1, 0, 0.3], [0.3, 0, 0.1, 2, 0.2, 0.1], [0.15, 0.2, 0, 0.2, 3, 0.1], [0.1, 0, 0.3, 0.1, 0.1, 5]]
q = [-1, 0.5, 2, -2, 0, 0.25]
mu = [0.5, 0.8]
OURS = [1, 2, 0, 4, 5, 3]  # (T1, T2, N) from it
G = [[W[a][b] for b in OURS] for a in OURS]
c = [q[a] for a in OURS]
TIGHT = ["--solver", "pgs", "--tolerance", "1e-12"]


def transpose(m):
    return [list(row) for row in zip(*m)]


def times(a, b):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


def solved(a, b):
    """a^-1 b by elimination."""
    rows = [list(x) + list(y) for x, y in zip(a, b)]
    for i in range(len(rows)):
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for k in range(len(rows)):
            if k != i:
                rows[k] = [x - rows[k][i] * y for x, y in zip(rows[k], rows[i])]
    return [row[len(a) :] for row in rows]


def global_problem():
    """The local problem of the global seeds, in our order: G = H' M^-1 H, c = H' M^-1 f + w."""
    M = [[2, 0.5, 0, 0], [0.5, 4, 0, 0], [0, 0, 2, 0], [0, 0, 0, 4]]
    H = [[1, 0, 0.5, 1, 0, 0], [0, 1, 0, 0, 0, 1], [0, 0.5, 1, 0, 1, 0], [1, 0, 0, 0, 0.5, 1]]
    f = [[0.1], [-0.2], [0.3], [-0.4]]
    g = times(transpose(H), solved(M, H))
    free = [x[0] + y for x, y in zip(times(transpose(H), solved(M, f)), q)]
    return {"G": [[g[a][b] for b in OURS] for a in OURS], "c": [free[a] for a in OURS], "mu": mu}


def velocity(problem, answer):
    return [sum(x * y for x, y in zip(row, answer["impulse"])) + v for row, v in zip(problem["G"], problem["c"])]


def check_kinds():
    local = {"G": G, "c": c, "mu": mu}
    wanted = solve(write("p.json", {"problems": [local]}), *TIGHT)[0]
    check(wanted["status"] == "converged" and near(velocity(local, wanted), wanted["velocity"], 1e-14), f"our own problem: {wanted}")
    turned = solve(write("t.json", {"problems": [{"G": W, "c": q, "mu": mu, "order": "normal-first"}, dict(local, order="normal-last")]}), *TIGHT)
    check(turned[0] == dict(wanted, id=0) and turned[1] == dict(wanted, id=1), f"the order of contacts in JSON: {turned} is not {wanted}")
    back = solve(path("p.json"), "--normal-first", *TIGHT)[0]
    for key in ("impulse", "velocity"):
        check([back[key][a] for a in OURS] == wanted[key], f"--normal-first: {key} {back[key]}")
    seeds = sorted(glob.glob(SEEDS + "/siconos/*") + glob.glob(SEEDS + "/fclib/*"))
    check(len(seeds) > 40, f"{len(seeds)} seeds")
    for seed in seeds:
        name = os.path.basename(seed)
        if name.startswith("bad_"):
            solve(seed, status=INPUT, says=[name])
        elif "global" in name:
            problem, answer = global_problem(), solve(seed, *TIGHT)[0]
            check(answer["status"] == "converged" and near(velocity(problem, answer), answer["velocity"]), f"{name}: {answer}")
        else:
            for answer in solve(seed, "--cold", *TIGHT):
                check(near(answer["impulse"], wanted["impulse"]) and answer["modes"] == wanted["modes"], f"{name}: {answer} is not {wanted}")
    many = solve(SEEDS + "/fclib/good_many.h5", *TIGHT)
    check([a["id"] for a in many] == [f"good_many.h5:/problems/00000{i}" for i in range(3)], f"ids of a file of many: {many}")
    solve(SEEDS + "/siconos/bad_many.dat", status=INPUT, says=["65 contacts", "at most 64"])
    solve(SEEDS + "/siconos/bad_plane.dat", status=INPUT, says=["two-dimensional"])
    solve(SEEDS + "/siconos/bad_nan.dat", status=INPUT, says=["line 6", "nan"])
    solve(SEEDS + "/fclib/bad_contacts.h5", status=INPUT, says=["/fclib_local", "65 contacts"])
    solve(SEEDS + "/fclib/bad_plane.h5", status=INPUT, says=["two-dimensional"])
    solve(SEEDS + "/fclib/bad_mu.h5", status=INPUT, says=["/fclib_local/vectors/mu", "1 numbers, not 2"])


def check_json():
    local = {"id": "x", "G": G, "c": c, "mu": mu}
    cold = solve(write("p.json", {"problems": [local]}), *TIGHT)[0]
    warm = dict(local, start=cold["impulse"])
    check(solve(write("w.json", {"problems": [warm]}), *TIGHT)[0]["iterations"] < cold["iterations"], "a start at the answer saves no sweeps")
    check(solve(path("w.json"), "--cold", *TIGHT)[0] == cold, "--cold is not as without a start")
    R = [0.1, 0.2, 0.3, 0, 0.5, 0.6]
    soft = solve(write("r.json", {"problems": [dict(local, R=R)]}), *TIGHT)[0]
    added = dict(local, G=[[G[a][b] + (R[a] if a == b else 0) for b in range(6)] for a in range(6)])
    check(near(soft["impulse"], solve(write("a.json", {"problems": [added]}), *TIGHT)[0]["impulse"], 1e-9), "R is not G with R added")
    check(near(velocity(local, soft), soft["velocity"]), "the velocity of a compliant contact is not G impulse + c")

    def refused(says, **change):
        solve(write("b.json", {"problems": [local, dict(local, id="bad one", **change)]}), status=INPUT, says=["b.json", '"bad one"', *says])

    refused(["start", "5 numbers"], start=[0] * 5)
    refused(['"start"[2]', "NaN"], start=[0, 0, float("nan"), 0, 0, 0])
    refused(["R[1]", "-2"], R=[0, -2, 0, 0, 0, 0])
    refused(['"order"', "upside-down"], order="upside-down")
    n = 65
    eye = [[float(i == k) for k in range(3 * n)] for i in range(3 * n)]
    refused(["65 contacts", "at most 64", "--max-contacts"], G=eye, c=[0, 0, -1] * n, mu=0.5)
    check(len(solve(path("b.json"), "--max-contacts", "65")[1]["modes"]) == n, "--max-contacts 65 does not read 65 contacts")
    refused(["65 contacts", "Larger ones are solved by nsgs", "hybrid cannot"], G=eye, c=[0, 0, -1] * n, mu=0.5)
    run("solve", path("p.json"), "--max-contacts", "0", status=USAGE, says=["--max-contacts"])
    for text, says in (
        ('{"problems": [1]}', "not an object"),
        ('{"problems": [{"c": [], "mu": [], "G": []}', "the list"),
        ('{"problems": [{"id": 1}]', "problem 1"),
        ('{"problems": [], "problems": []}', "twice"),
        ('{"problems": []} x', "follows"),
        ('{"problem": []}', '"problem"'),
        ('{"problems": 3}', "not a list"),
        ("[1, 2]", "not a JSON object"),
        ("", "empty"),
        ("\x7fELF", "of no kind"),
        ('{"a": 1,\n\n"problems": [\n{"id": 1,, "mu": 1}]}', "line 4"),
    ):
        solve(write("odd.json", text), status=INPUT, says=["odd.json", says])
    one = {"G": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "c": [0.5, 0, -1], "mu": 0.5}
    answers = solve(write("many.json", '{"problems": [' + ",".join([json.dumps(one)] * 100000) + "]}"))
    check(len(answers) == 100000 and answers[-1]["id"] == 99999 and answers[-1]["status"] == "converged", "a hundred thousand problems")
    check(solve(write("none.json", {"problems": []})) == [], "no problems")


def check_large():
    """Above --max-contacts problems are sparse: in blocks or dense in the file, the same answer as the dense solver's."""
    n = 70
    entries = {(i, k): [(2.0 if i == k else -1.0) * (e in (0, 4, 8)) for e in range(9)] for i in range(n) for k in (i - 1, i, i + 1) if 0 <= k < n}
    blocks = [[i, k, numbers] for (i, k), numbers in entries.items()]
    dense = [[entries.get((i // 3, k // 3), [0] * 9)[3 * (i % 3) + k % 3] for k in range(3 * n)] for i in range(3 * n)]
    free = [0, 0.1, -1] + [0, 0, 0.5] * (n - 1)
    write("l.json", {"problems": [{"id": "blocks", "blocks": blocks, "c": free, "mu": 0.5}, {"id": "dense", "G": dense, "c": free, "mu": 0.5}, {"G": G, "c": c, "mu": mu}]})
    solvers = ["nsgs"]
    lacks = subprocess.run([PROGRAM, "solve", path("l.json"), "--solver", "admm-ncp", "--max-sweeps", "1", "--json", path("x.json")], capture_output=True, text=True)
    if lacks.returncode == OK:
        solvers.append("admm-ncp")
    else:
        check("CXSparse" in lacks.stderr, f"admm-ncp is refused, but not because CXSparse is missing: {lacks.stderr}")
    for solver in solvers:
        words = ["--solver", solver, "--tolerance", "1e-10"]
        large, small = solve(path("l.json"), "--threads", "2", *words), solve(path("l.json"), "--max-contacts", "70", *words)
        run("solve", path("l.json"), "--problems", path("read.json"))
        check(solve(path("read.json"), *words) == large, f"{solver}: --problems writes another large problem than it read")
        check(large[0]["impulse"] == large[1]["impulse"], f"{solver}: blocks and the same matrix written out give other bits")
        check(large[2] == small[2], f"{solver}: a small problem beside large ones is solved otherwise")
        for a, b in zip(large, small):
            check(a["status"] == b["status"] == "converged" and a["modes"] == b["modes"], f"{solver}: {a['status']}, {b['status']}")
            check(near(a["velocity"], b["velocity"], 1e-8) and near(a["impulse"], b["impulse"], 1e-8), f"{solver}: blocks and lanes disagree")
    # The text of Siconos in sparse blocks, contacts as (N, T1, T2), of the same problem
    turned = [[numbers[3 * a + b] for b in (2, 0, 1) for a in (2, 0, 1)] for _, _, numbers in blocks]  # column after column
    ends = " ".join(str(3 * (i + 1)) for i in range(n))
    pointers = " ".join(str(sum(row < i for row, _, _ in blocks)) for i in range(n + 1))
    text = f"3\n{n}\n1\n{3 * n} {3 * n}\n{len(blocks)} {n} {n}\n{ends}\n{ends}\n{n + 1} {len(blocks)}\n{pointers}\n{' '.join(str(k) for _, k, _ in blocks)}\n"
    text += "".join(f"{number}\n{' '.join(map(str, block))}\n" for number, block in enumerate(turned))
    text += " ".join(str(free[3 * i + a]) for i in range(n) for a in (2, 0, 1)) + "\n" + "0.5 " * n + "\n"
    nsgs = ["--solver", "nsgs", "--tolerance", "1e-10"]
    wanted = solve(path("l.json"), *nsgs)[0]["impulse"]
    check(near(solve(write("l.dat", text), *nsgs)[0]["impulse"], wanted), "Siconos' sparse blocks are read otherwise")
    # A global problem in CSparse's triplets: seven columns of ten bodies, each with a mass of 1; M is diagonal and H couples neighbours
    M, H = [(i, i, 1.0) for i in range(3 * n)], []
    for i in range(n):
        for a, b in enumerate((2, 0, 1)):  # row a of contact i in the file is axis b
            H.append((3 * i + b, 3 * i + a, 1.0))
            if i % 10:
                H.append((3 * (i - 1) + b, 3 * i + a, -1.0))
    speeds = [0, 0.1, -1] * n
    triplets = lambda m, columns: f"2\n{3 * n} {columns}\n0\nCSparse Version 3\ntriplet: {3 * n}-by-{columns}, nzmax: {len(m)} nnz: {len(m)}\n" + "".join(f"    {i} {k} : {x}\n" for i, k, x in m)
    text = f"3\n{n}\n{triplets(M, 3 * n)}{triplets(H, 3 * n)}{' '.join(map(str, speeds))}\n{'0 ' * 3 * n}\n{'0.5 ' * n}\n"
    got = solve(write("global.dat", text), *nsgs)[0]
    check(got["status"] == "converged" and got["modes"] == "s" * n, f"a column of a global problem: {got['status']}, {got['modes']}")
    check(near(got["impulse"], [x for i in range(n) for x in (0, -0.1 * (10 - i % 10), 10 - i % 10)], 1e-8), "a column carries what is above it")

    def refused(says, words=("--solver", "nsgs"), **change):
        problem = {"id": "big", "blocks": blocks, "c": free, "mu": 0.5, **change}
        solve(write("b.json", {"problems": [problem]}), *words, status=INPUT, says=["b.json", "big", *says])

    refused(["[row, column"], blocks=[[0, 0, [1] * 8]])
    refused(["row 70"], blocks=[[70, 0, [1] * 9]])
    refused(["not symmetric", "[3][0]"], blocks=[*blocks[:1], *blocks[2:]])
    refused(['"G"', '"blocks"', "both"], G=dense)
    refused(["compliance"], R=[0.0] * 3 * n)
    refused(["without rows"], rows=[[1, None, None]], c=free + [0])
    refused(["hybrid cannot"], words=())
    run("solve", path("l.json"), "--solver", "nsgs", "--precision", "f32", status=INPUT, says=["f32", "double"])
    run("solve", path("l.json"), "--solver", "nsgs", "--trace", path("t.csv"), status=INPUT, says=["--trace", "70 contacts"])
    run("compare", path("l.json"), status=INPUT, says=["70 contacts", "solve"])
    full = [(i, k, 1.0 + 3100.0 * (i == k)) for i in range(3100) for k in (i, (i + 1) % 3100, (i - 1) % 3100)]
    text = f"3\n{n}\n2\n3100 3100\n0\nCSparse\ntriplet: 3100-by-3100, nzmax: {len(full)} nnz: {len(full)}\n" + "".join(f"{i} {k} : {x}\n" for i, k, x in full)
    text += f"2\n3100 {3 * n}\n0\nCSparse\ntriplet: 3100-by-{3 * n}, nzmax: {3 * n} nnz: {3 * n}\n" + "".join(f"{k} {k} : 1\n" for k in range(3 * n))
    solve(write("wide.dat", text + "0 " * 3100 + "0 " * 3 * n + "0.5 " * n), *nsgs, status=INPUT, says=["wide.dat", "couples 3100", "dense"])


def check_read():
    """--problems: what was read of any kind, as JSON that brings the same answers to the bit, and G as a lower triangle."""
    rows = [row + [0.1 * i] for i, row in enumerate(G)] + [[0.1 * i for i in range(6)] + [3]]
    full = {"id": "all", "G": rows, "c": c + [0.5], "mu": mu, "start": [0, 0, 0.1] * 2 + [0], "R": [0, 0, 0.1] * 2 + [0], "rows": [[0.3, -1, None]], "patches": [7, 7]}
    half = dict(full, G=[row[: i + 1] for i, row in enumerate(full["G"])])
    others = [SEEDS + "/fclib/good_many.h5", SEEDS + "/siconos/good_dense.dat"]
    for n, files in enumerate(([write("full.json", {"problems": [full]})], [write("half.json", {"problems": [half]})], others)):
        wanted = solve(*files)
        run("solve", *files, "--problems", path("read.json"))
        again = solve(path("read.json"))
        check([{**a, "file": 0} for a in again] == [{**a, "file": 0} for a in wanted], f"--problems, {n}: {again} is not {wanted}")
        with open(path("read.json"), encoding="utf-8") as file:
            back = json.load(file)["problems"]
        check(all(len(row) == i + 1 for problem in back for i, row in enumerate(problem["G"])), f"--problems, {n}: G is no lower triangle")
        check([problem["file"] for problem in back][:: len(back)] == files[:1], f"--problems, {n}: {[problem['file'] for problem in back]}")
        if n < 2:
            check(all(back[0][key] == half[key] for key in half), f"--problems, {n}: {back[0]} is not {half}")
    done = run("solve", path("half.json"), "--problems", "-")
    check(json.loads(done.stdout)["problems"][0]["id"] == "all", f"--problems -: {done.stdout}")
    cut = [row[:] for row in half["G"]]
    cut[3].append(1)
    solve(write("b.json", {"problems": [dict(half, G=cut)]}), status=INPUT, says=["b.json", '"G"[3]', "5 numbers, not 4", "triangle"])
    for words in (["--json", path("x.json")], ["--trace", path("x.csv")], ["--normal-first"]):
        run("solve", path("half.json"), "--problems", path("x.out"), *words, status=USAGE, says=["--problems"])
    run("solve", SEEDS + "/siconos/bad_nan.dat", "--problems", path("x.out"), status=INPUT, says=["bad_nan.dat"])
    check(not glob.glob(path("x.*")), f"what was refused leaves {glob.glob(path('x.*'))}")


def check_folders():
    folder = path("folder")
    os.mkdir(folder)
    shutil.copy(SEEDS + "/siconos/good_dense.dat", folder + "/b.anything")
    shutil.copy(SEEDS + "/fclib/good_local_c.h5", folder + "/c")
    shutil.copy(SEEDS + "/siconos/bad_plane.dat", folder + "/d.dat")
    write("folder/a.txt", "These are problems.")
    answers = solve(folder, "--cold", *TIGHT, says=["left aside", "a.txt", "d.dat", "two-dimensional"])
    check([os.path.basename(a["file"]) for a in answers] == ["b.anything", "c"], f"what a folder gives: {answers}")
    check(near(answers[0]["impulse"], answers[1]["impulse"]), "two files of one problem differ")
    both = solve(folder + "/c", write("p.json", {"problems": [{"G": G, "c": c, "mu": mu}]}), "--cold", *TIGHT)
    check(len(both) == 2 and near(both[0]["impulse"], both[1]["impulse"]), "two files on one line")
    empty = path("empty")
    os.mkdir(empty)
    solve(empty, status=INPUT, says=["empty", "no problem"])
    solve(path("absent.dat"), status=INPUT, says=["absent.dat"])


def check_damage():
    """Bytes that are cut off or overwritten: a message or an answer, never a crash."""
    with open(SEEDS + "/fclib/good_many.h5", "rb") as file:
        whole = file.read()
    for n in (0, 8, 90, 600, 4000, len(whole) // 2, len(whole) - 1):
        with open(path("cut.h5"), "wb") as file:
            file.write(whole[:n])
        solve(path("cut.h5"), status=INPUT, says=["cut.h5"])
    for at in range(40, len(whole), 397):
        with open(path("hurt.h5"), "wb") as file:
            file.write(whole[:at] + b"\xff\x00\x7f\x80" + whole[at + 4 :])
        done = subprocess.run([PROGRAM, "solve", path("hurt.h5")], capture_output=True, text=True, timeout=250)
        check(done.returncode in (OK, INPUT), f"overwritten at {at}: exit {done.returncode}")
        check(done.returncode == OK or "hurt.h5" in done.stderr, f"overwritten at {at}: {done.stderr}")


RUN = ["run", "anymal", "--task", "random", "--envs", "40", "--warmup", "400", "--steps", "120", "--threads", "2", "--precision", "f64"]


def dumped(name, *words):
    out = path("run.json")
    run(*RUN, "--dump-problems", path(name), "--json", out, *words)
    with open(out, encoding="utf-8") as file:
        return json.load(file)["state_hash"]


def check_dump():
    plain = path("plain.json")
    run(*RUN, "--json", plain)
    with open(plain, encoding="utf-8") as file:
        hash_of_run = json.load(file)["state_hash"]
    check(dumped("a.json", "--dump-count", "50") == hash_of_run, "dumping changes the run")
    check(dumped("b.json", "--dump-count", "50", "--threads", "1") == hash_of_run, "dumping changes the run on one thread")
    with open(path("a.json"), "rb") as a, open(path("b.json"), "rb") as b:
        check(a.read() == b.read(), "two dumps of one run differ")
    with open(path("a.json"), encoding="utf-8") as file:
        text = file.read()
    problems = json.loads(text)["problems"]
    check(len(problems) == 50 and text.count("\n") == 52, f"{len(problems)} problems, {text.count(chr(10))} lines")
    check(len({p["source"]["step"] for p in problems}) >= 40 and len({p["source"]["env"] for p in problems}) >= 15, "problems are not spread")
    check(all(len(p["mu"]) >= 1 and len(p["c"]) == 3 * len(p["mu"]) == len(p["start"]) == len(p["G"]) for p in problems), "shapes of a dump")
    check(any(any(p["start"]) for p in problems), "no problem has a warm start")
    warm, cold = solve(path("a.json")), solve(path("a.json"), "--cold")
    check(all(a["status"] == "converged" for a in warm + cold), "a dumped problem was not solved")
    check(sum(a["iterations"] for a in warm) < sum(a["iterations"] for a in cold), "warm starts save nothing")
    dumped("a.h5", "--dump-count", "50")
    same = solve(path("a.h5"))
    check([a["impulse"] for a in same] == [a["impulse"] for a in warm], "HDF5 and JSON hold other problems")
    dumped("two.json", "--dump-count", "20", "--dump-contacts", "2")
    with open(path("two.json"), encoding="utf-8") as file:
        check(all(len(p["mu"]) >= 2 for p in json.load(file)["problems"]), "--dump-contacts 2 dumps single contacts")
    done = run("run", "anymal", "--task", "drop", "--envs", "3", "--warmup", "0", "--steps", "5", "--dump-problems", path("air.json"), says=["0 of 1000"])
    check('0 in "' in done.stdout and solve(path("air.json")) == [], "a run in the air")
    # On a vertical rail nothing moves along the tangents: zeros on the diagonal of G, which are lawful.
    run("run", "hopper", "--root", "fixed", "--ground", "0", "--envs", "20", "--steps", "1000", "--warmup", "0", "--dump-problems", path("rail.json"), "--dump-count", "50")
    with open(path("rail.json"), encoding="utf-8") as file:
        check(any(p["G"][0][0] == 0 for p in json.load(file)["problems"]), "a rail without a zero on the diagonal")
    answers = solve(path("rail.json"))
    check(len(answers) == 50 and all(a["status"] == "converged" for a in answers), "a dump of a rail")
    run(*RUN, "--dump-count", "5", status=USAGE, says=["--dump-problems"])
    run(*RUN, "--dump-problems", path("x.json"), "--dump-count", "0", status=USAGE, says=["--dump-count"])
    run(*RUN, "--dump-problems", "-", status=USAGE, says=["--dump-problems"])
    run(*RUN, "--dump-problems", path("x.json"), "--json", path("x.json"), status=USAGE, says=["x.json"])
    run(*RUN, "--dump-problems", path("none/x.json"), status=INPUT, says=["none/x.json"])


def check_trace():
    problem = write("p.json", {"problems": [{"id": 'the "first", of one', "G": G, "c": c, "mu": mu}, {"id": 2, "G": G, "c": c, "mu": 0.1}]})
    answers = solve(problem, *TIGHT, "--trace", path("t.csv"))
    with open(path("t.csv"), encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for answer in answers:
        mine = [r for r in rows if r["id"] == str(answer["id"])]
        if not check(len(mine) > 5, f"{len(mine)} rows of {answer['id']}"):
            continue
        sweeps = [int(r["iterations"]) for r in mine]
        check(sweeps[:5] == [1, 2, 3, 4, 5] and sweeps == sorted(sweeps), f"sweeps {sweeps}")
        check([int(r["max_sweeps"]) for r in mine[:-1]] == sweeps[:-1], "a capped solve does not end at its cap")
        last = mine[-1]
        # a solver that measures now and then is done a little earlier than it says
        check(int(last["iterations"]) <= answer["iterations"] and last["status"] == "converged", f"{last} is not the end of {answer}")
        check(float(last["residual"]) <= 1e-12 < float(mine[-2]["residual"]), f"residuals at the end: {mine[-2:]}")
        check(float(mine[0]["residual"]) > float(last["residual"]) and all(float(r["solve_s"]) > 0 for r in mine), "residuals and times")
        check(all(r["solver"] == "pgs" and (r["status"] == "iteration limit") == (r is not last) for r in mine), "status of rows")
    solve(problem, *TIGHT, "--trace", path("t.json"))
    with open(path("t.json"), encoding="utf-8") as file:
        again = json.load(file)["trace"]
    check([(str(r["id"]), r["iterations"]) for r in again] == [(r["id"], int(r["iterations"])) for r in rows], "CSV and JSON differ")
    run("solve", problem, "--trace", path("o.json"), "--json", path("o.json"), status=USAGE, says=["o.json"])
    solve(problem, "--max-sweeps", "3", "--tolerance", "1e-15", "--solver", "pgs", "--trace", path("t.csv"))
    with open(path("t.csv"), encoding="utf-8", newline="") as file:
        check([int(r["iterations"]) for r in csv.DictReader(file)] == [1, 2, 3] * 2, "--max-sweeps does not end a trace")


def profile(rows, solvers, solved_by, cost):
    """Dolan and More's profiles from the rows of the CSV: {solver: [ratio, ..] ascending}."""
    costs = {}
    for key in {(r["file"], r["id"]) for r in rows}:
        for solver in solvers:
            runs = [r for r in rows if (r["file"], r["id"], r["solver"]) == (*key, solver)]
            run_of = solved_by(runs)
            if run_of:
                costs[key, solver] = cost(run_of)
    best = {}
    for (key, _), value in costs.items():
        best[key] = min(best.get(key, value), value)
    return {s: sorted(v / best[k] for (k, t), v in costs.items() if t == s) for s in solvers}


def check_compare():
    problems = [{"id": i, "G": G, "c": [x * (1 + 0.3 * i) - 0.1 * i for x in c], "mu": [0.1 * i, 0.6]} for i in range(9)]
    file = write("p.json", {"problems": problems + [{"id": "none", "G": [], "c": [], "mu": []}]})
    names = ["bisection", "bisection-paper", "pgs"]
    done = run("compare", file, "--solvers", ",".join(names), "--tolerance", "1e-5", "--accuracies", "1e-2,1e-9", "--repeat", "2", "--json", path("c.json"),
               "--csv", path("c.csv"), "--plots", path("plots"), "--plot-format", "svg", says=["1 of 10 problems"])
    for name in names:
        check(name in done.stdout, f"the table lacks {name}")
    with open(path("c.json"), encoding="utf-8") as f:
        c_ = json.load(f)
    with open(path("c.csv"), encoding="utf-8", newline="") as f:
        rows = list(csv.DictReader(f))
    check(c_["problems"] == 9 and c_["tolerance"] == 1e-5 and [s["solver"] for s in c_["solvers"]] == names, f"{c_.keys()}")
    check(len(rows) == 9 * 3 * 3, f"{len(rows)} rows of CSV")
    accuracies = [1e-2, 1e-5, 1e-9]
    solved_ncp = lambda runs: next((r for r in sorted(runs, key=lambda r: -float(r["tolerance"])) if float(r["residual_ncp"]) <= 1e-5), None)
    solved_own = lambda runs: next((r for r in runs if float(r["tolerance"]) == 1e-5 and r["status"] == "converged"), None)
    expected = {
        "own_time": profile(rows, names, solved_own, lambda r: float(r["solve_s"])),
        "own_iterations": profile(rows, names, solved_own, lambda r: max(1, float(r["iterations"]))),
        "ncp_time": profile(rows, names, solved_ncp, lambda r: float(r["solve_s"])),
        "ncp_iterations": profile(rows, names, solved_ncp, lambda r: max(1, float(r["iterations"]))),
    }
    for s in c_["solvers"]:
        check([a["accuracy"] for a in s["accuracies"]] == accuracies, f"accuracies {s}")
        check(s["problems_per_s"] > 0 and s["model"] in ("ncp", "dissipation"), f"{s['solver']}: {s['problems_per_s']}, {s['model']}")
        for a in s["accuracies"]:
            mine = [r for r in rows if r["solver"] == s["solver"] and float(r["tolerance"]) == a["accuracy"]]
            count = lambda status: sum(r["status"] == status for r in mine)
            check((a["own"]["solved"], a["stalled"], a["iteration_limit"], a["not_finite"]) == tuple(map(count, ("converged", "stalled", "iteration limit", "not finite"))),
                  f"{s['solver']} at {a['accuracy']}: how solves ended")
            check(all(float(r["residual"]) <= a["accuracy"] for r in mine if r["status"] == "converged"), "a converged solve is above its tolerance")
        for which, wanted in expected.items():
            steps, ratios = s["profiles"][which], wanted[s["solver"]]
            check(all(0 < y <= 1 and x >= 1 for x, y in steps) and steps == sorted(steps), f"{which} of {s['solver']} does not rise: {steps}")
            for tau, part in steps:  # the CSV has nine digits of a time, each off by 5e-9 of it at most
                check(abs(part - sum(r <= tau * (1 + 1.1e-8) for r in ratios) / 9) < 1e-9, f"{which} of {s['solver']}: {part} at {tau}, {ratios}")
            check(len(steps) == 0 and not ratios or abs(steps[-1][1] - len(ratios) / 9) < 1e-9, f"{which} of {s['solver']} ends at {steps[-1:]}")
    pictures = sorted(os.path.basename(p) for p in glob.glob(path("plots/*.svg")))
    if shutil.which("gnuplot"):
        check(len(pictures) == 6 and "profile-time-ncp.svg" in pictures, f"pictures {pictures}")
        for picture in pictures:
            with open(path("plots/" + picture), encoding="utf-8") as f:
                text = f.read()
            check("</svg>" in text and all(f">{n}<" in text for n in names) and text.count("<path") > 6, f"{picture} shows no curves")
        run("compare", file, "--solvers", "pgs", "--repeat", "1", "--plots", path("png"), "--plot-format", "png")
        with open(path("png/profile-time-own.png"), "rb") as f:
            check(f.read(8) == b"\x89PNG\r\n\x1a\n", "profile-time-own.png is not a PNG")
    run("compare", file, "--solvers", "pgs", "--repeat", "1", "--plots", path("bare"), env={"PATH": "/nowhere", "LC_ALL": "C"}, says=["gnuplot-nox", "bare"])
    check(os.path.exists(path("bare/profile-time-own.dat")) and os.path.exists(path("bare/profile-time-own.gp")), "no data without gnuplot")
    run("compare", file, "--solvers", "all", "--repeat", "1", "--max-sweeps", "200", "--precision", "f32")
    for words, says in ((["--solvers", "pgs,pqs"], '"pqs"'), (["--solvers", "pgs,pgs"], "twice"), (["--solvers", ""], "none"), (["--accuracies", "1e-2,x"], '"x"'),
                        (["--repeat", "0"], "--repeat"), (["--plot-format", "gif"], "gif"), (["--envs", "3"], "--envs")):
        run("compare", file, *words, status=USAGE, says=[says])
    run("compare", status=USAGE, says=["PROBLEMS"])
    run("compare", write("none.json", {"problems": []}), "--json", path("no.json"), status=INPUT, says=["no problem"])
    run("compare", SEEDS + "/siconos/bad_nan.dat", "--csv", path("no.csv"), status=INPUT, says=["bad_nan.dat"])
    run("compare", file, "--plots", path("p.json"), "--csv", path("no.csv"), status=INPUT, says=["p.json"])
    check(not glob.glob(path("no.*")), "a comparison that failed leaves outputs")


def check_ends():
    """A command that ends early leaves the old files and no others, and does not speak of answers that are not there."""
    problems = write("end.json", {"problems": [{"G": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "c": [0, 0, -1], "mu": 0.5}]})
    done = run("solve", problems, "--trace", "/dev/full", "--json", path("unsaid.json"), status=INPUT, says=["/dev/full"])
    check("answers in" not in done.stdout and not os.path.exists(path("unsaid.json")), f"answers that were not written are announced: {done.stdout}")
    done = run("compare", problems, "--solvers", "pgs", "--plots", problems, status=INPUT, says=["end.json", "it is a file"])
    check("pgs" not in done.stdout, "compare measures before it knows whether its plots can be written")
    os.mkfifo(path("waits"))
    old = write("kept.json", "old")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        process = subprocess.Popen(
            [PROGRAM, "solve", path("waits"), "--json", old, "--trace", path("kept.csv")],
            stderr=subprocess.DEVNULL,
            preexec_fn=lambda: [signal.signal(n, signal.SIG_DFL) for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)],
        )
        until = time.time() + 60
        while time.time() < until and len(glob.glob(path("kept.*.tmp-*"))) < 2:
            time.sleep(0.01)
        begun = len(glob.glob(path("kept.*.tmp-*")))
        process.send_signal(number)
        process.wait(60)
        check(begun == 2 and process.returncode == -number, f"{number.name}: {begun} files begun, exit {process.returncode}")
        left = sorted(os.path.basename(name) for name in glob.glob(path("kept*")))
        check(left == ["kept.json"], f"{number.name} leaves {left}")
    with open(old, encoding="utf-8") as file:
        check(file.read() == "old", "a signal changes the old answers")


def killed(words, begun, size=0):
    """Start the program, kill it -9 when the files that match `begun` are there and have grown; what it left. It may have been quicker: again."""
    left, code = [], None
    for _ in range(5):
        process = subprocess.Popen([PROGRAM, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.time() + 30
        while time.time() < until and process.poll() is None:
            found = glob.glob(path(begun))
            try:
                if found and all(os.path.getsize(name) >= size for name in found):
                    break
            except OSError:  # renamed in between
                pass
            time.sleep(0.001)
        process.kill()
        code, left = process.wait(60), sorted(glob.glob(path(begun)))
        if left:
            break
        for name in glob.glob(path(begun.split(".tmp-")[0])):  # it came to its end
            os.remove(name)
    return code, left


def check_killed():
    """kill -9 in the middle of a write: the target is whole or absent, and the next write of it takes away what was left."""
    # The library writes beside the file of the program: both go.
    words = ["run", "anymal", "--task", "none", "--warmup", "0", "--steps", "1", "--threads", "1", "--save", path("big.bin"), "--json", path("big.json")]
    code, left = killed([*words, "--envs", "60000"], "big.bin.tmp-*.tmp-*", 100000)
    check(code == -signal.SIGKILL and len(left) == 1 and not os.path.exists(path("big.bin")), f"kill -9 in the middle of --save: exit {code}, {left}")
    check(len(glob.glob(path("big.*.tmp-*"))) == 3, f"a killed run leaves {glob.glob(path('big.*'))}")
    mine = path("big.bin.tmp-mine")  # not of ours, whatever it is
    write("big.bin.tmp-mine", "kept")
    write("big.bin2.tmp-00000000-1-0", "kept")
    run(*words, "--envs", "4")
    there = sorted(os.path.basename(name) for name in glob.glob(path("big.*")))
    check(there == ["big.bin", "big.bin.tmp-mine", "big.bin2.tmp-00000000-1-0", "big.json"], f"the next run leaves {there}")
    os.remove(mine)
    # Answers of `solve` and a dump, while they are open.
    os.mkfifo(path("never"))
    code, left = killed(["solve", path("never"), "--json", path("ans.json"), "--trace", path("ans.csv")], "ans.json.tmp-*")
    check(code == -signal.SIGKILL and len(left) == 1, f"kill -9 of solve: exit {code}, {left}")
    for name in ("dump.json", "dump.h5"):
        code, left = killed(["run", "anymal", "--envs", "64", "--steps", "100000000", "--warmup", "0", "--dump-problems", path(name)], name + ".tmp-*")
        check(code == -signal.SIGKILL and len(left) == 1, f"kill -9 of a dump: exit {code}, {left}")
        run("run", "anymal", "--envs", "4", "--steps", "4", "--warmup", "0", "--dump-problems", path(name), "--dump-count", "4")
        check(glob.glob(path(name + "*")) == [path(name)], f"a dump leaves {glob.glob(path(name + '*'))}")
    # One that lives keeps its files, and ends well.
    first = subprocess.Popen([PROGRAM, "solve", path("never"), "--json", path("ans.json")], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    until = time.time() + 60
    mark = f"-{first.pid}-"
    while time.time() < until and not any(mark in name for name in glob.glob(path("ans.json.tmp-*"))):
        time.sleep(0.01)
    problem = {"problems": [{"G": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "c": [0, 0, -1], "mu": 0.5}]}
    solve_into = ["solve", write("one.json", problem), "--json", path("ans.json")]
    run(*solve_into)
    left = glob.glob(path("ans.json.tmp-*"))
    check(len(left) == 1 and mark in left[0], f"beside a living writer: {left}")
    with open(path("never"), "w", encoding="utf-8") as file:
        file.write(json.dumps(problem))
    check(first.wait(60) == OK and not glob.glob(path("ans.json.tmp-*")), f"the living writer: {first.stderr.read()}, {glob.glob(path('ans.*'))}")
    first.stderr.close()


def check_shared():
    """Every sample of Siconos: those that are three-dimensional and of at most 64 contacts are read as the oracle has them."""
    folder = SHARED + "/siconos_test_data"
    if not os.path.isdir(folder):
        return "not here: left out"
    answers = {os.path.basename(a["file"]): a for a in solve(folder, says=["ACinputs.dat", "COPYING"])}
    with open(SHARED + "/siconos_small.json", encoding="utf-8") as file:
        oracle = {p["file"]: p for p in json.load(file)["problems"]}
    for name, problem in oracle.items():
        if check(name in answers, f"{name} is not read"):
            exact = velocity({"G": problem["G"], "c": problem["g"]}, answers[name])
            allowed = max(1e-12, 10 * problem["asymmetry"]) * max(map(abs, problem["g"]))  # ours is symmetrised
            check(near(exact, answers[name]["velocity"], allowed), f"{name}: {exact} is not {answers[name]['velocity']}")
    for name in sorted(os.listdir(folder)):
        if name not in answers:
            solve(os.path.join(folder, name), status=INPUT, says=[name])
    big = [name for name in os.listdir(folder) if name.startswith("Box_Stacks")]
    for name in big:  # 82 contacts on 450 velocities
        answer = solve(os.path.join(folder, name), "--max-contacts", "100", "--solver", "pgs", "--tolerance", "1e-6")[0]
        check(answer["status"] == "converged" and len(answer["modes"]) == 82, f"{name}: {answer['status']}")
    return f"{len(answers)} of {len(os.listdir(folder))} files"


finish(check_kinds, check_json, check_read, check_large, check_folders, check_damage, check_dump, check_trace, check_compare, check_ends, check_killed, check_shared)
