#!/bin/sh
# Compiles the tests of the harness against what build.sh has laid out, and runs them: test.sh OUT
set -eu
here=$(dirname "$0")
out=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
javac --release 21 -Xlint:all,-classfile -Werror -cp "$out/lib/*" -d "$work" $(find "$here/test" -name '*.java')
java -cp "$out/lib/*:$work" dev.assay.harness.HarnessTest "$out/drivers" 2>&1
