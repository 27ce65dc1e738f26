package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// given is the table with what is known of images that are made of an archive. One that the words choose has the archive that its
// variable names, with the digests of that and of the sources here. Otherwise it has the tag that remember has kept, or none.
func (kept memory) given(ctx context.Context, table []image, words []string, getenv func(string) string) ([]image, error) {
	wanted, _, err := choose(table, words)
	if err != nil {
		return nil, err
	}
	out := slices.Clone(table)
	for n := range out {
		i := &out[n]
		if i.Archive == "" {
			continue
		}
		if slices.ContainsFunc(wanted, func(w image) bool { return w.key() == i.key() }) {
			i.Given = getenv(i.Archive)
		}
		if i.Given == "" {
			i.Tag, err = kept.remembered(*i)
		} else {
			err = i.sums(ctx)
		}
		if err != nil {
			return nil, fmt.Errorf("image %s: %w", i.key(), err)
		}
	}
	return out, nil
}

// sums sets the digests of the archive and of the sources here.
func (i *image) sums(ctx context.Context) (err error) {
	if i.Sum, err = i.archiveSum(); err != nil {
		return err
	}
	if i.Sources, err = printed(ctx, dotnetScript, "sources"); err != nil {
		return i.refuse("it has to be held against the sources here, and %s sources: %w", dotnetScript, err)
	}
	return nil
}

// needsArchive says whether an image could only be built if its variable named an archive.
func (i image) needsArchive() bool { return i.Archive != "" && i.Given == "" }

// obtainable are the chosen images without those that need an archive, unless the engine still has what the last one made. They are
// named, with the reason. One that the words name must be there. toBuild says that each will be built, whatever the engine has.
func obtainable(ctx context.Context, b builder, chosen []image, words []string, toBuild bool) ([]image, error) {
	if !slices.ContainsFunc(chosen, image.needsArchive) {
		return chosen, nil
	}
	present, err := b.engine.tags(ctx, chosen)
	if err != nil {
		return nil, err
	}
	var out []image
	for _, i := range chosen {
		switch {
		case !i.needsArchive():
			out = append(out, i)
		case !toBuild && i.Tag != "" && slices.Contains(present, i.Tag):
			b.say("%s stays %s, with the agent of then: %s, which made it, names no archive now", i.key(), i.Tag, i.Archive)
			out = append(out, i)
		case slices.Contains(words, i.key()):
			return nil, fmt.Errorf("image %s is made of an archive: %s has to name it, such as $HOME/harness-linux-x64.tar.gz, which %s leaves where .NET is", i.key(), i.Archive, dotnetScript)
		default:
			b.say("%s is left out: %s names no archive that it is made of (harness/dotnet/README.md, Building)", i.key(), i.Archive)
		}
	}
	return out, nil
}

// memory of the images that archives have made: a folder, with a file for each that has the tag of the last one.
type memory string

func (kept memory) of(i image) string { return filepath.Join(string(kept), i.file()+".archive") }

// remember the tags of what archives have made.
func (kept memory) remember(images []image) error {
	for _, i := range images {
		if i.Given == "" {
			continue
		}
		if err := replace(kept.of(i), i.Tag+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// remembered is the tag of an image that an archive made; empty if none did.
func (kept memory) remembered(i image) (string, error) {
	text, err := os.ReadFile(kept.of(i))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSpace(string(text)), err
}

// forget what archives have made.
func (kept memory) forget(images []image) error {
	for _, i := range images {
		if i.Archive == "" {
			continue
		}
		if err := os.Remove(kept.of(i)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
