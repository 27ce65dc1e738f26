package v1alpha1

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"
)

// Axis is one factor of the experiment.
// +kubebuilder:validation:XValidation:rule="self.name.startsWith('config.') || !has(self.target) && !has(self.apply)",message="target and apply are for settings of the server, config.NAME: a parameter of the tool has neither"
type Axis struct {
	// name of a parameter of the tool, such as threads, or of a custom tool's own parameter. Or a setting of
	// the server, config.NAME with the name of its variable, such as config.innodb_flush_log_at_trx_commit:
	// it is changed before each trial, and has to be in force in all of it. Or a field of the second load (spec.background), background.NAME,
	// such as background.threads; background.clients is how many of its clients work, from 0 on. Or clients: how many of the client pods
	// (spec.clients.count) work, from 1 on.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^(config\.|background\.)?[A-Za-z][A-Za-z0-9_]*$`
	Name string `json:"name"`

	// target whose setting varies, which is the only one that the run measures. Absent: the setting varies on
	// every target. Only for settings.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Target string `json:"target,omitempty"`

	// apply is how a setting changes: Set (the default) with SET GLOBAL while the server runs, or Restart with
	// its option file and a start before each trial, for variables that a running server cannot change. Only
	// for settings.
	// +optional
	Apply ApplyMethod `json:"apply,omitempty"`

	// values of the field, 1 to 64, each once: numbers, or strings in quotes, "true"
	// and "0.5" included.
	// +required
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:XValidation:rule="self.all(v, type(v) == int || size(v) <= 512)",message="a value has at most 512 characters"
	Values []intstr.IntOrString `json:"values"`
}

// ApplyMethod is how a setting of a server changes.
// +kubebuilder:validation:Enum=Set;Restart
type ApplyMethod string

// Ways to change a setting.
const (
	// ApplySet changes the running server.
	ApplySet ApplyMethod = "Set"
	// ApplyRestart starts the server again before each trial.
	ApplyRestart ApplyMethod = "Restart"
)

// settingPrefix is before the name of a setting of the server in the name of an axis.
const settingPrefix = "config."

// Setting of the server that the axis varies, by the name of its variable; false for a parameter of the tool.
func (a Axis) Setting() (name string, is bool) { return strings.CutPrefix(a.Name, settingPrefix) }

// VariesSettings says whether trials change a setting of the server in this way.
func (s *BenchmarkRunSpec) VariesSettings(by ApplyMethod) bool {
	return slices.ContainsFunc(s.Matrix, func(a Axis) bool {
		_, is := a.Setting()
		return is && cmp.Or(a.Apply, ApplySet) == by
	})
}

// Varies says whether a variable of the server, by its name, has other values in other trials.
func (s *BenchmarkRunSpec) Varies(variable string) bool {
	return slices.ContainsFunc(s.Matrix, func(a Axis) bool { return a.Name == settingPrefix+variable })
}

// Exclusion maps names of axes to values.
// +kubebuilder:validation:MinProperties=1
// +kubebuilder:validation:MaxProperties=8
// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 63 && (type(self[k]) == int || size(self[k]) <= 512))",message="names have at most 63 characters, and values at most 512 characters"
type Exclusion map[string]intstr.IntOrString

// AxisClients is the axis of how many client pods work.
const AxisClients = "clients"
