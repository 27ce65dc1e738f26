#!/usr/bin/env bash
# Builds the images of hack/images/images.yaml, tagged by the content they are made from, and loads them into the kind
# cluster. Needs no registry; where one is there, the base images come from it. What is there already is left alone.
# Usage: images.sh [build|load|prune|stage|clean] [demo|core|full] [name...]   default: build, prune and load the core set
#   build   images that are missing
#   load    built images into the nodes that lack them: the manager into all, the others into the workers
#   prune   old images: the newest few of each name stay, so that a run in progress keeps its agent
#   stage   the stage "build" of images, with their tools; prints name and id of each, for hack/harness-test.sh
#   clean   all images and bases; the next build starts from fresh Debian packages
#   publish our own images to a registry, as a release does: publish REPOSITORY VERSION [set|name...]
#   publish-built  for a dry run of a release without BuildKit: the images that are built, without packages and provenance
#   demo    what `make demo` needs; core: what the core stories need beside it; full: all, for `make e2e-full`
# With a set, out/values-local.yaml names for Helm what the cluster has, and out/images.txt lists it.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cd "$REPO"
hack/engine.sh up
mkdir -p "$CACHE/images"
exec 9>"$CACHE/images.lock" && flock 9 # colleagues and CI jobs share one engine
heartbeat
go run -trimpath ./hack/images -cache "$CACHE/images" -cluster "${ASSAY_CLUSTER:-assay}" "$@"
