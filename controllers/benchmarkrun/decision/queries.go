package decision

import (
	"maps"
	"math"
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/budget"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
	"github.com/assay-bench/assay/internal/ground/store"
	"github.com/assay-bench/assay/internal/record/integrity"
	"github.com/assay-bench/assay/internal/trial/journal"
)

// Query is a question that a room has about the cluster. Rooms do not read: they
// return their questions, and are called again with the answers. Queries are
// comparable: each is asked once in a pass.
type Query interface{ isQuery() }

// GetObject asks the API server for an object. All but InstanceShapes are in the namespace of the
// run. The answer is a Fact of the object.
type GetObject struct {
	// Type is that of the pointer to the object.
	Type reflect.Type
	Name string
}

// Named is the query for an object of a type.
func Named[T Object](name string) GetObject { return GetObject{reflect.TypeFor[T](), name} }

// GetMetadata asks the cache for the metadata of a ConfigMap of the run. One that
// belongs to somebody else counts as absent.
type GetMetadata struct{ Name string }

// GetNode asks the cache for a node, and the API server for one that the cache does
// not know.
type GetNode struct{ Name string }

// ListNodes asks the cache for all nodes.
type ListNodes struct{}

// GetResult asks the API server for the ConfigMap of a result, and decodes it.
type GetResult struct{ Name string }

// GetRecords asks the API server for a part of the records of a run, and decodes it.
type GetRecords struct {
	Name string
	// Compact: the part is only read, together with many others.
	Compact bool
}

// GetStored asks the API server for the digests of what a ConfigMap holds.
type GetStored struct{ Name string }

// GetAnchor asks the API server for what the status of the run says of its chain now.
type GetAnchor struct{}

// ListPodsOn asks the API server for the pods of all namespaces on a node. The fact
// does not exist when the manager may not look.
type ListPodsOn struct{ Node string }

// ReadLog asks for the last lines of a container. A log that cannot be read is an
// answer that says so.
type ReadLog struct {
	Pod, Container string
	// Previous asks for the container before the present one.
	Previous bool
}

// GetItem asks the object store for an item, and decodes it if it is a result that is to be
// read. A store that does not answer is an answer.
type GetItem struct {
	Item store.Item
	// Read the item, which is a result.
	Read bool
}

// GetDataSet asks the object store for the manifest of a data set at a key. A store that does not answer is an answer.
type GetDataSet struct {
	Key string
	Ref contract.DataSetRef
}

// AdmitBytes asks what the results of all other runs hold, for a run whose objects may take so many
// bytes of etcd. Where the budgets have room for them beside that, what is written when the run is
// accepted counts from now on.
type AdmitBytes struct {
	// Held are the bytes that are written at once, Bytes all of them.
	Held, Bytes int64
}

// ListBounds asks the API server for the ResourceQuotas and LimitRanges of the namespace of the run, as
// far as the manager may look.
type ListBounds struct{}

// ListBehind asks the API server for a Service, and for the pods of the namespace of the run that are ready behind it. The fact does not
// exist when there is no such Service.
type ListBehind struct{ Service string }

// GetWords asks the API server for the last event about a pod that an autoscaler wrote, about a Job that an admission did, or about a
// claim that the storage did. It does not exist where there is none, or the manager may not look.
type GetWords struct{ Of types.UID }

// GetRequested asks the API server for the ProvisioningRequests of the run, and for the templates of their pods.
type GetRequested struct{}

// GetVolumeSnapshot asks the API server for a VolumeSnapshot, and for what its VolumeSnapshotContent says, as far as the manager may look.
// The fact does not exist when there is none of that name.
type GetVolumeSnapshot struct{ Name string }

// GetMaker asks for a run of the namespace that is to make a VolumeSnapshot of a name, and comes before this one. The fact is a
// Maker, and does not exist where there is none.
type GetMaker struct{ Snapshot string }

func (GetMaker) isQuery()          {}
func (GetVolumeSnapshot) isQuery() {}

func (GetRequested) isQuery() {}
func (GetWords) isQuery()     {}
func (ListBehind) isQuery()   {}
func (ListNodes) isQuery()    {}
func (GetObject) isQuery()    {}
func (ListBounds) isQuery()   {}
func (GetItem) isQuery()      {}
func (GetDataSet) isQuery()   {}
func (AdmitBytes) isQuery()   {}
func (GetMetadata) isQuery()  {}
func (GetNode) isQuery()      {}
func (GetResult) isQuery()    {}
func (GetRecords) isQuery()   {}
func (GetStored) isQuery()    {}
func (GetAnchor) isQuery()    {}
func (ListPodsOn) isQuery()   {}
func (ReadLog) isQuery()      {}

// Delivered is what the ConfigMap of a result holds.
type Delivered struct {
	// Size of the encoded result in bytes, and its SHA-256.
	Size   int
	SHA256 string
	// RawSHA256 of the raw output.
	RawSHA256 string
	// Uploads are what the client announced for the object store.
	Uploads []contract.Object
	// Digests of all that the ConfigMap holds, by key.
	Digests map[string]string
	// Bytes that the ConfigMap takes in etcd.
	Bytes int64
	// Result is the zero value when Err is set.
	Result contract.Result
	// Err says why it could not be decoded.
	Err error
}

// DeliveredIn a ConfigMap, within bounds.
func DeliveredIn(cm *corev1.ConfigMap, bounds contract.Bounds) Delivered {
	data := cm.BinaryData[contract.KeyResult]
	d := Delivered{Size: len(data), SHA256: contract.Digest(data), RawSHA256: contract.Digest(cm.BinaryData[contract.KeyRaw])}
	d.Digests = integrity.DigestsIn(cm)
	d.Bytes = budget.OfConfigMap(cm)
	d.Result, d.Err = contract.DecodeWithin(data, bounds)
	if d.Err == nil {
		d.Uploads, d.Err = contract.ParseUploads(cm.Annotations[contract.AnnotationUploads], math.MaxInt64)
	}
	return d
}

// Part is a ConfigMap with records of a run.
type Part struct {
	// Object that holds them.
	Object *corev1.ConfigMap
	// Records are the zero value when Err is set.
	Records journal.Records
	// Err says why they could not be decoded.
	Err error
}

// PartIn a ConfigMap.
func PartIn(cm *corev1.ConfigMap) Part {
	p := Part{Object: cm}
	p.Records, p.Err = journal.DecodeRecords(cm.BinaryData[contract.KeyRecords])
	return p
}

// StoredItem is what the object store says of an item.
type StoredItem struct {
	// State of the item.
	State store.State
	// Problem says why the state is not Present, or why the result cannot be used.
	Problem string
	// Result is set when it was to be read and can be used.
	Result *contract.Result
}

// BrokenBy says that the run that was let write into a volume last broke what is there; empty when it did not, and when it is gone: how it
// ended is not known then, and the note on the data names it. False until that run was looked for.
func BrokenBy(writer resources.VolumeWriter, ask *Asking) (broke string, known bool) {
	if writer.RunName == "" {
		return "", true
	}
	run := Get[*v1alpha1.BenchmarkRun](ask, writer.RunName)
	if !run.Exists {
		return "", run.Known
	}
	return writer.Broke(run.Value), true
}

// Requested is what the API server has of the requests for the nodes of a run.
type Requested struct {
	// Refused says why no ProvisioningRequest can be made here; empty where one can.
	Refused string
	// Requests of the run by their names, as far as there are any.
	Requests map[string]*unstructured.Unstructured
	// Templates of their pods by their names, which are made before them, and go after them.
	Templates map[string]*corev1.PodTemplate
	// Unseen are the names by which there may be a request that cannot be seen: its template is there, or cannot be seen either.
	Unseen []string
}

// Removable are the objects that may go: all but the templates of requests that cannot be seen, by which these are found again.
func (r Requested) Removable() []Object {
	return slices.DeleteFunc(r.Objects(), func(o Object) bool {
		_, is := o.(*corev1.PodTemplate)
		return is && slices.Contains(r.Unseen, o.GetName())
	})
}

// Objects of the requests, themselves before what they name, each by its name.
func (r Requested) Objects() (out []Object) {
	for _, name := range slices.Sorted(maps.Keys(r.Requests)) {
		out = append(out, r.Requests[name])
	}
	for _, name := range slices.Sorted(maps.Keys(r.Templates)) {
		out = append(out, r.Templates[name])
	}
	return out
}

// VolumeSnapshot is what the API server has of one.
type VolumeSnapshot struct {
	// Refused says why none can be used here; empty where one can. Then there is nothing else.
	Refused string
	resources.VolumeSnapshot
}

// Maker is a run that is to make a VolumeSnapshot.
type Maker struct {
	// Run is its name.
	Run string
	// Accepted: it will make it, if it completes; otherwise it may still be refused.
	Accepted bool
}

// StoredDataSet is what the object store says of the manifest of a data set.
type StoredDataSet struct {
	// State is Different of one that cannot be used.
	State store.State
	// Problem says why the state is not Present.
	Problem string
	// DataSet, and the SHA256 of the manifest; of one that is Present.
	DataSet contract.DataSet
	SHA256  string
}

// Bounds of a namespace.
type Bounds struct {
	Quotas []corev1.ResourceQuota
	Ranges []corev1.LimitRange
}

// Behind is what is behind a Service.
type Behind struct {
	Service *corev1.Service
	// Forbidden: the manager may not list the EndpointSlices.
	Forbidden bool
	// Cut: there are more slices than are read.
	Cut bool
	// Endpoints that are ready, of all slices that were read. They lead to at most one pod more than a Service may have.
	Endpoints []Endpoint
	// Pods of the endpoints by their names, as far as they are there; of each only what tells what it is. None where the
	// endpoints lead to more pods than a Service may have.
	Pods map[string]*corev1.Pod
}

// Names of the pods to which the endpoints lead, whether they are there or not, each once.
func (b Behind) Names() []string {
	var out []string
	for _, e := range b.Endpoints {
		if e.Pod != "" && !slices.Contains(out, e.Pod) {
			out = append(out, e.Pod)
		}
	}
	return out
}

// Endpoint is one that is ready.
type Endpoint struct {
	// Pod is its name; empty for one that is no pod of the namespace.
	Pod string
	// UID of the pod, as the slice says it.
	UID types.UID
	// Ports by their names, as those of the Service are named.
	Ports map[string]int32
}

// Usage is what the other runs hold of a budget, in bytes.
type Usage struct {
	// Held is what they have written.
	Held int64
	// Limit is the budget of all runs together.
	Limit int64
}

// Admission is the answer to AdmitBytes.
type Admission struct {
	// Namespace of the run, and all namespaces of the manager.
	Namespace, Cluster Usage
}

// Fact is the answer to a query.
type Fact[T any] struct {
	// Known: the query was answered.
	Known bool
	// Exists: what was asked for is there.
	Exists bool
	// Value is set when it exists.
	Value T
}

// Absent is the answer that there is no such thing.
type Absent struct{}

// Excess is the answer in place of a ConfigMap with which those of a pass would take too much
// memory.
type Excess struct {
	// Most bytes that they may have together.
	Most int64
}
