#!/usr/bin/env bash
# Plays runs that say how small a difference a design finds in so many minutes (test/cmd/resolution), and writes their figures into
# docs/evidence/resolution.json and the table of docs/evidence/resolution.md. The bundles stay in out/resolution. It goes on where the
# last time ended, and refuses a machine on which other work is done.
# Usage: resolution.sh [CASE...]                 patterns of cases, such as "reads-*"; default: those with the fewest plays
#        FOR=2h resolution.sh                    begin no run that would end later; default: 30m
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cd "$REPO"
play_runs assay-resolution resolution "$@"
