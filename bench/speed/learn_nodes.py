"""Two network namespaces as two nodes that learn together by MPI, with a wire of 1 and of 10 Gb/s between them: what an iteration costs, and what a model of it
foretells.

    sudo env PATH=$PATH python bench/speed/learn_nodes.py [--robots 512 2048 8192] [--rates 10 1]

Each node has one process of one thread. The wire is a pair of veth; `tc` holds it to the rate by a token bucket, both ways. Its latency stays that of this
machine's kernel. The model: an iteration of one process, halved; what two processes exchange on a wire without bound, which is measured first; and half of
the bytes at the wire's rate. Needs root, iproute2, mpi4py and openmpi."""
import argparse
import contextlib
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
NODE = f"myriapod-{os.getpid()}"
WIRE = f"myr{os.getpid()}"
AGENT = HERE.parents[1] / "tests" / "netns_agent.sh"
ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "PRTE_ALLOW_RUN_AS_ROOT": "1", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def ip(*words):
    subprocess.run(["ip", *words], check=True)


@contextlib.contextmanager
def nodes():
    try:
        for k in (1, 2):
            ip("netns", "add", f"{NODE}-{k}")
        ip("link", "add", f"{WIRE}a", "netns", f"{NODE}-1", "type", "veth", "peer", "name", f"{WIRE}b", "netns", f"{NODE}-2")
        for k, end in ((1, "a"), (2, "b")):
            ip("-n", f"{NODE}-{k}", "addr", "add", f"10.77.6.{k}/24", "dev", f"{WIRE}{end}")
            for link in ("lo", f"{WIRE}{end}"):
                ip("-n", f"{NODE}-{k}", "link", "set", link, "up")
        yield
    finally:
        for k in (1, 2):
            subprocess.run(["ip", "netns", "del", f"{NODE}-{k}"], check=False)


def hold(rate):
    """Gb/s of both ends; None: as fast as the kernel is. A burst is small beside a minibatch's bytes, or these would pass at once."""
    for k, end in ((1, "a"), (2, "b")):
        tc = ["ip", "netns", "exec", f"{NODE}-{k}", "tc", "qdisc"]
        subprocess.run([*tc, "del", "dev", f"{WIRE}{end}", "root"], check=False, stderr=subprocess.DEVNULL)
        if rate:
            subprocess.run([*tc, "add", "dev", f"{WIRE}{end}", "root", "tbf", "rate", f"{rate}gbit", "burst", "16kb", "latency", "50ms"], check=True)


def program(robots, iterations):
    return [sys.executable, str(HERE / "learn_processes.py"), "--envs", str(robots), "--iterations", str(iterations), "--threads", "1", "--json"]


def alone(robots, iterations):
    """On one core, as each of the two processes is."""
    return json.loads(subprocess.run(["taskset", "-c", "0", *program(robots, iterations)], check=True, capture_output=True, text=True).stdout)


def together(robots, iterations):
    run = ["mpiexec", "--host", "10.77.6.1:1,10.77.6.2:1", "--map-by", "node", "-n", "2", "--bind-to", "none", "--prtemca", "plm_ssh_agent", str(AGENT), "--mca", "pml", "ob1", "--mca",
           "btl", "self,tcp", *program(robots, iterations)]
    command = f"hostname node-1; exec {' '.join(run)}"
    done = subprocess.run(["ip", "netns", "exec", f"{NODE}-1", "unshare", "--uts", "bash", "-c", command], capture_output=True, text=True, timeout=600,
                          env={**os.environ, **ROOT, "NODES": NODE})
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(done.stdout[done.stdout.index("{"):])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robots", type=int, nargs="+", default=[512, 2048, 8192])
    parser.add_argument("--rates", type=float, nargs="+", default=[10.0, 1.0], help="Gb/s, after a wire as fast as the kernel is")
    args = parser.parse_args()
    print("| robots | wire [Gb/s] | ms an iteration: one process | two | foretold | physics, learning, exchange [ms] | MB, calls | weights |\n|" + " --- |" * 8)
    with nodes():
        for robots in args.robots:
            iterations = max(5, 40960 // robots)
            one = alone(robots, iterations)
            exchange = 0.0
            for rate in (None, *args.rates):
                hold(rate)
                two = together(robots, iterations)
                if two["weights"] != one["weights"]:
                    sys.exit(f"{robots} robots: the weights of two processes are {two['weights']}, of one {one['weights']}")
                exchange = exchange or two["exchange_ms"]
                foretold = f"{one['ms'] / 2 + exchange + two['bytes'] / 2 * 8 / (rate * 1e9) * 1e3:.1f}" if rate else "-"
                print(f"| {robots} | {rate or 'no bound'} | {one['ms']:.1f} | {two['ms']:.1f} | {foretold} | {two['physics_ms']:.1f}, {two['learning_ms']:.1f}, "
                      f"{two['exchange_ms']:.1f} | {two['bytes'] / 1e6:.2f}, {two['calls']} | {two['weights']} |", flush=True)


if __name__ == "__main__":
    main()
