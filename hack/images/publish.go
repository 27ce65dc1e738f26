package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// publishedFile lists what was published, one image a line: name and reference by digest.
const publishedFile = "out/published.txt"

// sbomGenerator looks for packages in an image (syft 1, as BuildKit runs it).
const sbomGenerator = "docker/buildkit-syft-scanner:1.12.0@sha256:ae4f3b554449e7e25548e7d8ccc029d17357348e30c6e3df01b92bc93654d6a9"

// isPublished says whether an image is one of ours: servers of databases come from their own
// projects, and what is made of an archive was built by somebody else.
func (i image) isPublished() bool {
	return i.Archive == "" && (i.Name == "manager" || i.Name == "agent" || strings.HasPrefix(i.Name, "runner-"))
}

// refusePublishing says what to do about an image that is not ours.
func (i image) refusePublishing() error {
	if i.Archive == "" {
		return fmt.Errorf("image %s is not published: it is neither the manager, the agent nor a tool of runs", i.key())
	}
	return fmt.Errorf("image %s is made of somebody else's archive, and is not published. Build it by %s=FILE hack/images.sh build %s, "+
		"push it by docker tag and docker push, and name it in the chart's value runners.%s.image", i.key(), i.Archive, i.key(), strings.TrimPrefix(i.Name, "runner-"))
}

// publisher pushes an image as NAME:VERSION and returns its reference by digest.
type publisher func(ctx context.Context, name, version string, i image) (string, error)

// publish builds images with BuildKit, with a list of their packages (SPDX) and with what they
// were built from and how (SLSA provenance), and pushes them as REPOSITORY/assay-NAME:VERSION.
// Bases are pulled by the digests of the Dockerfiles.
func (b builder) publish(ctx context.Context, repository, version string, images []image) error {
	return b.publishBy(ctx, b.publishOne, repository, version, images)
}

// publishBy publishes each image by one, and lists the references that it returns.
func (b builder) publishBy(ctx context.Context, one publisher, repository, version string, images []image) error {
	defer b.step("images: publishing to " + repository)()
	var out strings.Builder
	for _, i := range images {
		if !i.isPublished() {
			continue
		}
		reference, err := one(ctx, repository+"/"+i.repository(), version, i)
		if err != nil {
			return fmt.Errorf("image %s: %w", i.key(), err)
		}
		b.say("%s", reference)
		fmt.Fprintf(&out, "%s %s\n", i.Name, reference)
	}
	return replace(publishedFile, out.String())
}

// publishOne pushes an image and returns its reference by digest. The digest is that of the
// index, which has the image, the list of packages and the provenance: who signs it signs all.
func (b builder) publishOne(ctx context.Context, name, version string, i image) (string, error) {
	folder, err := os.MkdirTemp(b.cache, "context.")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(folder) }() // what stays costs room in the cache only
	if err := layContext(ctx, i, folder); err != nil {
		return "", err
	}
	metadata := filepath.Join(b.cache, i.file()+".metadata.json")
	defer b.underway("image "+i.key(), "")()
	if _, err := b.engine.output(ctx, publishArguments(i, name+":"+version, metadata, folder)...); err != nil {
		return "", err
	}
	text, err := os.ReadFile(metadata)
	if err != nil {
		return "", err
	}
	digest, err := digestIn(text)
	return name + "@" + digest, err
}

func publishArguments(i image, tag, metadata, folder string) []string {
	return []string{
		"buildx", "build", "--push", "--provenance=mode=max", "--attest", "type=sbom,generator=" + sbomGenerator,
		"--metadata-file", metadata, "--file", i.Folder + "/Dockerfile", "--tag", tag, folder,
	}
}

// digestIn reads the digest from what buildx says of a build.
func digestIn(metadata []byte) (string, error) {
	var said struct {
		Digest string `json:"containerimage.digest"`
	}
	if err := json.Unmarshal(metadata, &said); err != nil {
		return "", fmt.Errorf("reading what buildx says of the build: %w", err)
	}
	if !strings.HasPrefix(said.Digest, "sha256:") {
		return "", fmt.Errorf("buildx names no digest: %s", metadata)
	}
	return said.Digest, nil
}
