"""A good guest in its process: Ctrl-C, fork, other threads, memory."""
import os
import signal
import subprocess
import sys
import threading
import time

import myriapod
import numpy as np
import pytest

LONG = {
    "step": "batch.step(10**9)",
    "rollout": "batch.rollout(np.zeros((16, 20000, 0), np.float32))",
    "mujoco": "myriapod.rollout.rollout('cube', batch, None, None, nstep=20000)",
}


@pytest.mark.parametrize("call", LONG)
def test_ctrl_c_ends_a_long_call(call):
    program = f"""
import myriapod, numpy as np
batch = myriapod.Batch('cube', 16, threads=1, decimation=1600)
print('ready', flush=True)
try:
    {LONG[call]}
except KeyboardInterrupt:
    start = batch.time.max()
    batch.step(1)
    print('interrupted', start > 0 and len(set(batch.time)) == 1 and not batch.quarantined.any())
"""
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.7)
    child.send_signal(signal.SIGINT)
    start = time.monotonic()
    out, _ = child.communicate(timeout=20)
    assert time.monotonic() - start < 2
    assert out == "interrupted True\n"


def test_closing_in_a_signal_handler_harms_nothing():
    with myriapod.Batch("cube", 64, threads=1, decimation=200) as batch:
        before = signal.signal(signal.SIGALRM, lambda *_: batch.close())
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            while not batch.closed:
                try:
                    batch.step(50)
                except myriapod.StateError:
                    assert batch.closed
        finally:
            signal.signal(signal.SIGALRM, before)


def test_fork_is_an_error_and_no_hang(robot):
    with myriapod.Batch(robot, 64, threads=2) as batch:
        batch.step(2)
        child = os.fork()
        if child == 0:
            code = 1
            try:
                try:
                    batch.step(1)
                except myriapod.ForkError as error:
                    code = 0 if "fork" in str(error) else 2
                batch.close()
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        batch.step(1)


def test_other_threads_go_on_meanwhile_and_may_use_the_same_batch(robot):
    with myriapod.Batch(robot, 1024, threads=1, decimation=10) as batch:
        counted, seen = 0, []

        def use():
            batch.step(20)
            seen.append(batch.time[0])

        workers = [threading.Thread(target=use) for _ in range(3)]
        for worker in workers:
            worker.start()
        while any(worker.is_alive() for worker in workers):
            counted += 1
            time.sleep(0.001)
        assert counted > 10
        assert batch.time[0] == pytest.approx(0.6) and len(seen) == 3


def resident_bytes():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def test_a_thousand_batches_leave_nothing_behind():
    def cycle():
        with myriapod.Batch("cube", 64, threads=1) as batch:
            batch.q = np.zeros((64, 7))
            batch.step(1)
            batch.rollout(nsteps=1)
            batch.view("q")
            with pytest.raises(myriapod.Error):
                batch.get("q", ids=[99])

    for _ in range(50):
        cycle()
    grown = []
    while len(grown) < 3 and (not grown or grown[-1] >= 2**21):  # other tests' servers live in this process and may take memory once; a leak takes it each time
        before = resident_bytes()
        for _ in range(1000):
            cycle()
        grown.append(resident_bytes() - before)
    assert grown[-1] < 2**21, grown  # 2 kB a cycle; a batch alone has more than 100 kB


def test_the_library_stays_once_loaded():
    """OpenMP's workers still spin when the interpreter lets go of the library at its end: code that is gone then is a crash, now and again."""
    library = os.path.join(os.path.dirname(myriapod.__file__), "lib", "libmyriapod.so")
    words = "import ctypes, _ctypes, sys; _ctypes.dlclose(ctypes.CDLL(sys.argv[1])._handle); print(open('/proc/self/maps').read().count(sys.argv[1]))"
    assert int(subprocess.run([sys.executable, "-c", words, library], capture_output=True, check=True, text=True).stdout) > 0
