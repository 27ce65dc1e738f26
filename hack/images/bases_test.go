package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPin(t *testing.T) {
	const digest = "@sha256:0123456789012345678901234567890123456789012345678901234567890123"
	tests := map[string]struct {
		bases []string
		want  string
		err   string
	}{
		"a base with its digest":        {bases: []string{"debian:sid-slim" + digest}, want: "debian:sid-slim" + digest},
		"a base without a digest":       {bases: []string{"debian:sid-slim"}, err: "is not debian:SUITE-slim@sha256:DIGEST"},
		"a digest that is cut":          {bases: []string{"debian:sid-slim@sha256:0123"}, err: "is not debian"},
		"a base that is none of Debian": {bases: []string{"alpine:3" + digest}, err: "is not debian"},
		"an image on another base":      {bases: []string{"debian:trixie-slim" + digest}, err: "image a: its base debian:sid-slim has no digest"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			images := []image{{Name: "a", Base: "debian:sid-slim"}, {Name: "program"}}
			err := pin(images, tt.bases)
			checkError(t, err, tt.err)
			if images[0].Pinned != tt.want || images[1].Pinned != "" {
				t.Errorf("pinned %q and %q", images[0].Pinned, images[1].Pinned)
			}
		})
	}
}

func TestWithoutDigests(t *testing.T) {
	const digest = "@sha256:0123456789012345678901234567890123456789012345678901234567890123"
	given := "ARG BASE=debian:sid-slim" + digest + "\nFROM $BASE AS build\nFROM debian:trixie-slim" + digest + " AS other\n" +
		"FROM mcr.microsoft.com/dotnet/sdk:10.0" + digest + "\nFROM scratch\nRUN echo FROM debian:sid-slim" + digest + "\n"
	want := "ARG BASE=debian:sid-slim\nFROM $BASE AS build\nFROM debian:trixie-slim AS other\n" +
		"FROM mcr.microsoft.com/dotnet/sdk:10.0" + digest + "\nFROM scratch\nRUN echo FROM debian:sid-slim" + digest + "\n"
	if diff := cmp.Diff(want, withoutDigests(given)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// local are Dockerfiles whose base is made on this machine, and comes from no registry.
var local = []string{"hack/node-image/Dockerfile"}

// fromLine finds what a stage is built on, and defaultBase what stands for $BASE.
var (
	fromLine    = regexp.MustCompile(`(?m)^FROM (?:--platform=\S+ )?(\S+)`)
	defaultBase = regexp.MustCompile(`(?m)^ARG BASE=(\S+)$`)
	byDigest    = regexp.MustCompile(`^[a-z0-9./-]+:[A-Za-z0-9._-]+@sha256:[0-9a-f]{64}$`)
)

// unpinned are the bases of a Dockerfile that may change without anybody changing it.
func unpinned(dockerfile string) []string {
	var out []string
	for _, found := range fromLine.FindAllStringSubmatch(dockerfile, -1) {
		base := found[1]
		if given := defaultBase.FindStringSubmatch(dockerfile); base == "$BASE" && given != nil {
			base = given[1]
		}
		if base != "scratch" && !byDigest.MatchString(base) {
			out = append(out, base)
		}
	}
	return out
}

// Every Dockerfile of the repository names its bases by digest, and those of Debian with the one
// of the table.
func TestEveryBaseIsPinned(t *testing.T) {
	if got := unpinned("ARG BASE=debian:sid-slim\nFROM $BASE AS a\nFROM scratch\nFROM debian:sid\n"); len(got) != 2 {
		t.Fatalf("of a Dockerfile with two bases without a digest, these were found: %v", got)
	}
	root := filepath.Join("..", "..")
	table, err := os.ReadFile(filepath.Join(root, tableFile))
	if err != nil {
		t.Fatal(err)
	}
	files := tracked(t, root, "Dockerfile")
	if len(files) < 15 {
		t.Fatalf("only %d Dockerfiles: %v", len(files), files)
	}
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		if bases := unpinned(string(text)); len(bases) > 0 && !slices.Contains(local, file) {
			t.Errorf("%s builds on %v: name it with @sha256:DIGEST", file, bases)
		}
		for _, base := range regexp.MustCompile(`debian:[a-z]+-slim@sha256:\S+`).FindAllString(string(text), -1) {
			if !strings.Contains(string(table), "- "+base+"\n") {
				t.Errorf("%s builds on %s, and bases in %s has another digest", file, base, tableFile)
			}
		}
	}
}

// tracked are the files of the repository with a name, but what is built and what hidden
// folders have.
func tracked(t *testing.T, root, name string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, path)
		hidden := strings.HasPrefix(entry.Name(), ".") && entry.Name() != ".." && entry.Name() != ".github"
		if entry.IsDir() && (hidden || relative == "out" || entry.Name() == "node_modules") {
			return fs.SkipDir
		}
		if entry.Name() == name {
			out = append(out, relative)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
