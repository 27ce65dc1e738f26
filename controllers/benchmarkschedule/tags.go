package benchmarkschedule

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/config"
)

// Tags answers which digest the tag of an image has.
type Tags interface {
	// Asks says whether an image has a tag, in a registry that may be asked.
	Asks(image string) bool
	// Digest that the tag has now, such as sha256:..., for a namespace.
	Digest(ctx context.Context, namespace, image string) (string, error)
}

const (
	// maxImages of a template that are looked up.
	maxImages = 32
	// askFor is how long a pass asks registries.
	askFor = 20 * time.Second
	// maxImageName of an image of a run, in bytes.
	maxImageName = 512
)

// imagesOf a template that runs are made of: those of its targets and of its tool, as they are named. One that is never
// pulled is what the nodes have, whatever a registry says.
func imagesOf(spec v1alpha1.BenchmarkRunSpec, c config.Config) []string {
	var out []string
	eachImage(&spec, c, func(image string, _ func(string)) { out = append(out, image) })
	slices.Sort(out)
	return slices.DeleteFunc(slices.Compact(out), func(image string) bool { return image == "" })
}

// eachImage of a template that may be pulled, with what sets another one in its place.
func eachImage(spec *v1alpha1.BenchmarkRunSpec, c config.Config, do func(image string, set func(string))) {
	for i := range spec.Targets {
		if t := spec.Targets[i].MySQL; t != nil && t.ImagePullPolicy != corev1.PullNever {
			do(cmp.Or(t.Image, c.Engines[t.Flavor][t.Version].Image), t.PinImage)
		}
	}
	if custom := spec.Workload.Custom; custom != nil && custom.ImagePullPolicy != corev1.PullNever {
		do(custom.Image, func(image string) { custom.Image = image })
	}
}

// resolve the tags of a template. One that cannot be looked up has the digest that it had when the last run was started for a
// change, so that it starts none.
func (r *Reconciler) resolve(ctx context.Context, s *v1alpha1.BenchmarkSchedule, in Inputs) Inputs {
	if r.Tags == nil || s.Spec.Suspend {
		return in
	}
	ctx, cancel := context.WithTimeout(ctx, askFor)
	defer cancel()
	var asked []string
	for _, image := range imagesOf(s.Spec.RunTemplate.Spec, r.Config) {
		if r.Tags.Asks(image) {
			asked = append(asked, image)
		}
	}
	in.Asked = len(asked) > 0
	if in.Asked {
		r.places.leave()
		defer r.places.enter()
	}
	for i, image := range asked {
		if i == maxImages {
			in.Unresolved = fmt.Sprintf("the template has %d images with tags, and only %d are looked up", len(asked), maxImages)
			break
		}
		digest, err := r.Tags.Digest(ctx, s.Namespace, image)
		if err == nil {
			in.Images = append(in.Images, v1alpha1.SeenImage{Image: image, Digest: digest})
			continue
		}
		if in.Unresolved == "" {
			in.Unresolved = fmt.Sprintf("the tag of image %s cannot be looked up: %v: until then its changes start no run", image, err)
		}
		if known := seenDigest(s.Status.Change, image); known != "" {
			in.Images = append(in.Images, v1alpha1.SeenImage{Image: image, Digest: known})
		}
	}
	return in
}

// seenDigest of an image, when the last run was started for a change; empty for one that was not known.
func seenDigest(seen *v1alpha1.SeenChange, image string) string {
	if seen == nil {
		return ""
	}
	i := slices.IndexFunc(seen.Images, func(s v1alpha1.SeenImage) bool { return s.Image == image })
	if i < 0 {
		return ""
	}
	return seen.Images[i].Digest
}

// moved are the tags that have another digest than before. One that was not known before has not moved: that a registry may
// be asked from now on starts no run.
func moved(in Inputs, before v1alpha1.SeenChange) []string {
	var out []string
	for _, image := range in.Images {
		if was := seenDigest(&before, image.Image); was != "" && was != image.Digest {
			out = append(out, image.Image+"@"+image.Digest)
		}
	}
	return out
}

// pin the images of a run to the digests that the schedule has seen: a node may have an older image of the same tag.
func pin(spec *v1alpha1.BenchmarkRunSpec, c config.Config, images []v1alpha1.SeenImage) {
	seen := &v1alpha1.SeenChange{Images: images}
	eachImage(spec, c, func(image string, set func(string)) {
		if digest := seenDigest(seen, image); digest != "" {
			set(pinned(image, digest))
		}
	})
}

// pinned is an image with its tag and a digest, or without the tag where that is too long.
func pinned(image, digest string) string {
	out := image + "@" + digest
	if colon := strings.LastIndexByte(image, ':'); len(out) > maxImageName && colon > strings.LastIndexByte(image, '/') {
		out = image[:colon] + "@" + digest
	}
	if len(out) > maxImageName {
		return image
	}
	return out
}
