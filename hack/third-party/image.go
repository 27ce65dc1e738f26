package main

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"path"
	"regexp"
	"strings"
)

// kept are the files of an image that say something of packages, by their paths without a slash in front.
var kept = regexp.MustCompile(`^(var/lib/dpkg/status|etc/os-release|usr/share/doc/.+|usr/share/common-licenses/.+|.*/package-lock\.json|` +
	`.*/node_modules/(@[^/]+/)?[^/]+/package\.json|.*\.dist-info/METADATA|.*\.jar)$`)

// files of an image that are kept.
type files map[string]string

// of are the files with a path in front, without it.
func (f files) of(prefix string) files {
	out := files{}
	for name, text := range f {
		if rest, is := strings.CutPrefix(name, prefix); is {
			out[rest] = text
		}
	}
	return out
}

// licenses below a folder, which are not those of a package in a folder below.
func (f files) licenses(folder string) map[string]string {
	out := map[string]string{}
	for name, text := range f.of(folder + "/") {
		if isLicense(name) && !strings.Contains(name, "node_modules/") {
			out[name] = text
		}
	}
	return out
}

// ofImage are the packages in the file system of an image; root is the folder of the repository.
func ofImage(in io.Reader, root string) ([]part, error) {
	all, out, err := readImage(in)
	if err != nil {
		return nil, err
	}
	for _, of := range []func() ([]part, error){
		func() ([]part, error) { return debian(all) },
		func() ([]part, error) { return npm(all) },
		func() ([]part, error) { return node(all) },
		func() ([]part, error) { return python(all) },
		func() ([]part, error) { return jars(all, root) },
		func() ([]part, error) { return crates(all) },
	} {
		parts, err := of()
		if err != nil {
			return nil, err
		}
		out = append(out, parts...)
	}
	return out, nil
}

// readImage keeps the files that say something of packages, and reads what the programs in Go say themselves.
func readImage(in io.Reader) (files, []part, error) {
	all, programs := files{}, []part(nil)
	archive := tar.NewReader(in)
	for {
		header, err := archive.Next()
		if err == io.EOF {
			return all, programs, nil
		}
		if err != nil {
			return nil, nil, fmt.Errorf("reading the image: %w", err)
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		content := new(bytes.Buffer)
		if _, err := io.Copy(content, archive); err != nil {
			return nil, nil, fmt.Errorf("reading %s of the image: %w", header.Name, err)
		}
		name := strings.TrimPrefix(path.Clean("/"+header.Name), "/")
		if kept.MatchString(name) || isLicense(name) {
			all[name] = content.String()
		}
		if bytes.HasPrefix(content.Bytes(), []byte("\x7fELF")) {
			modules, err := modulesIn(bytes.NewReader(content.Bytes()), goFolders)
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", name, err)
			}
			programs = append(programs, modules...)
		}
	}
}
