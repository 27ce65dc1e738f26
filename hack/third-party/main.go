// Command third-party says what others have a part in of a program or an image: as a list of packages that scanners read
// (SPDX 2.3), and with the texts of their licenses.
//
//	third-party program NAME VERSION OUT FILE    of a program in Go
//	third-party image NAME VERSION OUT           of an image: its file system is a tar on the standard input
//
// In: what is really there, and nothing that is only planned. Programs in Go name their modules (golang.go), whose licenses are
// read in Go's cache; an image has the records of Debian's packages with their copyright files (debian.go), node_modules
// (npm.go), metadata of Python's packages (python.go), jars, which hack/images pins (jars.go), and the crates of a harness in
// Rust with their licenses, as its fetch.sh keeps them (crates.go). SOURCE_DATE_EPOCH is the date of the list. Out:
// OUT.spdx.json, which its schema accepts (spdx.go), and OUT.notices.txt (notices.go). A package without a license, a jar that
// is not pinned, and an image with nothing in it are errors.
//
// hack/plugin.sh and hack/release.sh call it, in the root of the repository.
package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Getenv); err != nil {
		fmt.Fprintln(os.Stderr, "FAILED: third-party:", err)
		os.Exit(1)
	}
}

// subject is what is described: a program, or an image.
type subject struct {
	name, version, purpose string
	created                time.Time
}

func run(args []string, in io.Reader, variable func(string) string) error {
	seconds, err := strconv.ParseInt(variable("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		return fmt.Errorf("SOURCE_DATE_EPOCH has to be the seconds of a date: %w", err)
	}
	s := subject{created: time.Unix(seconds, 0).UTC()}
	var parts []part
	switch {
	case len(args) == 5 && args[0] == "program":
		s.name, s.version, s.purpose = args[1], args[2], "APPLICATION"
		parts, err = ofProgram(args[4])
	case len(args) == 4 && args[0] == "image":
		s.name, s.version, s.purpose = args[1], args[2], "CONTAINER"
		parts, err = ofImage(in, ".")
	default:
		return fmt.Errorf("usage: third-party program NAME VERSION OUT FILE | third-party image NAME VERSION OUT <TAR")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	return s.write(args[3], parts)
}

// write both files.
func (s subject) write(out string, parts []part) error {
	parts = unique(parts)
	if len(parts) == 0 {
		return fmt.Errorf("%s: nothing of others is in it, not even Go: that cannot be", s.name)
	}
	for i := range parts {
		if err := parts[i].complete(); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	packages, err := s.spdx(parts)
	if err != nil {
		return err
	}
	if err := os.WriteFile(out+".spdx.json", packages, 0o644); err != nil { //nolint:gosec // for all to read
		return err
	}
	return os.WriteFile(out+".notices.txt", []byte(s.notices(parts)), 0o644) //nolint:gosec // for all to read
}

// part is a package of others.
type part struct {
	// kind in the words of package URLs: golang, deb, npm, pypi, maven, cargo, generic.
	kind, name, version string
	// qualifiers of its package URL, behind the question mark.
	qualifiers string
	// license as the package names it itself; or as its texts do.
	license string
	// source is where Debian has what a package was built from.
	source string
	// texts of licenses and notices, by their files.
	texts map[string]string
}

// String is the part as it is written for readers.
func (p part) String() string { return p.kind + " " + p.name + " " + p.version }

// complete fails for a part of which nobody can say under which license it came here.
func (p *part) complete() error {
	if p.name == "" || p.version == "" {
		return fmt.Errorf("a package of the kind %s has the name %q and the version %q", p.kind, p.name, p.version)
	}
	if p.license == "" {
		p.license = licenseIn(p.texts)
	}
	if p.license == "" {
		p.license = saidElsewhere[p.kind+":"+p.name]
	}
	if p.license == "" && len(p.texts) == 0 {
		return fmt.Errorf("%s has no license, neither in a text nor by name: find out, and add it to saidElsewhere in hack/third-party/licenses.go", p)
	}
	return nil
}

// unique parts, in the order of their names. A part that is there several times has the texts of all.
func unique(parts []part) []part {
	var out []part
	for _, p := range parts {
		at := slices.IndexFunc(out, func(o part) bool { return o.String() == p.String() })
		if at < 0 {
			out = append(out, p)
			continue
		}
		if out[at].texts == nil {
			out[at].texts = map[string]string{}
		}
		maps.Copy(out[at].texts, p.texts)
	}
	slices.SortFunc(out, func(a, b part) int { return strings.Compare(a.String(), b.String()) })
	return out
}
