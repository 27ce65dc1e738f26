package rerun

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
	"github.com/assay-bench/assay/internal/record/stored"
	"github.com/assay-bench/assay/internal/trial/quoted"
)

// Manifest has the objects that repeat a run.
type Manifest struct {
	// Files are ConfigMaps with the files that the run used, and quoted numbers; made before the run.
	Files []corev1.ConfigMap
	// Run is the BenchmarkRun.
	Run v1alpha1.BenchmarkRun
	// Notes say what the objects cannot pin, for people.
	Notes []string
}

// Make the manifest of a run under a name. It fails for a run that was never accepted, and when its inputs
// cannot be read.
func Make(ctx context.Context, run *stored.Run, name string) (Manifest, error) {
	o := run.Object
	if o.Status.Resolved == nil || o.Status.Plan == nil {
		return Manifest{}, fmt.Errorf("%s was never accepted: there is nothing to repeat", run)
	}
	m := Manifest{Run: v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: o.Namespace}, Spec: *o.Spec.DeepCopy()}}
	m.Run.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("BenchmarkRun"))
	m.Run.Spec.Suspend = false
	m.Run.Spec.Design.Seed = o.Status.Plan.Seed
	m.pinPlaces(o)
	for i := range m.Run.Spec.Targets {
		t := &m.Run.Spec.Targets[i]
		switch {
		case t.External != nil:
			m.note("target %s is not Assay's: nothing shows that the server is unchanged (%s)", t.Name, serverOf(o, t.Name))
		case t.Published != nil:
			if err := m.pinQuoted(ctx, run, t); err != nil {
				return Manifest{}, err
			}
		}
	}
	m.pinTool(run)
	return m, m.pinInputs(ctx, run)
}

// Pinned is the spec of a run with its shapes, and the images and settings of its servers, as they were resolved: as the
// manifest that repeats it has them. ConfigMaps with files and quoted numbers have no name in it. So a run and its repetition
// are alike in this, also where the run had a version and a shape by their names.
func Pinned(run *stored.Run) v1alpha1.BenchmarkRunSpec {
	m := Manifest{Run: v1alpha1.BenchmarkRun{Spec: *run.Object.Spec.DeepCopy()}}
	resolved := run.Object.Status.Resolved
	if resolved == nil {
		return m.Run.Spec
	}
	m.pinPlaces(run.Object)
	for _, t := range m.Run.Spec.Targets {
		if t.Published != nil {
			t.Published.ConfigMap.Name = ""
		}
	}
	if name := filesOf(m.Run.Spec.Workload); resolved.Inputs != nil && name != nil {
		*name = "" // the digest of the files says what they are
	}
	return m.Run.Spec
}

// pinPlaces: the shape of the clients, and the servers that Assay provides.
func (m *Manifest) pinPlaces(o *v1alpha1.BenchmarkRun) {
	if p := &m.Run.Spec.Clients.Placement; p.SeparateFromTargets == "" {
		p.SeparateFromTargets = o.Status.Resolved.SeparateFromTargets
	}
	m.Run.Spec.Clients.Shape = &v1alpha1.ShapeRef{Inline: o.Status.Resolved.ClientShape.DeepCopy()}
	for i := range m.Run.Spec.Targets {
		if t := &m.Run.Spec.Targets[i]; t.MySQL != nil {
			m.pinServer(o, t)
		}
	}
}

func (m *Manifest) note(format string, args ...any) {
	m.Notes = append(m.Notes, contract.Line(fmt.Sprintf(format, args...)))
}

func serverOf(o *v1alpha1.BenchmarkRun, target string) string {
	if version := o.TargetStatus(target).ServerVersion; version != "" {
		return "it was " + version
	}
	return "its version is not known"
}

// byDigest is a reference that names one image for good.
var byDigest = regexp.MustCompile(`^([a-z-]+://)?([^@\s]+@sha256:[0-9a-f]{64})$`)

// digestOf an image as a container runtime gives its ID; ok is false for one that was loaded into a node, whose ID no
// registry knows. Such an ID may look like any other: containerd gives docker.io/library/import-DATE@sha256:... So the
// repository has to be that of the image that was asked for.
func digestOf(imageID, asked string) (image string, ok bool) {
	parts := byDigest.FindStringSubmatch(imageID)
	if parts == nil {
		return "", false
	}
	had, err := name.NewDigest(parts[2])
	if err != nil {
		return "", false
	}
	want, err := name.ParseReference(asked)
	return parts[2], err == nil && had.Context().Name() == want.Context().Name()
}

// pinServer: shape, image and settings as they were resolved. It makes no VolumeSnapshot: that of the run has the name.
func (m *Manifest) pinServer(o *v1alpha1.BenchmarkRun, t *v1alpha1.Target) {
	resolved := o.ResolvedTarget(t.Name)
	if resolved.Shape != nil {
		t.Shape = &v1alpha1.ShapeRef{Inline: resolved.Shape.DeepCopy()}
	}
	id := o.TargetStatus(t.Name).ImageID
	if image, ok := digestOf(id, resolved.Image); ok {
		t.MySQL.PinImage(image)
	} else {
		t.MySQL.PinImage(resolved.Image)
		m.note("target %s: the image %s stands by its tag, because its digest is not known (%q): a tag may move", t.Name, resolved.Image, id)
	}
	if made := t.MySQL.Storage.Snapshot; made != nil {
		t.MySQL.Storage.Snapshot = nil
		m.note("target %s: mysql.storage.snapshot is left out, because VolumeSnapshot %s is that of the run: set it with another name to make one more", t.Name, made.Name)
	}
	if from := resolved.Snapshot; from != nil {
		m.note("target %s: VolumeSnapshot %s stands by its name, and had the UID %s: one that was made again under that name may have other data", t.Name, from.Name, from.UID)
	}
	if len(t.MySQL.ConfigFrom) > 0 {
		t.MySQL.ConfigFrom, t.MySQL.Config = nil, map[string]string{}
		for _, s := range resolved.Settings {
			if s.Source == v1alpha1.SourceSpec {
				t.MySQL.Config[s.Name] = s.Value
			}
		}
	}
}

// pinTool: the image of a custom tool is part of the spec, that of any other one of the operator.
func (m *Manifest) pinTool(run *stored.Run) {
	ids := map[string]bool{}
	for _, rec := range run.Records {
		if rec.ClientImageID != "" {
			ids[rec.ClientImageID] = true
		}
	}
	used := slices.Sorted(maps.Keys(ids))
	if custom := m.Run.Spec.Workload.Custom; custom != nil {
		image, ok := "", false
		if len(used) == 1 {
			image, ok = digestOf(used[0], custom.Image)
		}
		if ok {
			custom.Image = image
		} else {
			m.note("the image %s of the tool stands as it was given: its digest is not known", custom.Image)
		}
		return
	}
	if len(used) > 0 {
		m.note("the images of the tool are those of the operator; the run had %s", strings.Join(used, ", "))
	}
	m.note("the image of the agent is that of the operator; the run had %s", run.Object.Status.Resolved.AgentImage)
}

// pinInputs: the files of the workload, as the run has copied them.
func (m *Manifest) pinInputs(ctx context.Context, run *stored.Run) error {
	inputs := run.Object.Status.Resolved.Inputs
	if inputs == nil {
		return nil
	}
	cm, err := run.ConfigMap(ctx, inputs.ConfigMap)
	if err != nil {
		return fmt.Errorf("%s: %w", run, err)
	}
	if have := resources.FilesDigest(cm); have != inputs.SHA256 {
		return fmt.Errorf("%s: the files of ConfigMap %s have the SHA-256 %.12s, and the status says %.12s", run, cm.Name, have, inputs.SHA256)
	}
	if name := filesOf(m.Run.Spec.Workload); name != nil {
		*name = m.file(m.Run.Name+"-files", cm.Data, cm.BinaryData)
	} else {
		m.note("the files of the workload are not in the manifest: the spec does not name them in a way that is known here")
	}
	return nil
}

// filesOf a workload is the name of the ConfigMap with its files, in the spec; nil where it names none.
func filesOf(w v1alpha1.Workload) *string {
	switch {
	case w.Custom != nil && w.Custom.Files != nil:
		return &w.Custom.Files.Name
	case w.Sysbench != nil && w.Sysbench.Script != nil:
		return &w.Sysbench.Script.ConfigMap.Name
	}
	return nil
}

// pinQuoted numbers, as the run has copied them.
func (m *Manifest) pinQuoted(ctx context.Context, run *stored.Run, t *v1alpha1.Target) error {
	cm, err := run.ConfigMap(ctx, contract.QuotedName(run.Object.Name, t.Name))
	if err != nil {
		return fmt.Errorf("%s: %w", run, err)
	}
	texts := map[string]string{}
	for _, key := range quoted.Keys() {
		if text, has := cm.Data[key]; has {
			texts[key] = text
		}
	}
	t.Published.ConfigMap.Name = m.file(m.Run.Name+"-"+t.Name+"-published", texts, nil)
	return nil
}

// file adds a ConfigMap, and returns its name.
func (m *Manifest) file(name string, data map[string]string, binary map[string][]byte) string {
	m.Files = append(m.Files, corev1.ConfigMap{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: m.Run.Namespace}, Data: data, BinaryData: binary,
	})
	return name
}

// YAML of the objects, the notes as comments before them.
func (m Manifest) YAML() ([]byte, error) {
	var out strings.Builder
	for _, note := range m.Notes {
		out.WriteString("# " + note + "\n")
	}
	var objects []any
	for _, cm := range m.Files {
		objects = append(objects, cm)
	}
	objects = append(objects, struct {
		metav1.TypeMeta `json:",inline"`
		Metadata        map[string]string         `json:"metadata"`
		Spec            v1alpha1.BenchmarkRunSpec `json:"spec"`
	}{m.Run.TypeMeta, map[string]string{"name": m.Run.Name, "namespace": m.Run.Namespace}, m.Run.Spec})
	for i, object := range objects {
		data, err := yaml.Marshal(object)
		if err != nil {
			return nil, fmt.Errorf("writing object %d of the manifest: %w", i+1, err)
		}
		if i > 0 {
			out.WriteString("---\n")
		}
		out.Write(data)
	}
	return []byte(out.String()), nil
}
