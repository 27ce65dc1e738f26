#!/usr/bin/env bash
# Fetches the drivers of Java and the library that reads JSON, pinned in hack/images/maven.txt under the name of the image,
# and prints the folder that holds them. The harness is compiled when its image is built.
source "$(dirname "${BASH_SOURCE[0]}")/../../hack/lib.sh"

exec "$REPO/hack/maven.sh" runner-drivers-java
