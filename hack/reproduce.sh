#!/usr/bin/env bash
# Plays the small forms of the published experiments (config/samples/published), without what no claim uses and three separate runs of each,
# and writes a page for each of them with a verdict for each of its claims (test/cmd/reproduce, docs/evidence/reproductions). The figures of
# each run are kept there, the bundles stay in out/reproduce, and the last one of each source is in docs/gallery, reduced. It goes on where the
# last time ended, and refuses a machine on which other work is done.
# Usage: reproduce.sh [SOURCE...]        such as "s0-dotnet s4-sweep"; default: those with the fewest runs
#        FOR=4h reproduce.sh             begin no run that would end later; default: 30m
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cd "$REPO"
play_runs assay-reproduce reproduce "$@"
go run -trimpath ./hack/gallery page
