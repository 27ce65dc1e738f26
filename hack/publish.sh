#!/usr/bin/env bash
# Publishes what a cluster needs into a registry of one's own: the steps of a release for this machine's architecture, without signatures.
# Usage: publish.sh REGISTRY/FOLDER
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cd "$REPO"
[[ ${1:-} == */* ]] || fail "usage: make publish REPOSITORY=registry.example.com/assay"
VERSION=$(sed -n 's/^version: //p' charts/assay/Chart.yaml)
export VERSION REPOSITORY=$1
architecture=$(go env GOARCH)
step "publish $VERSION into $REPOSITORY"
hack/release.sh images "$architecture"
hack/release.sh index "$architecture"
hack/release.sh chart
step_done
say "helm install assay oci://$REPOSITORY/charts/assay --version $VERSION --namespace assay-system --create-namespace"
