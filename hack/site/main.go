// Command site makes a documentation site of docs: it prepares what the generator reads, and checks what it wrote.
//
//	site prepare WORK VERSION   docs, nav and configuration into WORK
//	site check WORK VERSION     links, headings, foreign requests and lost blocks of the pages in WORK/VERSION
//	site versions WORK VERSION  the list of versions in WORK, and a start page that leads to this one
//
// The documents are GitHub's Markdown, and stay readable there. prepare writes them as the generator's parser wants them, and
// turns links that leave docs into links to the repository. hack/site.sh calls it.
package main

import (
	"fmt"
	"os"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 3 || !versionPattern.MatchString(args[2]) {
		return fmt.Errorf("usage: site prepare|check|versions WORK VERSION, where a version has letters, digits, dots and hyphens")
	}
	switch work, version := args[1], args[2]; args[0] {
	case "prepare":
		return prepare(".", work, version)
	case "check":
		return check(".", work, version)
	case "versions":
		return writeVersions(work, version)
	}
	return fmt.Errorf("%q is none of prepare, check and versions", args[0])
}
