# shellcheck shell=bash disable=SC2034,SC2154 # hack/images/program.sh reads this, and sets module

package=github.com/pingcap/tidb/cmd/tidb-server
# The commit that the server is made from, which its module version ends with. Its release it does not know: between two
# releases it calls itself a placeholder, and so it stays.
version=$(sed -nE 's/^require github.com\/pingcap\/tidb (v.*)$/\1/p' "$module/go.mod")
[[ $version == *-*-* ]] || fail "engines/tidb/image/go.mod names no commit of github.com/pingcap/tidb"
ldflags="-X github.com/pingcap/tidb/pkg/util/versioninfo.TiDBGitHash=${version##*-}"
