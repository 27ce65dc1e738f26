package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// registry makes an index under a tag, and knows digests.
type registry struct {
	// create an index of references, with all that stands beside the images in theirs: lists of packages
	// and provenance.
	create func(tag string, references []string) error
	// digestOf a reference.
	digestOf func(reference string) (string, error)
}

// indexFiles reads the lists of the architectures and writes that of the indexes.
func indexFiles(version, out string, paths []string) error {
	var lists []map[string]string
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		lists = append(lists, published(string(text)))
	}
	text, err := index(version, lists, registry{
		create: func(tag string, references []string) error {
			// The images of an index are taken out of it, with their descriptions, so attestations stay.
			args := []string{"index", "append", "--tag", tag}
			for _, r := range references {
				args = append(args, "--manifest", r)
			}
			_, err := crane(args...)
			return err
		},
		digestOf: digestOf,
	})
	if err != nil {
		return err
	}
	return os.WriteFile(out, []byte(text), 0o644)
}

// index makes REPOSITORY:VERSION of every image from those of the architectures, and lists them by
// digest.
func index(version string, lists []map[string]string, in registry) (string, error) {
	names := map[string]bool{}
	for _, list := range lists {
		for name := range list {
			names[name] = true
		}
	}
	if len(names) == 0 {
		return "", fmt.Errorf("nothing was published")
	}
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(names)) {
		var repository string
		var references []string
		for i, list := range lists {
			from, digest, known := strings.Cut(list[name], "@sha256:")
			if !known || len(digest) != 64 || repository != "" && from != repository {
				return "", fmt.Errorf("list %d has %q for %s: want %s by digest", i+1, list[name], name, repository)
			}
			repository, references = from, append(references, list[name])
		}
		tag := repository + ":" + version
		if err := in.create(tag, references); err != nil {
			return "", fmt.Errorf("making the index %s: %w", tag, err)
		}
		digest, err := in.digestOf(tag)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&out, "%s %s@%s\n", name, repository, digest)
	}
	return out.String(), nil
}
