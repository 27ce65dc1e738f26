package benchmarkrun

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/controllers/benchmarkrun/provision"
	"github.com/assay-bench/assay/internal/ground/budget"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/record/integrity"
	"github.com/assay-bench/assay/internal/trial/journal"
)

// reader answers what the rooms ask. It and gather are all that reads.
type reader struct {
	// cache lags behind the API server, live does not.
	cache, live client.Reader
	// logs may be nil: then there are none.
	logs LogReader
	run  *v1alpha1.BenchmarkRun
	// store says what is in the object store; nil for none.
	store ObjectStore
	// admit a run with the bytes of its results.
	admit func(ctx context.Context, run *v1alpha1.BenchmarkRun, q decision.AdmitBytes) (decision.Admission, error)
	// requested is what there is of the run's requests for nodes.
	requested func(ctx context.Context, run *v1alpha1.BenchmarkRun) (decision.Requested, error)
	// limits of what is read; memory is how much of that was used, in bytes.
	limits config.Limits
	memory int
	// configMaps are the bytes of those that were read whole.
	configMaps int64
	// shared are the texts of the records.
	shared journal.Shared
}

// isLarge says whether the answer to a query may need much memory. A spec that is being accepted may
// name many ConfigMaps.
func isLarge(query decision.Query, accepting bool) bool {
	switch q := query.(type) {
	case decision.GetResult, decision.ListPodsOn, decision.ListBounds, decision.ListBehind:
		return true
	case decision.GetObject:
		return q == decision.Named[*v1alpha1.BenchmarkBaseline](q.Name) || q == decision.Named[*v1alpha1.BenchmarkRun](q.Name) || accepting && q == decision.Named[*corev1.ConfigMap](q.Name)
	case decision.GetItem:
		return q.Read
	case decision.GetRecords:
		return q.Compact
	}
	return false
}

// logLines of a container that failed are kept.
const logLines = 40

// answer every query; one answer that cannot be had is an error.
func (r *reader) answer(ctx context.Context, known decision.Known, queries []decision.Query) (decision.Known, error) {
	for _, q := range queries {
		a, err := r.ask(ctx, q)
		if err != nil {
			return known, err
		}
		known = known.With(q, a)
	}
	return known, nil
}

func (r *reader) ask(ctx context.Context, query decision.Query) (any, error) {
	switch q := query.(type) {
	case decision.GetObject:
		return r.object(ctx, q)
	case decision.GetMetadata:
		return r.metadata(ctx, q.Name)
	case decision.GetNode:
		return r.node(ctx, q.Name)
	case decision.GetResult:
		return r.result(ctx, q.Name)
	case decision.GetRecords:
		return r.records(ctx, q)
	case decision.GetStored:
		return r.stored(ctx, q.Name)
	case decision.GetAnchor:
		return r.anchor(ctx)
	case decision.ListPodsOn:
		return r.podsOn(ctx, q.Node)
	case decision.ListNodes:
		var nodes corev1.NodeList
		if err := r.cache.List(ctx, &nodes, client.UnsafeDisableDeepCopy); err != nil {
			return nil, fmt.Errorf("listing nodes: %w", err)
		}
		return nodes.Items, nil
	case decision.ListBehind:
		return r.behind(ctx, q.Service)
	case decision.GetWords:
		return r.words(ctx, q.Of)
	case decision.GetRequested:
		return r.requested(ctx, r.run)
	case decision.GetVolumeSnapshot:
		return volumeSnapshot(ctx, r.live, client.ObjectKey{Namespace: r.run.Namespace, Name: q.Name})
	case decision.GetMaker:
		return makerBefore(ctx, r.cache, r.run, q.Snapshot)
	case decision.ListBounds:
		return boundsOf(ctx, r.live, r.run.Namespace)
	case decision.GetItem:
		return r.item(ctx, q)
	case decision.GetDataSet:
		return r.dataSet(ctx, q), nil
	case decision.AdmitBytes:
		return r.admit(ctx, r.run, q)
	case decision.ReadLog:
		return r.log(ctx, q), nil
	}
	return nil, fmt.Errorf("no reader for the query %T", query)
}

// found is the answer to a query for an object.
func found(obj client.Object, err error) (any, error) {
	if apierrors.IsNotFound(err) {
		return decision.Absent{}, nil
	}
	return obj, err
}

// object reads from the API server.
func (r *reader) object(ctx context.Context, q decision.GetObject) (any, error) {
	obj := reflect.New(q.Type.Elem()).Interface().(client.Object)
	key := client.ObjectKey{Namespace: r.run.Namespace, Name: q.Name}
	if _, is := obj.(*v1alpha1.InstanceShape); is {
		key.Namespace = ""
	}
	err := r.live.Get(ctx, key, obj)
	if client.IgnoreNotFound(err) != nil {
		return nil, fmt.Errorf("reading %s %s: %w", q.Type.Elem().Name(), q.Name, err)
	}
	if cm, is := obj.(*corev1.ConfigMap); is && err == nil && r.run.Status.Resolved == nil {
		if r.configMaps += budget.OfConfigMap(cm); r.configMaps > maxReferenced {
			return decision.Excess{Most: maxReferenced}, nil
		}
	}
	return found(obj, err)
}

// maxReferenced are the bytes of all ConfigMaps that a spec names: they are in memory together while
// the run is accepted.
const maxReferenced = 16 << 20

// metadata of a ConfigMap of this run, from the cache.
func (r *reader) metadata(ctx context.Context, name string) (any, error) {
	meta := &metav1.PartialObjectMetadata{}
	meta.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMap"))
	err := r.cache.Get(ctx, client.ObjectKey{Namespace: r.run.Namespace, Name: name}, meta)
	switch {
	case client.IgnoreNotFound(err) != nil:
		return nil, fmt.Errorf("reading ConfigMap %s: %w", name, err)
	case err != nil || !metav1.IsControlledBy(meta, r.run):
		return decision.Absent{}, nil
	}
	return meta, nil
}

// node from the cache. Only the API server knows for sure that a node is gone.
func (r *reader) node(ctx context.Context, name string) (any, error) {
	if len(validation.IsDNS1123Subdomain(name)) > 0 {
		return decision.Absent{}, nil // the word of a client; a request with it fails for ever
	}
	node, key := &corev1.Node{}, client.ObjectKey{Name: name}
	err := r.cache.Get(ctx, key, node)
	if apierrors.IsNotFound(err) {
		err = r.live.Get(ctx, key, node)
	}
	if client.IgnoreNotFound(err) != nil {
		return nil, fmt.Errorf("reading node %s: %w", name, err)
	}
	return found(node, err)
}

// result reads and decodes what a client delivered into a ConfigMap of the run, within the limits of one result and of all
// results of the pass.
func (r *reader) result(ctx context.Context, name string) (any, error) {
	answer, err := r.object(ctx, decision.Named[*corev1.ConfigMap](name))
	cm, exists := answer.(*corev1.ConfigMap)
	if err != nil || !exists {
		return answer, err
	}
	if !metav1.IsControlledBy(cm, r.run) {
		return decision.Absent{}, nil
	}
	d := decision.DeliveredIn(cm, r.bounds())
	most := int(r.limits.ResultMemory.Value())
	if r.memory += d.Result.Memory(); r.memory > most {
		d.Result = contract.Result{}
		d.Err = &contract.TooLargeError{What: "bytes of memory for the results of all clients (limits.resultMemory of the operator)", Most: most}
	}
	return d, nil
}

// bounds of one result.
func (r *reader) bounds() contract.Bounds {
	bounds := contract.DefaultBounds()
	bounds.Measurements = int(r.limits.Measurements)
	return bounds
}

// records reads and decodes a part of the journal.
func (r *reader) records(ctx context.Context, q decision.GetRecords) (any, error) {
	answer, err := r.object(ctx, decision.Named[*corev1.ConfigMap](q.Name))
	cm, exists := answer.(*corev1.ConfigMap)
	if err != nil || !exists {
		return answer, err
	}
	part := decision.PartIn(cm)
	if q.Compact {
		before := r.shared.Memory()
		part.Records, cm.BinaryData = r.shared.Compact(part.Records), nil
		// A record has as many values as fit (trial.Record), and the trials of a run have the same labels,
		// so that this ends no honest run.
		r.memory += part.Records.Memory() + r.shared.Memory() - before
		if most := 2 * int(r.limits.ResultMemory.Value()); r.memory > most {
			part.Records, part.Err = journal.Records{}, &contract.TooLargeError{What: "bytes of memory for the records of the run (2 x limits.resultMemory of the operator)", Most: most}
		}
	}
	return part, nil
}

// stored in a ConfigMap; only its digests are kept.
func (r *reader) stored(ctx context.Context, name string) (any, error) {
	answer, err := r.object(ctx, decision.Named[*corev1.ConfigMap](name))
	if err != nil {
		return nil, err
	}
	cm, _ := answer.(*corev1.ConfigMap)
	return integrity.StoredIn(cm, r.run), nil
}

// anchor in the status of the run as it is now.
func (r *reader) anchor(ctx context.Context) (any, error) {
	now := &v1alpha1.BenchmarkRun{}
	err := r.live.Get(ctx, client.ObjectKeyFromObject(r.run), now)
	switch {
	case client.IgnoreNotFound(err) != nil:
		return nil, fmt.Errorf("reading the run: %w", err)
	case err != nil || now.UID != r.run.UID || now.Status.Integrity == nil:
		return decision.Absent{}, nil
	}
	return *now.Status.Integrity, nil
}

// podsOn a node, of all namespaces.
func (r *reader) podsOn(ctx context.Context, node string) (any, error) {
	var all []corev1.Pod
	for next := ""; ; {
		var pods corev1.PodList
		err := r.live.List(ctx, &pods, client.MatchingFields{"spec.nodeName": node}, client.Limit(podsPerPage), client.Continue(next))
		if apierrors.IsForbidden(err) {
			return decision.Absent{}, nil
		}
		if err != nil {
			return nil, fmt.Errorf("listing the pods on node %s: %w", node, err)
		}
		for i := range pods.Items {
			slimPod(&pods.Items[i])
			all = append(all, pods.Items[i])
		}
		if next = pods.Continue; next == "" {
			return all, nil
		}
	}
}

// words of an autoscaler about a pod, or of an admission about a Job.
func (r *reader) words(ctx context.Context, of types.UID) (any, error) {
	var list corev1.EventList
	err := r.live.List(ctx, &list, client.InNamespace(r.run.Namespace), client.MatchingFields{"involvedObject.uid": string(of)})
	switch {
	case apierrors.IsForbidden(err):
		return decision.Absent{}, nil
	case err != nil:
		return nil, fmt.Errorf("listing the events of a placeholder: %w", err)
	}
	if said := provision.Words(list.Items); said != "" {
		return said, nil
	}
	return decision.Absent{}, nil
}

// boundsOf a namespace, from the API server. Those of a kind that the manager may not list are left to the API server.
func boundsOf(ctx context.Context, live client.Reader, namespace string) (any, error) {
	quotas, err := quotasOf(ctx, live, namespace)
	if err != nil {
		return nil, err
	}
	var ranges corev1.LimitRangeList
	if err := live.List(ctx, &ranges, client.InNamespace(namespace), client.Limit(mostBounds)); err != nil && !apierrors.IsForbidden(err) {
		return nil, fmt.Errorf("listing the LimitRanges of namespace %s: %w", namespace, err)
	}
	return decision.Bounds{Quotas: quotas, Ranges: ranges.Items}, nil
}

// quotasOf a namespace, from the API server; none when the manager may not look.
func quotasOf(ctx context.Context, live client.Reader, namespace string) ([]corev1.ResourceQuota, error) {
	var quotas corev1.ResourceQuotaList
	if err := live.List(ctx, &quotas, client.InNamespace(namespace), client.Limit(mostBounds)); err != nil && !apierrors.IsForbidden(err) {
		return nil, fmt.Errorf("listing the ResourceQuotas of namespace %s: %w", namespace, err)
	}
	return quotas.Items, nil
}

// mostBounds of each kind are read: the API server judges the others, as it judges all in the end. An object may have
// more than 1 MiB.
const mostBounds = 10

// podsPerPage are read at once: a pod may have more than 1 MiB, and a node hundreds of them.
const podsPerPage = 20

// slimPod keeps of a foreign pod what tells whether it worked during a trial. Its metadata and its
// spec may be large.
func slimPod(pod *corev1.Pod) {
	mirror, is := pod.Annotations[corev1.MirrorPodAnnotationKey]
	pod.Annotations, pod.ManagedFields, pod.Finalizers = nil, nil, nil
	maps.DeleteFunc(pod.Labels, func(name, _ string) bool { return name != v1alpha1.LabelRunUID })
	owners := slices.DeleteFunc(pod.OwnerReferences, func(o metav1.OwnerReference) bool {
		return o.Kind != "Node" && (o.Controller == nil || !*o.Controller)
	})
	pod.OwnerReferences = slices.Clone(owners[:min(len(owners), 2)])
	if is {
		pod.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: mirror}
	}
	pod.Spec = corev1.PodSpec{NodeName: pod.Spec.NodeName, HostNetwork: pod.Spec.HostNetwork}
}

// log of a container. That it cannot be read must not keep a run from ending.
func (r *reader) log(ctx context.Context, q decision.ReadLog) any {
	if r.logs == nil {
		return decision.Absent{}
	}
	text, err := r.logs(ctx, r.run.Namespace, q.Pod, q.Container, q.Previous, logLines)
	if err != nil {
		return fmt.Sprintf("(unavailable: %v)\n", err)
	}
	return text
}
