#!/usr/bin/env bash
# ctest: slow timeout=120
# may skip: two network namespaces need root, iproute2 and a kernel that allows them; a container often does not
# A farm of two nodes: two network namespaces with a wire between them, mpiexec in one, a daemon of its own in the other, MPI by TCP alone. The line is that
# of one process.
set -euo pipefail
. "$MYRIAPOD_SOURCE/tests/support/mpi_of_index.sh"
export NODES=myriapod-$$ wire=myr$$
command -v ip >/dev/null && command -v unshare >/dev/null || { echo "skipped: no ip or no unshare (Debian: iproute2, util-linux)"; exit 77; }
finish() {
    ip netns del "$NODES-1" 2>/dev/null || true # the wire goes with them
    ip netns del "$NODES-2" 2>/dev/null || true
}
trap finish EXIT
why=$({ ip netns add "$NODES-1" && ip netns add "$NODES-2" && unshare --uts true &&
    ip link add "${wire}a" netns "$NODES-1" type veth peer name "${wire}b" netns "$NODES-2"; } 2>&1) || { echo "skipped: $why"; exit 77; }
ip -n "$NODES-1" addr add 10.77.5.1/24 dev "${wire}a"
ip -n "$NODES-2" addr add 10.77.5.2/24 dev "${wire}b"
for node in 1 2; do ip -n "$NODES-$node" link set lo up; done
ip -n "$NODES-1" link set "${wire}a" up
ip -n "$NODES-2" link set "${wire}b" up

wanted=$(mpiexec -n 1 ./mpi_rollout anymal 100 20)
began=$(date +%s.%N)
ip netns exec "$NODES-1" unshare --uts bash -c 'hostname node-1; exec timeout 60 mpiexec --host 10.77.5.1:2,10.77.5.2:2 --map-by node --oversubscribe -n 3 \
    --prtemca plm_ssh_agent "$0" --mca pml ob1 --mca btl self,tcp bash -c "hostname; exec ./mpi_rollout anymal 100 20"' "$MYRIAPOD_SOURCE/tests/support/netns_agent.sh" |
    sort >nodes.txt
awk -v began="$began" -v ended="$(date +%s.%N)" 'BEGIN {printf "%.1f s\n", ended - began}'
cat nodes.txt
diff nodes.txt <(printf '%s\n' "$wanted" node-1 node-1 node-2 | sort)
