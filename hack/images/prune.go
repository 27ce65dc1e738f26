package main

import (
	"context"
	"regexp"
	"slices"
)

// kept is the number of newest images of a name and series that are kept, so a running run
// keeps its agent.
const kept = 3

// stale are the references of an image beyond the newest ones. present is newest first. The one
// that the tree asks for counts as kept wherever it stands.
func stale(i image, present []string) []string {
	own := regexp.MustCompile("^" + regexp.QuoteMeta(i.stem()) + "[0-9a-f]*$")
	var out []string
	others := 0
	for _, reference := range present {
		if reference == i.Tag || !own.MatchString(reference) {
			continue
		}
		if others++; others >= kept {
			out = append(out, reference)
		}
	}
	return out
}

// prune removes stale images. Layers of build stages are kept for a day: they make rebuilds fast.
func (b builder) prune(ctx context.Context, images []image) error {
	present, err := b.engine.tags(ctx, images)
	if err != nil {
		return err
	}
	for _, i := range images {
		for _, reference := range stale(i, present) {
			// One that a container uses stays, and is tried again the next time.
			if _, err := b.engine.output(ctx, "image", "rm", reference); err != nil {
				b.say("%s stays: %v", reference, err)
				continue
			}
			b.say("removed %s", reference)
		}
	}
	_, err = b.engine.output(ctx, "image", "prune", "--force", "--filter", "label=dev.assay.stage=build", "--filter", "until=24h")
	return err
}

// clean removes all images and their bases; the next build starts from fresh Debian packages.
func (b builder) clean(ctx context.Context, images []image) error {
	defer b.step("images: removing all")()
	all, err := b.engine.tags(ctx, images)
	if err != nil {
		return err
	}
	for _, i := range images {
		if i.Base != "" && !slices.Contains(all, i.Base) {
			all = append(all, i.Base)
		}
	}
	for _, reference := range all {
		if _, err := b.engine.output(ctx, "image", "rm", "--force", reference); err != nil {
			b.say("%v", err) // a base that was never made, or an image in use
		}
	}
	if err := memory(b.cache).forget(images); err != nil {
		return err
	}
	_, err = b.engine.output(ctx, "image", "prune", "--force", "--filter", "label=dev.assay.stage=build")
	return err
}
