// Command site makes a documentation site of docs: it prepares what the generator reads, and checks what it wrote.
//
//	site prepare WORK VERSION   docs, nav and configuration into WORK
//	site check WORK VERSION     links, headings, foreign requests and lost blocks of the pages in WORK/VERSION
//	site versions WORK          the list of the versions in WORK, and pages that lead to the newest release
//
// The documents are GitHub's Markdown, and stay readable there. prepare writes them as the generator's parser wants them, and
// turns links that leave docs into links to the repository. hack/site.sh calls it.
package main

import (
	"fmt"
	"os"
	"slices"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 2 && args[0] == "versions" {
		return writeVersions(args[1])
	}
	if len(args) != 3 || !versionPattern.MatchString(args[2]) || slices.Contains(taken, args[2]) {
		return fmt.Errorf("usage: site prepare|check WORK VERSION | site versions WORK, where a version has letters, digits, dots and hyphens, and is none of %q", taken)
	}
	switch work, version := args[1], args[2]; args[0] {
	case "prepare":
		return prepare(".", work, version)
	case "check":
		return check(".", work, version)
	}
	return fmt.Errorf("%q is none of prepare, check and versions", args[0])
}

// taken are the folders beside those of the versions.
var taken = []string{latest, "docs", "overrides", "archives"}
