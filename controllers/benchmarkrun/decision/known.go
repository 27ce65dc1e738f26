package decision

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/store"
	"github.com/assay-bench/assay/internal/record/integrity"
	"github.com/assay-bench/assay/internal/trial/podhealth"
)

// Known holds the answers of a pass. It is a value: With returns another one.
type Known struct{ answers map[Query]any }

// With adds an answer: the value that was asked for, or Absent.
func (k Known) With(q Query, answer any) Known { return k.And(Known{map[Query]any{q: answer}}) }

// And joins two sets of answers; those of the other one are newer.
func (k Known) And(other Known) Known {
	all := map[Query]any{}
	maps.Copy(all, k.answers)
	maps.Copy(all, other.answers)
	return Known{all}
}

// Asking looks things up among the answers, and keeps what is missing.
type Asking struct {
	known   Known
	missing []Query
}

// Ask begins with what is known.
func (k Known) Ask() *Asking { return &Asking{known: k} }

// Missing are the queries without an answer, each once, in the order in which they
// were asked.
func (a *Asking) Missing() []Query { return a.missing }

// Complete says that every question so far was answered.
func (a *Asking) Complete() bool { return len(a.missing) == 0 }

// Get an object from the API server.
func Get[T Object](a *Asking, name string) Fact[T] { return lookUp[T](a, Named[T](name)) }

// ConfigMap from the API server.
func (a *Asking) ConfigMap(name string) Fact[*corev1.ConfigMap] {
	return Get[*corev1.ConfigMap](a, name)
}

// Excess says whether a ConfigMap was left out, because those before it are as many bytes as a pass
// may read.
func (a *Asking) Excess(name string) Fact[Excess] {
	return answered[Excess](a.known, Named[*corev1.ConfigMap](name))
}

// See a pod and the node that it runs on.
func (a *Asking) See(pod *corev1.Pod) podhealth.Seen {
	seen := podhealth.Seen{Pod: pod}
	if pod != nil && pod.Spec.NodeName != "" {
		node := a.Node(pod.Spec.NodeName)
		seen.Node, seen.NodeKnown = node.Value, node.Known
	}
	return seen
}

// Metadata of a ConfigMap, from the cache.
func (a *Asking) Metadata(name string) Fact[*metav1.PartialObjectMetadata] {
	return lookUp[*metav1.PartialObjectMetadata](a, GetMetadata{name})
}

// Node by its name.
func (a *Asking) Node(name string) Fact[*corev1.Node] {
	return lookUp[*corev1.Node](a, GetNode{name})
}

// Result that was delivered into a ConfigMap.
func (a *Asking) Result(name string) Fact[Delivered] {
	return lookUp[Delivered](a, GetResult{name})
}

// Records in a part of the journal.
func (a *Asking) Records(name string) Fact[Part] {
	return lookUp[Part](a, GetRecords{Name: name})
}

// EarlierRecords in a part of the journal to which nothing is added any more.
func (a *Asking) EarlierRecords(name string) Fact[Part] {
	return lookUp[Part](a, GetRecords{Name: name, Compact: true})
}

// Stored in a ConfigMap, without its contents. It exists also for a ConfigMap that does not.
func (a *Asking) Stored(name string) Fact[integrity.Stored] {
	return lookUp[integrity.Stored](a, GetStored{name})
}

// Anchor in the status of the run, read after all that was asked before. It does not exist when
// the status has none.
func (a *Asking) Anchor() Fact[v1alpha1.IntegrityStatus] {
	return lookUp[v1alpha1.IntegrityStatus](a, GetAnchor{})
}

// PodsOn a node, of all namespaces.
func (a *Asking) PodsOn(node string) Fact[[]corev1.Pod] {
	return lookUp[[]corev1.Pod](a, ListPodsOn{node})
}

// Behind a Service.
func (a *Asking) Behind(service string) Fact[Behind] { return lookUp[Behind](a, ListBehind{service}) }

// Log of a container.
func (a *Asking) Log(pod, container string, previous bool) Fact[string] {
	return lookUp[string](a, ReadLog{pod, container, previous})
}

// AskStore says what the object store has.
func AskStore(a *Asking, item store.Item, read bool) Fact[StoredItem] {
	return lookUp[StoredItem](a, GetItem{item, read})
}

// DataSet says what the object store has of a data set.
func (a *Asking) DataSet(key string, ref contract.DataSetRef) Fact[StoredDataSet] {
	return lookUp[StoredDataSet](a, GetDataSet{key, ref})
}

// AskSnapshot for a VolumeSnapshot by its name, in the namespace of the run.
func AskSnapshot(a *Asking, name string) Fact[VolumeSnapshot] {
	return lookUp[VolumeSnapshot](a, GetVolumeSnapshot{name})
}

// AskMaker for a run that is to make a VolumeSnapshot of this name before this run.
func AskMaker(a *Asking, snapshot string) Fact[Maker] { return lookUp[Maker](a, GetMaker{snapshot}) }

// Bounds of the namespace of the run.
func (a *Asking) Bounds() Fact[Bounds] { return lookUp[Bounds](a, ListBounds{}) }

// Words of an autoscaler about a pod, of an admission about a Job, or of the storage about a claim.
func (a *Asking) Words(of types.UID) Fact[string] { return lookUp[string](a, GetWords{of}) }

// AskRequested is what there is of the requests for the nodes of the run.
func AskRequested(a *Asking) Fact[Requested] { return lookUp[Requested](a, GetRequested{}) }

// Nodes of the cluster, which nobody may change.
func (a *Asking) Nodes() Fact[[]corev1.Node] { return lookUp[[]corev1.Node](a, ListNodes{}) }

// Admit a run with these bytes.
func (a *Asking) Admit(held, bytes int64) Fact[Admission] {
	return lookUp[Admission](a, AdmitBytes{held, bytes})
}

// Found is an object that an action came upon, without asking for it.
func Found(a *Asking, name string) Fact[*corev1.ConfigMap] {
	return answered[*corev1.ConfigMap](a.known, Named[*corev1.ConfigMap](name))
}

func lookUp[T any](a *Asking, q Query) Fact[T] {
	f := answered[T](a.known, q)
	if !f.Known && !slices.Contains(a.missing, q) {
		a.missing = append(a.missing, q)
	}
	return f
}

func answered[T any](k Known, q Query) Fact[T] {
	answer, known := k.answers[q]
	value, exists := answer.(T)
	return Fact[T]{Known: known, Exists: exists, Value: value}
}
