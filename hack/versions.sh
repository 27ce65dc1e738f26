# Versions that no go.mod pins. The tools' own versions are in hack/tools/*/go.mod and read from there.
# shellcheck shell=bash disable=SC2034

# Debian release of every image we build. Newer releases carry systemd 256 or later, which refuses cgroup v1.
DEBIAN_SUITE=bookworm

# kind node image used where a registry is there, with the digest of the release notes of kind 0.30.
KIND_NODE_IMAGE=kindest/node:v1.34.0@sha256:7416a61b42b1662ca6ca89f02028ac133a309a2a30ba309614e8ec94d976dc5a

# Image tags that kubeadm v1.34 and kind's manifests ask for; the binaries behind them are built from hack/tools.
COREDNS_TAG=v1.12.1
ETCD_TAG=3.6.5-0
PAUSE_TAG=3.10
LOCAL_PATH_PROVISIONER_TAG=v20250214-acbabc1a
LOCAL_PATH_HELPER_TAG=v20241212-8ac705d0
