# shellcheck shell=bash disable=SC2034 # hack/images/program.sh reads this

# The commit of release 2.2.0: dolt names its version itself. Its zstd is in C. Go's regular expressions are in place of
# those of ICU, a library in C++ (gms_pure_go).
package=github.com/dolthub/dolt/go/cmd/dolt
cgo=1
tags=gms_pure_go
