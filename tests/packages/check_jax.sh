#!/usr/bin/env bash
# ctest: long timeout=1800 needs=python
# A control step inside jax.jit (examples/jax_step.py): jax 0.10.2 in an environment of its own (640 MB), with the package that check_python has installed.
# The function is compiled with c++ against this clone's headers and jax's.
set -euo pipefail
. "$MYRIAPOD_SOURCE/tests/support/own_venv.sh"
own_venv jax 'jax==0.10.2' 'jaxlib==0.10.2'
cd "$venv"
"$venv/bin/python" -B -m pytest --quiet -p no:cacheprovider "$MYRIAPOD_SOURCE/python/tests/test_jax_step.py" | tee jax-tests.txt
grep -q '2 passed' jax-tests.txt || { echo "jax's call was not tried"; exit 1; }
"$venv/bin/python" -B "$MYRIAPOD_SOURCE/examples/jax_step.py" --envs 256 --steps 20 | tee jax-example.txt
grep -q '^256 robots, 20 control steps in .* m$' jax-example.txt
