#!/usr/bin/env bash
# Puts API server, etcd and kubectl into one folder, as envtest wants them, links it to bin/envtest and prints it.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

kubernetes=$(tool kubernetes)
etcd=$(tool etcd)
assets=$CACHE/envtest-$(digest -- "${kubernetes##*/}" "${etcd##*/}")
mkdir -p "$assets" "$REPO/bin"
ln -sfn "$kubernetes/kube-apiserver" "$assets/kube-apiserver"
ln -sfn "$kubernetes/kubectl" "$assets/kubectl"
ln -sfn "$etcd/etcd" "$assets/etcd"
ln -sfn "$assets" "$REPO/bin/envtest"
printf '%s\n' "$assets"
