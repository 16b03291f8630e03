#!/usr/bin/env bash
# What mpiexec calls in the place of ssh, where a node is a network namespace: HOST COMMAND... -> COMMAND in the namespace NODES-HOST, by that host name.
# mpiexec has options of ssh before HOST.
set -euo pipefail
while [[ $1 == -* ]]; do shift; done
host=$1
shift
exec ip netns exec "$NODES-${host##*.}" unshare --uts bash -c "hostname node-${host##*.}; $*"
