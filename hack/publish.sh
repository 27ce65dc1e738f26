#!/usr/bin/env bash
# Publishes what a cluster needs into a registry of one's own: the steps of a release for this machine's architecture, without signatures.
# Usage: publish.sh REGISTRY/FOLDER
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cd "$REPO"
[[ ${1:-} == */* ]] || fail "usage: make publish REPOSITORY=registry.example.com/assay"
[[ $1 != docker.io/* ]] || fail "REPOSITORY: Docker Hub has no folder charts below $1, where the chart goes: name another registry"
missing=()
for program in docker go npm python3; do command -v "$program" >/dev/null || missing+=("$program"); done
((${#missing[@]} == 0)) || fail "building the images takes ${missing[*]}, which this machine lacks"
VERSION=$(sed -n 's/^version: //p' charts/assay/Chart.yaml)
export VERSION REPOSITORY=$1
architecture=$(go env GOARCH)
step "publish $VERSION into $REPOSITORY"
hack/engine.sh up
prepare_builder
hack/release.sh images "$architecture"
hack/release.sh index "$architecture"
hack/release.sh chart
step_done
say "Where the registry wants a login, give it to the nodes, and to the manager by imagePullSecrets of the chart. Then:"
say "helm install assay oci://$REPOSITORY/charts/assay --version $VERSION --namespace assay-system --create-namespace"
