#!/usr/bin/env bash
# ctest: long timeout=1800 needs=python
# judo's own controller with our rollouts (python/tests/test_judo.py has classes in its place), and the bench of both runs: judo-rai, in an environment
# of its own (800 MB), as it wants a MuJoCo of its own version. The package is the one that check_python has installed.
set -euo pipefail
. "$MYRIAPOD_SOURCE/tests/support/own_venv.sh"
own_venv judo 'judo-rai==0.1.0'
cd "$venv"
"$venv/bin/python" -B -m pytest --quiet -p no:cacheprovider "$MYRIAPOD_SOURCE/python/tests/test_judo.py" -W ignore | tee judo-tests.txt
grep -q '5 passed' judo-tests.txt || { echo "judo's controller was not tried"; exit 1; }
"$venv/bin/python" -B -W ignore "$MYRIAPOD_SOURCE/bench/peers/judo_rollouts.py" --seconds 0.4 --seeds 0 | tee judo-bench.txt
[ "$(grep -c '^| [a-z_]* | .* | 32 | [1-9][0-9]* | -[0-9]* |$' judo-bench.txt)" = 8 ] || { echo "the bench has another table"; exit 1; }
