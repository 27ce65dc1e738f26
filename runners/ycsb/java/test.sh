#!/bin/sh
# Compiles the tests of the binding against a class path that has it and its jars, and runs them: test.sh CLASSPATH
set -eu
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
javac --release 17 -Xlint:all -Werror -cp "$1" -d "$work" $(find "$here/test" -name '*.java')
java -cp "$1:$work" dev.assay.ycsb.BindingTest 2>&1
