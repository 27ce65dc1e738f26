// Package cached says what the manager keeps in its cache. In: the namespaces that it watches. Out:
// options for the cache, which drop what no controller reads. What a controller reads from the
// cache has to be named here; the tests of the controllers run with the same options.
package cached

import (
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// Options keep the cache small: only objects that Assay created, for common kinds, and
// only the fields that the controllers read. What tenants may make large is not among them.
func Options(namespaces string) cache.Options {
	ours := func(t toolscache.TransformFunc) cache.ByObject {
		return cache.ByObject{Label: labels.SelectorFromSet(labels.Set{v1alpha1.LabelManagedBy: v1alpha1.ManagedBy}), Transform: t}
	}
	o := cache.Options{
		DefaultTransform: slim,
		ByObject: map[client.Object]cache.ByObject{
			&corev1.Node{}: {Transform: slim}, &corev1.Pod{}: ours(slim), &batchv1.Job{}: ours(slim),
			&appsv1.StatefulSet{}: ours(slim), &corev1.ConfigMap{}: ours(slim), &v1alpha1.BenchmarkRun{}: {Transform: slim},
			&v1alpha1.BenchmarkBaseline{}: {Transform: slim},
		},
	}
	for n := range strings.SplitSeq(namespaces, ",") {
		if n = strings.TrimSpace(n); n != "" {
			if o.DefaultNamespaces == nil {
				o.DefaultNamespaces = map[string]cache.Config{}
			}
			o.DefaultNamespaces[n] = cache.Config{}
		}
	}
	return o
}

// readAnnotations are those that controllers read from the cache.
var readAnnotations = []string{
	batchv1.JobCompletionIndexAnnotation, v1alpha1.AnnotationClaimedBy, v1alpha1.AnnotationReady, v1alpha1.AnnotationStart, v1alpha1.AnnotationTarget,
	contract.AnnotationUploads, contract.AnnotationNext, contract.AnnotationTold, v1alpha1.AnnotationRunNow,
	v1alpha1.AnnotationTrigger, v1alpha1.AnnotationScheduledTime, v1alpha1.AnnotationChange, v1alpha1.AnnotationReplaces,
}

// maxAnnotation is how much of an annotation is kept, in bytes: those of Assay are shorter.
const maxAnnotation = 4096

// slim drops what no controller reads from the cache: the images of a node, the specs of pods
// except the node and the names of containers, the templates of pods, annotations and labels of others, and what is large of
// runs. A run is read from the API server before anything is decided of it.
func slim(o any) (any, error) {
	if object, ok := o.(metav1.Object); ok {
		slimMetadata(object)
	}
	switch object := o.(type) {
	case *corev1.Node:
		object.Status.Images, object.Annotations = nil, nil
	case *corev1.Pod:
		object.Spec = corev1.PodSpec{NodeName: object.Spec.NodeName, Containers: namesOnly(object.Spec.Containers)}
	case *batchv1.Job:
		object.Spec.Template = corev1.PodTemplateSpec{}
	case *appsv1.StatefulSet:
		object.Spec.Template, object.Spec.VolumeClaimTemplates = corev1.PodTemplateSpec{}, nil
	case *v1alpha1.BenchmarkRun:
		slimRun(object)
	case *v1alpha1.BenchmarkSchedule:
		slimSchedule(object)
	case *v1alpha1.BenchmarkBaseline:
		slimBaseline(object)
	}
	return o, nil
}

// namesOnly keeps the names of containers.
func namesOnly(containers []corev1.Container) []corev1.Container {
	named := make([]corev1.Container, len(containers))
	for i, c := range containers {
		named[i].Name = c.Name
	}
	return named
}

// nodesOnly keeps the nodes of the pods behind a Service.
func nodesOnly(pods []v1alpha1.ServicePod) []v1alpha1.ServicePod {
	out := make([]v1alpha1.ServicePod, len(pods))
	for i, p := range pods {
		out[i].NodeName = p.NodeName
	}
	return out
}

func slimMetadata(object metav1.Object) {
	object.SetManagedFields(nil)
	kept := map[string]string{}
	for _, name := range readAnnotations {
		if value, has := object.GetAnnotations()[name]; has {
			kept[name] = contract.CutTo(value, min(len(value), maxAnnotation))
		}
	}
	object.SetAnnotations(kept)
	if len(kept) == 0 {
		object.SetAnnotations(nil)
	}
	if _, isNode := object.(*corev1.Node); isNode {
		return // shapes select by any label
	}
	texts := object.GetLabels()
	for name := range texts {
		if !readsLabel(name) {
			delete(texts, name)
		}
	}
	object.SetFinalizers(nil)
	object.SetOwnerReferences(slices.DeleteFunc(object.GetOwnerReferences(), func(o metav1.OwnerReference) bool {
		return o.Controller == nil || !*o.Controller
	}))
}

// readsLabel says whether a label is one of Assay, or one by which Kubernetes tells pods apart.
func readsLabel(name string) bool {
	prefix, _, _ := strings.Cut(name, "/")
	return slices.Contains([]string{"assay.dev", "app.kubernetes.io", "batch.kubernetes.io"}, prefix)
}

// snapshotting is what other runs read of targets of which a VolumeSnapshot is to be made: whether it still is.
func snapshotting(run *v1alpha1.BenchmarkRun) (out []v1alpha1.TargetStatus) {
	for _, t := range run.Spec.Targets {
		st := run.TargetStatus(t.Name)
		if t.MakesSnapshot() == nil || st.LoadResult == "" {
			continue
		}
		kept := v1alpha1.TargetStatus{Name: st.Name, LoadResult: st.LoadResult, SnapshotOver: st.SnapshotOver}
		if st.Snapshot != nil {
			kept.Snapshot = &v1alpha1.SnapshotStatus{Name: st.Snapshot.Name}
		}
		out = append(out, kept)
	}
	return out
}

// slimRun keeps of a run what the queue, the quotas and the budgets read of other runs, and what the metrics tell.
func slimRun(run *v1alpha1.BenchmarkRun) {
	run.Spec.SetDefaults() // the target of its control
	run.Spec.Workload, run.Spec.Matrix, run.Spec.Exclude = v1alpha1.Workload{}, nil, nil
	for i := range run.Spec.Targets {
		t := &run.Spec.Targets[i]
		t.Published, t.External = nil, nil
		if t.Shape != nil {
			t.Shape = &v1alpha1.ShapeRef{Name: t.Shape.Name}
		}
		if t.MySQL != nil {
			t.MySQL = &v1alpha1.MySQLTarget{Flavor: t.MySQL.Flavor, Replication: t.MySQL.Replication, Tenancy: t.MySQL.Tenancy, Storage: t.MySQL.Storage}
		}
	}
	if s := run.Spec.Clients.Shape; s != nil {
		run.Spec.Clients.Shape = &v1alpha1.ShapeRef{Name: s.Name}
	}
	st := &run.Status
	slimResults(st)
	st.Trials, st.MachineSpeed, st.Nodes, st.Targets = nil, nil, nil, snapshotting(run)
	st.Headline, st.Progress.Current, st.Verdict, st.Gate, st.Differences = "", "", "", nil, nil
	if r := st.Report; r != nil { // what its controller decides by, and the budgets count
		st.Report = &v1alpha1.ReportStatus{Reason: shared(r.Reason), SizeBytes: r.SizeBytes, Attempts: r.Attempts, LastAttemptTime: r.LastAttemptTime}
	}
	for i := range st.Conditions {
		st.Conditions[i].Message = ""
	}
	if r := st.Resolved; r != nil {
		r.ClientShape.Annotations = nil
		for i := range r.Targets {
			r.Targets[i].Settings = nil
			if s := r.Targets[i].Service; s != nil { // the queue reads where the pods are
				r.Targets[i].Service = &v1alpha1.ResolvedService{Pods: nodesOnly(s.Pods)}
			}
			if r.Targets[i].Shape != nil {
				r.Targets[i].Shape.Annotations = nil
			}
		}
	}
}
