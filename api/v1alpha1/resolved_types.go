package v1alpha1

// Resolved pins the inputs of a run.
type Resolved struct {
	// clientShape is the shape of the client pods.
	// +required
	ClientShape InstanceShapeSpec `json:"clientShape"`
	// agentImage in the database pods, and in the client pods of a custom tool.
	// +required
	AgentImage string `json:"agentImage"`
	// runnerImage of the client pods.
	// +required
	RunnerImage string `json:"runnerImage"`
	// runnerImages by their names in the catalogue, where cells need different ones;
	// runnerImage is then that of the first cell.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	RunnerImages []RunnerImage `json:"runnerImages,omitempty"`
	// inputs are the files that the workload names, as they were when the run was
	// accepted; absent without any.
	// +optional
	Inputs *ResolvedInputs `json:"inputs,omitempty"`
	// targets in the order of the spec.
	// +required
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=8
	Targets []ResolvedTarget `json:"targets"`
}

// RunnerImage is an image of the client pods.
type RunnerImage struct {
	// name in the catalogue of the operator's configuration.
	// +required
	Name string `json:"name"`
	// image of that name.
	// +required
	Image string `json:"image"`
}

// ResolvedInputs are the files of a workload, pinned.
type ResolvedInputs struct {
	// configMap of the run that holds the copy.
	// +required
	ConfigMap string `json:"configMap"`
	// sha256 of the names and contents, in hexadecimal: that of what sha256sum prints of
	// the files in the order of their names.
	// +required
	SHA256 string `json:"sha256"`
}

// ResolvedTarget pins the inputs of a target.
type ResolvedTarget struct {
	// name of the target.
	// +required
	Name string `json:"name"`
	// shape of the database pod; absent for an external target.
	// +optional
	Shape *InstanceShapeSpec `json:"shape,omitempty"`
	// image of the database server; absent for an external target.
	// +optional
	Image string `json:"image,omitempty"`
	// settings of the server: those of configFrom and config, merged, and those that
	// Assay derives; the source tells them apart.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=1024
	Settings []ServerSetting `json:"settings,omitempty"`
	// publishedSHA256 of the numbers of a published target, in hexadecimal.
	// +optional
	PublishedSHA256 string `json:"publishedSHA256,omitempty"`
}

// SettingSource is where a setting of a server comes from.
// +kubebuilder:validation:Enum=Spec;Shape;Workload;Replication
type SettingSource string

// Sources of settings.
const (
	// SourceSpec: config and configFrom.
	SourceSpec SettingSource = "Spec"
	// SourceShape: derived from the shape of the target (sizing: Shape).
	SourceShape SettingSource = "Shape"
	// SourceWorkload: a limit that the workload would exceed.
	SourceWorkload SettingSource = "Workload"
	// SourceReplication: what replication needs.
	SourceReplication SettingSource = "Replication"
)

// ServerSetting is one setting of a server.
type ServerSetting struct {
	// name as in my.cnf.
	// +required
	Name string `json:"name"`
	// value of the setting; absent for a setting without one.
	// +optional
	Value string `json:"value,omitempty"`
	// source of the setting; absent where it is what a server answered.
	// +optional
	Source SettingSource `json:"source,omitempty"`
}

// SettingDifference is a setting whose effective value is not the requested one.
type SettingDifference struct {
	// name as in my.cnf.
	// +required
	Name string `json:"name"`
	// requested value.
	// +required
	Requested string `json:"requested"`
	// source of the setting; absent for the storage engine of the target.
	// +optional
	Source SettingSource `json:"source,omitempty"`
	// effective value, as SHOW GLOBAL VARIABLES answered; absent when the server has
	// no such variable.
	// +optional
	Effective *string `json:"effective,omitempty"`
}
