package benchmarkschedule

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
)

// named are the objects and images that a spec names.
type named struct {
	configMaps, secrets, shapes []string
	// images by what names them.
	images map[string]string
}

// namedBy a spec. Secrets for pulling images are not among them: they do not change what is
// measured, and are renewed often. Images of the user are part of the spec itself; which digests their tags have,
// tags.go asks.
func namedBy(spec v1alpha1.BenchmarkRunSpec, c experiment.Catalogue) named {
	out := named{images: map[string]string{}}
	out.shape(spec.Clients.Shape)
	for _, t := range spec.Targets {
		out.shape(t.Shape)
		switch {
		case t.External != nil:
			out.secrets = append(out.secrets, t.External.Credentials.Name)
		case t.Published != nil:
			out.configMaps = append(out.configMaps, t.Published.ConfigMap.Name)
		case t.MySQL != nil:
			for _, ref := range t.MySQL.ConfigFrom {
				out.configMaps = append(out.configMaps, ref.Name)
			}
			if v := t.MySQL.Version; v != "" {
				out.images[t.MySQL.Flavor+" "+v] = c.Config.Engines[t.MySQL.Flavor][v].Image
			}
		}
	}
	// What is wrong with a workload, its run says.
	if work, err := experiment.WorkOf(spec, c); err == nil {
		if pods, err := work.Tool.PodsOf(work.Params); err == nil && pods.Files.ConfigMap != "" {
			out.configMaps = append(out.configMaps, pods.Files.ConfigMap)
		}
		out.tool(work.Tool.Name, c.Config)
	}
	for _, names := range []*[]string{&out.configMaps, &out.secrets, &out.shapes} {
		slices.Sort(*names)
		*names = slices.Compact(*names)
	}
	return out
}

func (n *named) shape(ref *v1alpha1.ShapeRef) {
	if ref != nil && ref.Inline == nil {
		n.shapes = append(n.shapes, ref.Name)
	}
}

// tool adds the images of a tool, those of all its variants.
func (n *named) tool(name string, c config.Config) {
	for runner, image := range c.Runners {
		if runner == name || strings.HasPrefix(runner, name+"-") {
			n.images["runner "+runner] = image.Image
		}
	}
}

// maxFiles are the bytes of all ConfigMaps that are read of one template.
const maxFiles = 8 << 20

// missingError is the error for something that the template names and that cannot be had.
type missingError struct{ reason, message string }

// Error says what is missing.
func (e *missingError) Error() string { return e.message }

// inputs of the template: its spec, and what it names, fetched by name.
func (r *Reconciler) inputs(ctx context.Context, schedule *v1alpha1.BenchmarkSchedule) (Inputs, error) {
	now, err := specDigest(schedule.Spec.RunTemplate.Spec)
	if err != nil {
		return Inputs{}, err
	}
	spec := schedule.Spec.RunTemplate.Spec.DeepCopy()
	spec.SetDefaults()
	lines, err := r.linesOf(ctx, schedule.Namespace, namedBy(*spec, experiment.Catalogue{Tool: r.Runner, Engine: r.Engine, Config: r.Config}))
	var missing *missingError
	switch {
	case errors.As(err, &missing):
		return Inputs{Reason: missing.reason, Message: missing.message}, nil
	case err != nil:
		return Inputs{}, err
	}
	in := Inputs{Digest: compose(lines, now), Fresh: compose(lines, now), SpecDigest: now}
	if c := schedule.Status.Change; c != nil && c.SpecDigest != "" && c.Generation == schedule.Generation {
		in.Digest = compose(lines, c.SpecDigest)
	}
	return r.resolve(ctx, schedule, in), nil
}

// specDigest is that of what the template has, without what does not change what is measured. The API server and another
// release of the manager add other defaults to a spec that nobody has changed: its generation tells that.
func specDigest(of v1alpha1.BenchmarkRunSpec) (string, error) {
	spec := of.DeepCopy()
	spec.Priority, spec.Retain, spec.Suspend, spec.TTLSecondsAfterFinished = 0, "", false, nil
	text, err := json.Marshal(spec)
	if err != nil {
		return "", fmt.Errorf("encoding the template: %w", err)
	}
	return contract.Digest(text), nil
}

// compose the digest of a spec and of what it names.
func compose(lines []string, spec string) string {
	lines = append(slices.Clone(lines), "spec "+spec)
	slices.Sort(lines)
	return contract.Digest([]byte(strings.Join(lines, "\n")))
}

// linesOf what a template names: a line for each object and image, which changes with it.
func (r *Reconciler) linesOf(ctx context.Context, namespace string, of named) (lines []string, err error) {
	for name, image := range of.images {
		lines = append(lines, fmt.Sprintf("image %s %s", name, image))
	}
	if len(of.configMaps) > 0 {
		leave, err := r.fetching.enter(r.places, namespace)
		if err != nil {
			return nil, err
		}
		defer leave()
	}
	read := 0
	for _, name := range of.configMaps {
		cm := &corev1.ConfigMap{}
		if err := r.fetch(ctx, namespace, name, cm, v1alpha1.ReasonConfigMapNotFound); err != nil {
			return nil, err
		}
		if read += cm.Size(); read > maxFiles {
			return nil, &missingError{v1alpha1.ReasonSpecTooLarge, fmt.Sprintf("the ConfigMaps that the template names have more than %d bytes together, up to %q", maxFiles, name)}
		}
		lines = append(lines, fmt.Sprintf("configmap %s %s", name, resources.FilesDigest(cm)))
	}
	for _, name := range of.secrets {
		secret := &metav1.PartialObjectMetadata{} // never its content
		secret.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
		if err := r.fetch(ctx, namespace, name, secret, v1alpha1.ReasonSecretNotFound); err != nil {
			return nil, err
		}
		lines = append(lines, fmt.Sprintf("secret %s %s %s", name, secret.UID, secret.ResourceVersion))
	}
	for _, name := range of.shapes {
		shape := &v1alpha1.InstanceShape{}
		if err := r.fetch(ctx, "", name, shape, v1alpha1.ReasonShapeNotFound); err != nil {
			return nil, err
		}
		// Not its spec, which other defaults would change.
		lines = append(lines, fmt.Sprintf("shape %s %s %d", name, shape.UID, shape.Generation))
	}
	return lines, nil
}

// kinds of objects by the reason that they are missing.
var kinds = map[string]string{
	v1alpha1.ReasonConfigMapNotFound: "ConfigMap", v1alpha1.ReasonSecretNotFound: "Secret", v1alpha1.ReasonShapeNotFound: "InstanceShape",
}

// fetch an object that the template names. It fails with a missingError for one that does not exist.
func (r *Reconciler) fetch(ctx context.Context, namespace, name string, into client.Object, reason string) error {
	err := r.Live.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, into)
	if apierrors.IsNotFound(err) {
		return &missingError{reason, fmt.Sprintf("the template names %s %q, which does not exist: onChange starts a run when it does", kinds[reason], name)}
	}
	if err != nil {
		return fmt.Errorf("reading %q, which the template names: %w", name, err)
	}
	return nil
}
