#!/usr/bin/env bash
# Fetches the pinned files of an image from Maven Central into the cache and prints the folder that holds them. Which files is in
# hack/images/pom.xml, and in repetitions/pom.xml beside it; their checksums are in maven.txt. Fetched once per content of the image's
# lines there.
# Usage: maven.sh IMAGE...
#   MAVEN_CENTRAL=https://mirror.example.com/maven2   asks there; without it ~/.m2/settings.xml decides as usual
#
# Maven's own client fetches, so that mirrors, proxies and logins of its settings hold, and it refuses what differs
# from the checksum beside the file there (--strict-checksums). Ours is compared afterwards: it also holds against a
# repository that changes both.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

table=$REPO/hack/images/maven.txt
poms=("$REPO/hack/images/pom.xml" "$REPO/hack/images/repetitions/pom.xml")
partial=''
trap '[[ -z $partial ]] || rm -rf "$partial"' EXIT

# lines prints an image's lines of the table: "file checksum".
lines() { awk -v image="$1" '$1 == image {print $2, $3}' "$table"; }

# verify compares every file with its checksum in the table, and says all that is wrong before it gives up.
verify() {
  local image=$1 folder=$2 file name wanted got bad=0
  for file in "$folder"/*; do
    name=${file##*/}
    wanted=$(lines "$image" | awk -v name="$name" '$1 == name {print $2}')
    got=$(sha256sum <"$file") got=${got%% *}
    [[ $got == "$wanted" ]] && continue
    say "$name: sha256 is $got, ${table#"$REPO"/} says ${wanted:-nothing}"
    bad=1
  done
  while read -r name _; do
    [[ ! -f $folder/$name ]] || continue
    say "$name: ${table#"$REPO"/} has it, and no pom.xml names it"
    bad=1
  done < <(lines "$image")
  ((!bad)) || fail "files for image $image are not what was pinned: nothing was kept"
}

fetch() {
  local image=$1 folder=$2 pom start log=$CACHE/maven/$1.log options=(--batch-mode --no-transfer-progress --strict-checksums)
  start=$(now_ms)
  command -v mvn >/dev/null || "$REPO/hack/install-debian.sh" maven
  [[ -z ${MAVEN_CENTRAL:-} ]] || options+=("-Dcentral=$MAVEN_CENTRAL")
  partial=$(mktemp -d "$CACHE/maven/$image.partial.XXXXXX")
  : >"$log"
  for pom in "${poms[@]}"; do
    grep -q "<id>$image</id>" "$pom" || continue
    # In a folder of its own: Maven takes that of the pom for its project. One start for all files of an image.
    cp "$pom" "$partial/pom.xml"
    (cd "$partial" && mvn "${options[@]}" "-DoutputDirectory=$partial/jars" "org.apache.maven.plugins:maven-dependency-plugin:copy@$image") >>"$log" 2>&1 </dev/null || {
      grep -F '[ERROR]' "$log" | head -n 10 >&2 || true
      fail "Maven could not fetch the files for image $image (whole log: $log); MAVEN_CENTRAL or ~/.m2/settings.xml names another repository"
    }
  done
  verify "$image" "$partial/jars"
  mv "$partial/jars" "$folder"
  rm -rf "$partial" && partial=''
  say "$image: $(lines "$image" | wc -l) files from Maven Central in $(since "$start")"
}

(($#)) || fail "usage: maven.sh IMAGE... (known: $(awk '/^[^#]/ {print $1}' "$table" | sort -u | paste -sd ' '))"
mkdir -p "$CACHE/maven"
for image in "$@"; do
  [[ -n $(lines "$image") ]] || fail "${table#"$REPO"/} has no line for image $image"
  folder=$CACHE/maven/$image-$(digest -- "$(lines "$image")")
  # Two callers may want the same files: the second one waits and finds them.
  exec 9>"$CACHE/maven/$image.lock"
  flock 9
  [[ -d $folder ]] || fetch "$image" "$folder"
  exec 9>&-
  printf '%s\n' "$folder"
done
