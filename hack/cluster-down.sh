#!/usr/bin/env bash
# Deletes the local cluster. The images and the engine stay.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
source "$REPO/hack/kind/cluster.sh"

docker info >/dev/null 2>&1 || { say "no container engine runs, so no cluster does"; exit; }
step "deleting cluster $CLUSTER"
"$(tool kind)/kind" delete cluster --name "$CLUSTER" --kubeconfig "$KUBECONFIG" >&2
step_done
