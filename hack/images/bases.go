package main

import (
	"fmt"
	"regexp"
	"strings"
)

// pinnedBase is a base image with a digest.
var pinnedBase = regexp.MustCompile(`^(debian:[a-z]+-slim)@sha256:[0-9a-f]{64}$`)

// pin sets the base with its digest for each image that has a base.
func pin(images []image, bases []string) error {
	digests := map[string]string{}
	for _, b := range bases {
		found := pinnedBase.FindStringSubmatch(b)
		if found == nil {
			return fmt.Errorf("base %q is not debian:SUITE-slim@sha256:DIGEST", b)
		}
		digests[found[1]] = b
	}
	for n, i := range images {
		if i.Base == "" {
			continue
		}
		if images[n].Pinned = digests[i.Base]; images[n].Pinned == "" {
			return fmt.Errorf("image %s: its base %s has no digest in bases", i.key(), i.Base)
		}
	}
	return nil
}

// digestOfBase is what a Dockerfile has behind the name of a base.
var digestOfBase = regexp.MustCompile(`(?m)^((?:FROM|ARG BASE=) ?debian:[a-z]+-slim)@sha256:[0-9a-f]{64}`)

// withoutDigests is a Dockerfile whose bases are found by their names in the engine, where
// base.sh has put them: pulled by digest, or made here.
func withoutDigests(dockerfile string) string {
	return digestOfBase.ReplaceAllString(strings.TrimSpace(dockerfile)+"\n", "$1")
}
