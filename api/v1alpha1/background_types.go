package v1alpha1

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"
)

// Background is a second load on the data of the workload: clients of its own, which are at work from the warm-up to the end of the measured
// window. Its measurements have the label load: background, and no part in those of the workload.
type Background struct {
	// clients is the number of client pods of the second load, 1 to 16. The axis background.clients varies how many of
	// them work in a cell, from 0 on.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=16
	Clients int32 `json:"clients,omitempty"`

	// workload has the fields in which the second load differs from spec.workload, such as {test: oltp_write_only, threads: 4}:
	// fields that an axis could set. The tool and the data are the same. Axes of the matrix do not change the second load,
	// but for those that are named after it, such as background.threads.
	// +required
	// +kubebuilder:validation:MinProperties=1
	// +kubebuilder:validation:MaxProperties=16
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 63 && (type(self[k]) == int || size(self[k]) <= 512))",message="names have at most 63 characters, and values at most 512 characters"
	Workload map[string]intstr.IntOrString `json:"workload"`
}

const (
	// backgroundPrefix is before the name of a field of the second load in the name of an axis.
	backgroundPrefix = "background."
	// backgroundClients is the axis with the number of clients of the second load that work.
	backgroundClients = "clients"
)

// Background is the field of the second load that the axis varies; false for any other axis. Clients says that it is how many of its clients
// work, and no field of the tool.
func (a Axis) Background() (field string, clients, is bool) {
	field, is = strings.CutPrefix(a.Name, backgroundPrefix)
	return field, is && field == backgroundClients, is
}

// TenantCount is the number of tenants, at least 1.
func (s *BenchmarkRunSpec) TenantCount() int { return int(max(s.Tenants, 1)) }

// MeasuringClients are the clients of all tenants together, at least 1. They are the first ones of a trial; those of a second load follow.
func (s *BenchmarkRunSpec) MeasuringClients() int {
	return s.TenantCount() * int(max(s.Clients.Count, 1))
}

// Measures says whether a client of a trial, by its index, measures the workload; one after those is of the second load.
func (s *BenchmarkRunSpec) Measures(client int) bool { return client < s.MeasuringClients() }

// BackgroundClients are those of the second load; 0 without one.
func (s *BenchmarkRunSpec) BackgroundClients() int {
	if s.Background == nil {
		return 0
	}
	return int(max(s.Background.Clients, 1))
}
