package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// toolStage is the stage of a Dockerfile that has the tools and the packages of the image.
const toolStage = "build"

// printStages builds the stage with the tools of each image and prints its key and the id of the
// stage. Where the image was built here, the engine has all steps of it.
func (b builder) printStages(ctx context.Context, images []image, out io.Writer) error {
	if err := b.buildAll(ctx, missing(images, nil), b.buildStage); err != nil {
		return err
	}
	for _, i := range images {
		id, err := os.ReadFile(b.stageFile(i))
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(out, i.key(), strings.TrimSpace(string(id))); err != nil {
			return err
		}
	}
	return nil
}

func (b builder) buildStage(ctx context.Context, i image) error {
	return b.docker(ctx, i, "--target", toolStage, "--iidfile", b.stageFile(i))
}

// stageFile has the id of an image's stage.
func (b builder) stageFile(i image) string { return filepath.Join(b.cache, i.file()+".stage") }
