package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// publishBuilt pushes the images that the engine has, and builds those that it lacks, for a dry run of a
// release where no BuildKit is: they have neither a list of packages nor provenance.
func (b builder) publishBuilt(ctx context.Context, repository, version string, images []image) error {
	images = slices.DeleteFunc(slices.Clone(images), func(i image) bool { return !i.isPublished() })
	if err := setTags(".", images); err != nil {
		return err
	}
	if err := b.act(ctx, "build", "", images, images); err != nil {
		return err
	}
	return b.publishBy(ctx, b.pushOne, repository, version, images)
}

// pushOne pushes a built image under another name, which the engine forgets again.
func (b builder) pushOne(ctx context.Context, name, version string, i image) (string, error) {
	tag := name + ":" + version
	defer b.underway("image "+i.key(), "")()
	for _, args := range [][]string{{"tag", i.Tag, tag}, {"push", "--quiet", tag}} {
		if _, err := b.engine.output(ctx, args...); err != nil {
			return "", err
		}
	}
	digests, err := b.engine.output(ctx, "image", "inspect", "--format", `{{join .RepoDigests "\n"}}`, tag)
	if err != nil {
		return "", err
	}
	if _, err := b.engine.output(ctx, "rmi", tag); err != nil {
		return "", err
	}
	return referenceIn(digests, name)
}

// referenceIn finds the reference by digest of a name among those of an image.
func referenceIn(digests, name string) (string, error) {
	for line := range strings.Lines(digests) {
		if reference := strings.TrimSpace(line); strings.HasPrefix(reference, name+"@sha256:") {
			return reference, nil
		}
	}
	return "", fmt.Errorf("the engine names no digest of %s: %q", name, digests)
}
