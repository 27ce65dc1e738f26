#!/usr/bin/env bash
# Fails when a document names something that is not there: a link, a heading, a path in backticks, a make target, or a
# validity check that docs/results.md leaves out.
# Usage: check-docs.sh [directory]   (another checkout, for verify.sh)
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cd "${1:-$REPO}"
problems=0
problem() {
  printf '%s: %s\n' "$1" "$2" >&2
  problems=$((problems + 1))
}

# A document without its code blocks.
prose() { awk '/^ *```/ {code = !code; next} !code' "$1"; }

# spans prints what stands in backticks, and links what follows ](.
# shellcheck disable=SC2016 # backticks are meant
spans() { prose "$1" | grep -oP '`\K[^`]+(?=`)' | sort -u; }
# shellcheck disable=SC2016
links() { prose "$1" | sed 's/`[^`]*`//g' | grep -oP '\]\(\K[^)\s]+' | sort -u; }

# anchors prints what the headings of a document are called in links.
anchors() {
  prose "$1" | sed -nE 's/^#+ +//p' | tr '[:upper:]' '[:lower:]' | sed -E 's/[^a-z0-9 _-]//g; s/ /-/g'
}

check_links() {
  local doc=$1 link path
  while IFS= read -r link; do
    case $link in http://* | https://* | mailto:*) continue ;; esac
    path=${link%%#*}
    if [[ -z $path ]]; then path=$doc; else path=$(dirname "$doc")/$path; fi
    if [[ ! -e $path ]]; then
      problem "$doc" "the link to $link leads nowhere"
    elif [[ $link == *'#'* ]] && ! anchors "$path" | grep -qxF -- "${link#*#}"; then
      problem "$doc" "$path has no heading for #${link#*#}"
    fi
  done < <(links "$doc")
}

# What looks like a path of this repository: it begins with one of its folders, or is a file of its root. What holds a
# placeholder, such as engines/<flavor>, is checked up to there. The folders bin and out are made by make.
check_paths() {
  local doc=$1 word folders
  folders=$(git -C "$REPO" ls-files | sed -n 's,/.*,,p' | sort -u | grep -v '^\.' | paste -sd '|')
  while IFS= read -r word; do
    word=${word%%[<*]*}
    [[ -e ${word%/} || -e $(dirname "$doc")/$word ]] || problem "$doc" "there is no $word"
  done < <(spans "$doc" | grep -E "^(($folders)/[^ ]*|[A-Z]+\.md|LICENSE|Makefile|go\.mod)$")
}

check_targets() {
  local doc=$1 target
  for target in $({ spans "$doc"; cat "$doc"; } | sed -nE 's/^make ([a-z0-9 -]+[a-z0-9])( +#.*)?$/\1/p'); do
    grep -qE "^$target:" Makefile || problem "$doc" "there is no make $target"
  done
}

# Every check that has something to say about a result is explained.
check_findings() {
  local name
  while IFS= read -r name; do
    grep -qF "\`$name\`" docs/results.md || problem docs/results.md "the check $name is not explained"
  done < <({
    sed -nE 's/^\t\{"([a-z-]+)", (Invalid|Disturbed|Warning), .*/\1/p' internal/validity/validity.go
    grep -hoP '(Finding\{|Check: )"\K[a-z-]+(?=", )' internal/validity/clients.go controllers/benchmarkrun/{evidence,conclude,step_*}.go
  } | sort -u)
}

step "verify: documents"
shopt -s nullglob
for doc in *.md docs/*.md docs/*/*.md runners/*/README.md harness/README.md harness/*/README.md engines/*/README.md config/*.md charts/*/*.md; do
  check_links "$doc"
  check_paths "$doc"
  check_targets "$doc"
done
check_findings
((problems == 0)) || fail "$problems problems in documents"
step_done
