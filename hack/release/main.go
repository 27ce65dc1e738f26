// Command release has the parts of a release that are more than a call of a tool.
//
//	go run ./hack/release index VERSION OUT PUBLISHED...   one image of several architectures out of one for each
//	go run ./hack/release pin VALUES PUBLISHED             the chart's values name every image by digest
//	go run ./hack/release pin-known VALUES PUBLISHED       for dry runs: servers of databases that no registry knows keep their tag
//	go run ./hack/release changelog CHANGELOG VERSION      prints the section of the version
//	go run ./hack/release provenance                       prints what a workflow of GitHub builds from, and who it is (SLSA)
//	go run ./hack/release protected ENVIRONMENT            fails if an environment of GitHub lets jobs start without approval
//
// hack/release.sh calls it. In: lists of images as hack/images writes them (out/published.txt),
// charts/assay/values.yaml, CHANGELOG.md, the variables of a workflow, what GitHub's API says of an environment, and the
// registries, which crane of hack/tools/oci asks. Out: a list of the same form with the indexes, the same values with
// digests, or the text. A reference whose digest is not known is an error, and so are an image that one architecture lacks
// and a version without a section.
package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "FAILED:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) >= 4 && args[0] == "index":
		return indexFiles(args[1], args[2], args[3:])
	case len(args) == 3 && args[0] == "pin":
		return pinFile(args[1], args[2], digestOf)
	case len(args) == 3 && args[0] == "pin-known":
		return pinFile(args[1], args[2], whereKnown(digestOf, os.Stderr))
	case len(args) == 3 && args[0] == "changelog":
		return printSection(args[1], args[2])
	case len(args) == 1 && args[0] == "provenance":
		text, err := provenance(os.Getenv)
		if err != nil {
			return err
		}
		_, err = os.Stdout.Write(text)
		return err
	case len(args) == 2 && args[0] == "protected":
		text, err := os.ReadFile(args[1])
		if err != nil {
			return err
		}
		return protected(text)
	}
	return fmt.Errorf("usage: release index VERSION OUT PUBLISHED... | pin|pin-known VALUES PUBLISHED | changelog CHANGELOG VERSION | provenance | protected ENVIRONMENT")
}

// printSection of a version in a changelog.
func printSection(path, version string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	section, err := sectionOf(string(text), version)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	_, err = fmt.Print(section)
	return err
}

// pinFile pins the values in place.
func pinFile(path, publishedPath string, digestOf func(string) (string, error)) error {
	values, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	list, err := os.ReadFile(publishedPath)
	if err != nil {
		return err
	}
	pinned, err := pin(string(values), published(string(list)), digestOf)
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(pinned), 0o644)
}

// published reads lines of a name and a reference.
func published(list string) map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(list) {
		if f := strings.Fields(line); len(f) == 2 {
			out[f[0]] = f[1]
		}
	}
	return out
}

// whereKnown asks as digestOf does, and answers with nothing where no digest is known, with a line that says so.
func whereKnown(digestOf func(string) (string, error), log io.Writer) func(string) (string, error) {
	return func(reference string) (string, error) {
		digest, err := digestOf(reference)
		if err != nil {
			_, err = fmt.Fprintf(log, "    %s KEEPS ITS TAG: no registry was asked with success\n", reference)
		}
		return digest, err
	}
}

// crane calls the program of that name, and returns what it prints.
func crane(args ...string) (string, error) {
	out, err := exec.Command("crane", args...).Output()
	if failed, is := err.(*exec.ExitError); is {
		err = fmt.Errorf("%w: %s", err, failed.Stderr)
	}
	return strings.TrimSpace(string(out)), err
}

// digestOf asks the registry for the digest of an image: of its index, if it has several
// architectures.
func digestOf(reference string) (string, error) {
	digest, err := crane("digest", reference)
	if err != nil {
		return "", fmt.Errorf("asking for the digest of %s: %w", reference, err)
	}
	if !strings.HasPrefix(digest, "sha256:") {
		return "", fmt.Errorf("asking for the digest of %s: %q is none", reference, digest)
	}
	return digest, nil
}
