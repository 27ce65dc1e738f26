package v1alpha1

import corev1 "k8s.io/api/core/v1"

// CustomWorkload is any tool: the user's image and its commands. See
// docs/guide/custom-tools.md.
type CustomWorkload struct {
	// image with the tool. Its entrypoint is not used.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Image string `json:"image"`

	// imagePullPolicy of the image.
	// +optional
	// +kubebuilder:default=IfNotPresent
	// +kubebuilder:validation:Enum=Always;Never;IfNotPresent
	ImagePullPolicy corev1.PullPolicy `json:"imagePullPolicy,omitempty"`

	// imagePullSecrets for the image, in the run's namespace.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	// +kubebuilder:validation:XValidation:rule="self.all(r, !has(r.name) || size(r.name) <= 253)",message="names have at most 253 characters"
	ImagePullSecrets []corev1.LocalObjectReference `json:"imagePullSecrets,omitempty"`

	// files is a ConfigMap whose keys become files of the working directory.
	// +optional
	Files *ConfigMapFiles `json:"files,omitempty"`

	// prepare loads the data. Absent: nothing is loaded.
	// +optional
	Prepare *CustomPhase `json:"prepare,omitempty"`

	// run is measured. The warm-up is the same command with another duration.
	// +required
	Run CustomPhase `json:"run"`

	// cleanup drops the tables that prepare created, in an external target.
	// +optional
	Cleanup *CustomPhase `json:"cleanup,omitempty"`

	// parameters are values for the commands: $(NAME) in an argument. An axis of the
	// matrix may name one of them.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 253 && size(self[k]) <= 4096)",message="names have at most 253 characters, and values at most 4096 characters"
	Parameters map[string]string `json:"parameters,omitempty"`

	// dataParameters are the parameters that decide what prepare loads. They cannot be axes of
	// the matrix, because a run loads one data set.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=63
	DataParameters []string `json:"dataParameters,omitempty"`

	// threads is the number of connections that the tool opens at the same time. It is
	// available as $(THREADS), and compared with the connection limit of the server.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=4096
	Threads int32 `json:"threads,omitempty"`

	// format of the output of run: Result (docs/guide/custom-tools.md), or the format of a
	// known tool.
	// +required
	// +kubebuilder:validation:Enum=Result;Sysbench;YCSB;Mysqlslap;GoTPC;TPCCMySQL;BenchBase;GoBenchmark;PytestBenchmark;HdrHistogramLog
	Format string `json:"format"`

	// histogramUnit is the unit of the values in an HdrHistogram log: ns, us (the default) or
	// ms.
	// +optional
	// +kubebuilder:default=us
	// +kubebuilder:validation:Enum=ns;us;ms
	HistogramUnit string `json:"histogramUnit,omitempty"`

	// output is the file with the output, in the working directory. Absent: standard output.
	// +optional
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$`
	// +kubebuilder:validation:MaxLength=128
	Output string `json:"output,omitempty"`

	Connecting `json:",inline"`
}

// CustomPhase is a command of a custom tool. $(HOST), $(PORT), $(DATABASE), $(STORAGE_ENGINE),
// $(TLS), $(USERNAME), $(THREADS), $(DURATION_SECONDS), $(CLIENT), $(CLIENTS), $(SEED) and the
// parameters are replaced by their values; $$(NAME) becomes $(NAME). The password is never an
// argument: it is in the environment variable ASSAY_PASSWORD (and MYSQL_PWD), and in the file
// my.cnf of the working directory.
type CustomPhase struct {
	// command is the program and its arguments.
	// +required
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=128
	// +kubebuilder:validation:items:MaxLength=4096
	Command []string `json:"command"`
}
