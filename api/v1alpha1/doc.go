// Package v1alpha1 is the API of Assay: BenchmarkRun and InstanceShape, their
// defaults and the rules that the API server checks (CEL), the names of the
// conditions, and the names of the objects that belong to a run.
//
// It imports nothing else of Assay, so that other programs can use it.
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
	)
	metav1.AddToGroupVersion(s, GroupVersion)
	return nil
}
