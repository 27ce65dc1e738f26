package v1alpha1

import (
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Analysis declares before the data what is compared, and what the run may conclude from it.
type Analysis struct {
	// comparisons that the run concludes from, at most 16. All pairs of values that they make, in
	// every cell and measurement, are one family: the error rate holds for all of them together.
	// Absent: every measured target against the first one, in the main measurement of the tool and
	// in one latency.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Comparisons []Comparison `json:"comparisons,omitempty"`

	// minimumEffect is the smallest difference that matters, as a percentage above 0% and up to
	// 100%. Two sides whose difference is shown to be smaller are Equivalent.
	// +optional
	// +kubebuilder:default="2%"
	// +kubebuilder:validation:XValidation:rule="double(self.replace('%', '')) > 0.0 && double(self.replace('%', '')) <= 100.0",message="minimumEffect must be above 0% and at most 100%, such as 2%"
	MinimumEffect Percentage `json:"minimumEffect,omitempty"`

	// errorRate is the largest probability of at least one false difference in the whole family, and
	// likewise of at least one false equivalence, as a percentage from 0.1% to 20%.
	// +optional
	// +kubebuilder:default="5%"
	// +kubebuilder:validation:XValidation:rule="double(self.replace('%', '')) >= 0.1 && double(self.replace('%', '')) <= 20.0",message="errorRate must be from 0.1% to 20%, such as 5%"
	ErrorRate Percentage `json:"errorRate,omitempty"`

	// control measures the baseline a second time, under the name control: a target with the same
	// spec, on a server of its own. Their comparison has no true difference. Its interval is the
	// resolution of the experiment. The baseline is that of the first comparison of targets, or
	// the first measured target. It needs mysql.
	// +optional
	Control bool `json:"control,omitempty"`

	// requireLike are the properties in which the two sides of a comparison of targets must not
	// differ. Where they do, the verdict is Inconclusive. Absent: differences that matter are named
	// beside the verdict.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=16
	RequireLike []LikeAspect `json:"requireLike,omitempty"`
}

// Comparison compares the values of one factor with a baseline. The rest of the experiment is equal
// on both sides, unless baselineWithin says otherwise: the same cell, target, labels and block.
type Comparison struct {
	// factor whose values are compared: target, an axis of the matrix (config.NAME for a setting, background.NAME for a second load), or with drivers one of
	// driver, scheme, transaction, session, concurrency and rows.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^(config\.|background\.)?[A-Za-z][A-Za-z0-9_]*$`
	Factor string `json:"factor"`

	// baseline is the value of the factor that all others are compared with. Absent: the first
	// one.
	// +optional
	// +kubebuilder:validation:XValidation:rule="type(self) == int || size(self) <= 512",message="a value has at most 512 characters"
	Baseline *intstr.IntOrString `json:"baseline,omitempty"`

	// within restricts the comparison to parts of the experiment: values of other factors, such as
	// {threads: 64}. Absent: everywhere.
	// +optional
	Within Exclusion `json:"within,omitempty"`

	// baselineWithin are values of other factors on the side of the baseline, where they differ from those in within: such as
	// {scheme: SingleRow} beside within: {scheme: Batch}, for a driver whose baseline cannot batch. With drivers only, of the
	// factors driver, scheme, transaction, session, concurrency and rows; each has to be in within, with another value. With rows, here or as the
	// factor, only throughput.rows is compared. A selected value without such a side is refused, and so is a driver of another
	// language, unless the language is the factor. The sides are named with both values wherever the comparison is. Absent: all else is equal.
	// +optional
	BaselineWithin Exclusion `json:"baselineWithin,omitempty"`

	// measurements to compare, at most 8. Absent: the main measurement of the tool, and for tools
	// other than drivers one latency.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	Measurements []MeasurementRef `json:"measurements,omitempty"`
}

// MeasurementRef selects one measurement. Of several with the name and the labels, it is the one
// with the fewest labels; of these, the one with the label p: "95".
type MeasurementRef struct {
	// name of the measurement, such as latency.percentile.
	// +required
	// +kubebuilder:validation:MinLength=1
	Name Name `json:"name"`

	// labels that it has, such as {p: "99"}.
	// +optional
	// +kubebuilder:validation:MaxProperties=8
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 253 && size(self[k]) <= 1024)",message="names have at most 253 characters, and values at most 1024 characters"
	Labels map[string]string `json:"labels,omitempty"`
}

// LikeAspect is a group of properties in which two sides of a comparison may differ.
// +kubebuilder:validation:Enum=durability;caches;characterSet;isolation;tls;performanceSchema;node;cpu;kernel;machineSpeed;storage;image;data
type LikeAspect string

// Aspects of likeness.
const (
	// LikeDurability are the settings that decide the cost of a commit: flushes, binary log, doublewrite.
	LikeDurability LikeAspect = "durability"
	// LikeCaches are the sizes of buffer pools and block caches.
	LikeCaches LikeAspect = "caches"
	// LikeCharacterSet are character sets and collations.
	LikeCharacterSet LikeAspect = "characterSet"
	// LikeIsolation is the isolation of transactions.
	LikeIsolation LikeAspect = "isolation"
	// LikeTLS is the encryption of connections.
	LikeTLS LikeAspect = "tls"
	// LikePerformanceSchema is the instrumentation of the server.
	LikePerformanceSchema LikeAspect = "performanceSchema"
	// LikeNode is the node of the server, where another one is another machine.
	LikeNode LikeAspect = "node"
	// LikeCPU is the model of the CPU.
	LikeCPU LikeAspect = "cpu"
	// LikeKernel is the version of the kernel.
	LikeKernel LikeAspect = "kernel"
	// LikeMachineSpeed is the measured speed of the machines.
	LikeMachineSpeed LikeAspect = "machineSpeed"
	// LikeStorage are the file system and the caches of the device.
	LikeStorage LikeAspect = "storage"
	// LikeImage is the container image.
	LikeImage LikeAspect = "image"
	// LikeData is the loaded data.
	LikeData LikeAspect = "data"
)

// Names of the analysis.
const (
	// FactorTarget is the factor whose values are the measured targets.
	FactorTarget = "target"
	// ControlName is the name of the target that repeats the baseline.
	ControlName = "control"
	// DefaultMinimumEffect and DefaultErrorRate hold for a run without spec.analysis.
	DefaultMinimumEffect = "2%"
	DefaultErrorRate     = "5%"
)
