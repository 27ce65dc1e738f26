package resources

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// The API of the snapshots of volumes, which CSI drivers take. Its module is no dependency, as that of an autoscaler is none.
var (
	snapshotVersion = schema.GroupVersion{Group: "snapshot.storage.k8s.io", Version: "v1"}
	snapshotKind    = snapshotVersion.WithKind("VolumeSnapshot")
	contentKind     = snapshotVersion.WithKind("VolumeSnapshotContent")
)

// SnapshotAPI is the API that has VolumeSnapshots, as people write it.
const SnapshotAPI = "snapshot.storage.k8s.io/v1"

// VolumeSnapshot is what an object of that API says, as far as a run needs it.
type VolumeSnapshot struct {
	Name string
	UID  types.UID
	// Deleting: it is being deleted.
	Deleting bool
	// Ready: a volume can be made of it.
	Ready bool
	// Created is when the object was, by the clock of the API server. TakenTime is when the storage took it, or Created where that does not say.
	Created, TakenTime time.Time
	// Source is the name of the claim that it is of; empty of one that was made of a VolumeSnapshotContent.
	Source string
	// RestoreSize is the least size of a volume that is made of it; nil where that is unknown.
	RestoreSize *resource.Quantity
	// Error is what the CSI driver, or the controller of the API, says is wrong now; empty for nothing.
	Error string
	// Content is the name of its VolumeSnapshotContent; empty for none yet.
	Content string
	// Data is what the run that made it says of its data; nil of one that no run made. DataProblem says why that cannot be read.
	Data        *contract.VolumeData
	DataProblem string
	// Handle of the snapshot on the storage, and Driver of that; empty where they are unknown.
	Handle, Driver string
}

// NamedSnapshot has nothing but its name.
func NamedSnapshot(namespace, name string) *unstructured.Unstructured {
	return namedOf(snapshotKind, namespace, name)
}

// NamedContent has nothing but its name.
func NamedContent(name string) *unstructured.Unstructured { return namedOf(contentKind, "", name) }

func namedOf(kind schema.GroupVersionKind, namespace, name string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(kind)
	u.SetNamespace(namespace)
	u.SetName(name)
	return u
}

// maxSnapshotError of the words of a driver are shown, in bytes.
const maxSnapshotError = 1000

// SnapshotOf an object that exists. What is not as the API says is unknown.
func SnapshotOf(u *unstructured.Unstructured) VolumeSnapshot {
	s := VolumeSnapshot{Name: u.GetName(), UID: u.GetUID(), Deleting: !u.GetDeletionTimestamp().IsZero(), Created: u.GetCreationTimestamp().Time}
	s.Source, _, _ = unstructured.NestedString(u.Object, "spec", "source", "persistentVolumeClaimName")
	text := func(fields ...string) string {
		said, _, _ := unstructured.NestedString(u.Object, append([]string{"status"}, fields...)...)
		return said
	}
	s.Ready, _, _ = unstructured.NestedBool(u.Object, "status", "readyToUse")
	if name := text("boundVolumeSnapshotContentName"); len(validation.IsDNS1123Subdomain(name)) == 0 {
		s.Content = name
	}
	s.Error = text("error", "message")
	if len(s.Error) > maxSnapshotError {
		s.Error = strings.ToValidUTF8(s.Error[:maxSnapshotError], "") + "..."
	}
	s.TakenTime = s.Created
	if at, err := time.Parse(time.RFC3339, text("creationTime")); err == nil && contract.IsKeepable(at) {
		s.TakenTime = at
	}
	if said, is, _ := unstructured.NestedFieldNoCopy(u.Object, "status", "restoreSize"); is {
		if size, err := resource.ParseQuantity(fmt.Sprint(said)); err == nil { // it may be a number
			s.RestoreSize = &size
		}
	}
	if said, is := u.GetAnnotations()[v1alpha1.AnnotationData]; is {
		data, err := contract.ParseVolumeData(said)
		if err != nil {
			s.DataProblem = err.Error()
		} else {
			s.Data = &data
		}
	}
	return s
}

// longestHandle is what a status has room for, in bytes.
const longestHandle = 1024

// With what the content says that it is bound to, where both name each other: anybody may name the content of others.
func (s VolumeSnapshot) With(content *unstructured.Unstructured) VolumeSnapshot {
	text := func(fields ...string) string {
		said, _, _ := unstructured.NestedString(content.Object, fields...)
		return said
	}
	handle, driver := text("status", "snapshotHandle"), text("spec", "driver")
	if text("spec", "volumeSnapshotRef", "uid") == string(s.UID) && len(handle) <= longestHandle && len(driver) <= validation.DNS1123SubdomainMaxLength {
		s.Handle, s.Driver = handle, driver
	}
	return s
}

// clocksDiffer is by how much those of the API server and of the manager may.
const clocksDiffer = time.Minute

// IsOf says whether the run of a volume made it: it is of that volume, was created when the run had ended, and says so. Its annotation alone
// proves nothing, because whoever may write VolumeSnapshots can write that.
func (s VolumeSnapshot) IsOf(v Volume) bool {
	return s.saysOf(v) && s.isAfter(v.Of.Run.Status.CompletionTime)
}

// IsTooEarly says whether it says that it is what IsOf is, but was created before the run of the volume had ended.
func (s VolumeSnapshot) IsTooEarly(v Volume) bool {
	ended := v.Of.Run.Status.CompletionTime
	return s.saysOf(v) && ended != nil && !s.isAfter(ended)
}

func (s VolumeSnapshot) isAfter(ended *metav1.Time) bool {
	return ended != nil && !s.Created.Before(ended.Add(-clocksDiffer))
}

func (s VolumeSnapshot) saysOf(v Volume) bool {
	return s.Data != nil && s.Data.RunUID == string(v.Of.Run.UID) && s.Data.Target == v.Of.Spec.Name && s.Source == v.ClaimName()
}

// Snapshot is the VolumeSnapshot of the volume, which belongs to nobody: it outlives the run. It says what its data is.
func (v Volume) Snapshot(data contract.VolumeData) (*unstructured.Unstructured, error) {
	made := v.Of.Spec.MySQL.Storage.Snapshot
	said, err := json.Marshal(data)
	if err == nil {
		_, err = contract.ParseVolumeData(string(said))
	}
	if err != nil {
		return nil, fmt.Errorf("what VolumeSnapshot %s is to say of its data: %w", made.Name, err)
	}
	u := NamedSnapshot(v.Of.Run.Namespace, made.Name)
	u.SetLabels(map[string]string{v1alpha1.LabelManagedBy: v1alpha1.ManagedBy, v1alpha1.LabelRun: v.Of.Run.Name, v1alpha1.LabelTarget: v.Of.Spec.Name})
	u.SetAnnotations(map[string]string{v1alpha1.AnnotationData: string(said)})
	spec := map[string]any{"source": map[string]any{"persistentVolumeClaimName": v.ClaimName()}}
	if made.ClassName != "" {
		spec["volumeSnapshotClassName"] = made.ClassName
	}
	u.Object["spec"] = spec
	return u, nil
}

// madeOf is the source of a volume; nil for one that is empty at first.
func madeOf(s v1alpha1.Storage) *corev1.TypedLocalObjectReference {
	if s.FromSnapshot == nil {
		return nil
	}
	return &corev1.TypedLocalObjectReference{APIGroup: new(snapshotVersion.Group), Kind: snapshotKind.Kind, Name: s.FromSnapshot.Name}
}

// Made is what the status of the run that made it says of it.
func (s VolumeSnapshot) Made() *v1alpha1.SnapshotStatus {
	return &v1alpha1.SnapshotStatus{Name: s.Name, UID: string(s.UID), TakenTime: metav1.Time{Time: s.TakenTime}, Handle: s.Handle}
}
