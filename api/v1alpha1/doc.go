// Package v1alpha1 is the API of Assay: BenchmarkRun, BenchmarkSchedule, BenchmarkBaseline and InstanceShape, their
// defaults and the rules that the API server checks (CEL), the names of the
// conditions, and the names of the objects that belong to a run.
//
// It imports nothing else of Assay, so that other programs can use it.
//
// Conventions, beyond those of the Kubernetes API:
//
//   - A number has its unit in the name (roundTripSeconds) or beside it (value and unit);
//     a share or a ratio has none. Decimal numbers in the status are strings such as
//     "0.000142", because a float does not survive every serialiser. Durations that people
//     write, such as 300s, are strings with their unit.
//   - A time ends in Time (startTime, completionTime). A count ends in Count, except in
//     progress, where every field is a number of trials as in the status of a Job, and where
//     Kubernetes or the field has a word for it (replicas, blocks, threads).
//   - What is not known, or does not apply, is absent. No value of a field means something
//     else than itself: 0 is a measured zero, and a condition that is not decided is Unknown.
//   - Enumerations are in CamelCase. Parameters of a tool keep the tool's own names, values
//     and units (randType: special, rate in transactions per second); names of measurements
//     and of checks are those of docs/reference/checks.md.
//   - A node is named by nodeName; status.nodes describes it once, whatever runs there.
//   - Every list of the spec and the status is bounded.
//
// +kubebuilder:object:generate=true
// +groupName=assay.dev
package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion of the types in this package.
var GroupVersion = schema.GroupVersion{Group: "assay.dev", Version: "v1alpha1"}

// AddToScheme registers the types of this package.
func AddToScheme(s *runtime.Scheme) error {
	s.AddKnownTypes(GroupVersion,
		&BenchmarkRun{}, &BenchmarkRunList{},
		&InstanceShape{}, &InstanceShapeList{},
		&BenchmarkSchedule{}, &BenchmarkScheduleList{},
		&BenchmarkBaseline{}, &BenchmarkBaselineList{},
	)
	metav1.AddToGroupVersion(s, GroupVersion)
	return nil
}
