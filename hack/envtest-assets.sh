#!/usr/bin/env bash
# Puts API server, etcd and kubectl into one folder, as envtest wants them, links it to bin/envtest and prints it.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

kubernetes=$(tool kubernetes)
assets=$CACHE/envtest-$(digest -- "${kubernetes##*/}")
mkdir -p "$assets" "$REPO/bin"
ln -sfn "$kubernetes/kube-apiserver" "$assets/kube-apiserver"
ln -sfn "$kubernetes/kubectl" "$assets/kubectl"
ln -sfn "$kubernetes/etcd" "$assets/etcd"
ln -sfn "$assets" "$REPO/bin/envtest"
printf '%s\n' "$assets"
