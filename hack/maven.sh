#!/usr/bin/env bash
# Fetches the pinned files of an image from Maven Central into the cache and prints the folder that holds them.
# What is pinned, with checksums, is in hack/images/maven.txt. Fetched once per content of the image's lines there.
# Usage: maven.sh IMAGE...
#   MAVEN_CENTRAL=https://mirror.example.com/maven2   asks there; without it ~/.m2/settings.xml decides as usual
#
# Maven's own client fetches, so that mirrors, proxies and logins of its settings hold, and it refuses what differs
# from the checksum beside the file there (--strict-checksums). Ours is compared afterwards: it also holds against a
# repository that changes both.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

table=$REPO/hack/images/maven.txt
plugin=org.apache.maven.plugins:maven-dependency-plugin:3.8.1
partial=''
trap '[[ -z $partial ]] || rm -rf "$partial"' EXIT

# lines prints an image's lines of the table: "group:artifact:version checksum".
lines() { awk -v image="$1" '$1 == image {print $2, $3}' "$table"; }

# project writes the pom.xml that names the files: one start of Maven for all of them.
project() {
  local group artifact version central=${MAVEN_CENTRAL:-} kind
  printf '<project><modelVersion>4.0.0</modelVersion><groupId>dev.assay</groupId><artifactId>fetch</artifactId>\n'
  printf '<version>1</version><packaging>pom</packaging>\n'
  if [[ -n $central ]]; then
    for kind in repositor pluginRepositor; do
      printf '<%sies><%sy><id>central</id><url>%s</url></%sy></%sies>\n' $kind $kind "$central" $kind $kind
    done
  fi
  printf '<build><plugins><plugin><groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version>' ${plugin//:/ }
  # shellcheck disable=SC2016 # for Maven to expand
  printf '<configuration><outputDirectory>${basedir}/jars</outputDirectory><artifactItems>\n'
  while IFS=': ' read -r group artifact version _; do
    printf '<artifactItem><groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version></artifactItem>\n' \
      "$group" "$artifact" "$version"
  done
  printf '</artifactItems></configuration></plugin></plugins></build></project>\n'
}

# verify compares every file with its checksum in the table, and says all that is wrong before it gives up.
verify() {
  local image=$1 folder=$2 name wanted got bad=0
  while read -r name wanted; do
    name=${name#*:} name=${name/:/-}.jar
    got=$(sha256sum <"$folder/$name") got=${got%% *}
    [[ $got == "$wanted" ]] && continue
    say "$name: sha256 is $got, ${table#"$REPO"/} says ${wanted:-nothing}"
    bad=1
  done < <(lines "$image")
  ((!bad)) || fail "files for image $image are not what was pinned: nothing was kept"
}

fetch() {
  local image=$1 folder=$2 start log=$CACHE/maven/$1.log
  start=$(now_ms)
  command -v mvn >/dev/null || "$REPO/hack/install-debian.sh" maven
  partial=$(mktemp -d "$CACHE/maven/$image.partial.XXXXXX")
  project >"$partial/pom.xml" < <(lines "$image")
  (cd "$partial" && mvn --batch-mode --no-transfer-progress --strict-checksums "${plugin%:*}:${plugin##*:}:copy") \
    >"$log" 2>&1 </dev/null || {
    grep -F '[ERROR]' "$log" | head -n 10 >&2 || true
    fail "Maven could not fetch the files for image $image (whole log: $log); MAVEN_CENTRAL or ~/.m2/settings.xml names another repository"
  }
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
