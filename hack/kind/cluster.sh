# The names of the local cluster, for the scripts that use it.
# shellcheck shell=bash disable=SC2034
CLUSTER=assay
NODES=("$CLUSTER-control-plane" "$CLUSTER-worker" "$CLUSTER-worker2")
# Ours alone: the user's own ~/.kube/config is never touched.
export KUBECONFIG=$REPO/out/kubeconfig

kubectl_() { "$REPO/bin/kubectl" --request-timeout=10s "$@"; }
