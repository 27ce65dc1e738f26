#!/usr/bin/env bash
# Plays the published experiments at full size (config/samples/published) as far as this machine allows: every cell of every matrix once, with
# less data and in short windows (test/cmd/cells), and writes docs/evidence/full-size.md. What became of each cell is kept in
# docs/evidence/full-size.json, the bundles stay in out/cells. It goes on where the last time ended, and refuses a machine on which other
# work is done.
# Usage: cells.sh [PIECE...]             such as "s4-sweep-2", also again; default: those that were not played as they are now
#        FOR=1h cells.sh                 begin no run that would end later; default: 30m
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cd "$REPO"
play_runs assay-cells cells "$@"
