#!/bin/sh
# Compiles the binding with the jars of a folder, runs its tests and writes the jar: build.sh LIB OUT.jar
set -eu
here=$(dirname "$0")
lib=$1
out=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
compile() { javac --release 17 -Xlint:all -Werror "$@"; }
compile -cp "$lib/*" -d "$work/main" $(find "$here/src" -name '*.java')
compile -cp "$lib/*:$work/main" -d "$work/test" $(find "$here/test" -name '*.java')
java -cp "$lib/*:$work/main:$work/test" dev.assay.ycsb.BindingTest 2>&1
jar --create --file "$out" --date=2020-01-01T00:00:00Z -C "$work/main" .
