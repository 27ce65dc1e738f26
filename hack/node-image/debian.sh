#!/usr/bin/env bash
# Makes the Debian root file system under the node image and imports it into Docker.
# Usage: debian.sh IMAGE
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

packages=(
  systemd dbus # process 1 of a node
  containerd runc containernetworking-plugins socat
  conntrack iptables nftables iproute2 ethtool kmod # kube-proxy and the kubelet
  util-linux mount libseccomp2 pigz bash ca-certificates curl jq procps hostname
)
# shellcheck disable=SC2016 # mmdebstrap expands $1 itself
# Without a mirror mmdebstrap takes Debian's default for the suite, or the one the user names.
mmdebstrap --variant=minbase --mode=root --include="$(IFS=,; printf '%s' "${packages[*]}")" \
  --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
  --dpkgopt='path-exclude=/usr/share/locale/*' --aptopt='Acquire::Retries "3"' \
  --customize-hook='rm -rf "$1"/var/lib/apt/lists/* "$1"/var/cache/apt/*.bin' \
  "$DEBIAN_SUITE" - ${ASSAY_DEBIAN_MIRROR:+"$ASSAY_DEBIAN_MIRROR"} |
  docker import --change 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' - "$1"
