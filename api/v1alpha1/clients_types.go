package v1alpha1

// Clients are the pods that generate load.
type Clients struct {
	// shape of a client pod. Absent: one is chosen by the nodes of the cluster, and stands in the status.
	// +optional
	Shape *ShapeRef `json:"shape,omitempty"`

	// count of client pods that start together, 1 to 64; their results are merged.
	// Each runs the whole workload: threads and rates are per client.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=64
	Count int32 `json:"count,omitempty"`

	// placement of the client pods.
	// +optional
	// +kubebuilder:default={}
	Placement ClientPlacement `json:"placement,omitzero"`
}

// ClientPlacement restricts the nodes of client pods.
// +kubebuilder:object:generate=false
type ClientPlacement struct {
	// separateFromTargets places clients and targets on different nodes. Required refuses the run when the cluster has no such nodes.
	// None allows a shared node, where client and server compete for the same CPUs. Absent: Required with clients.shape; where
	// all shapes are chosen and no target has replicas, Required if any pod may use two nodes or more, and the clients have room on
	// those that targets leave; or else None. What it came to stands in status.resolved.
	// +optional
	SeparateFromTargets Separation `json:"separateFromTargets,omitempty"`
}

// Separation of clients and targets.
// +kubebuilder:validation:Enum=Required;None
type Separation string

// Separations.
const (
	SeparationRequired Separation = "Required"
	SeparationNone     Separation = "None"
)

// ShapeRef names an InstanceShape or contains a shape for this run alone.
// +kubebuilder:validation:XValidation:rule="has(self.name) != has(self.inline)",message="shape needs exactly one of name (an InstanceShape) and inline (cpu, memory, nodeSelector, ...)"
type ShapeRef struct {
	// name of an InstanceShape.
	// +optional
	// +kubebuilder:validation:MinLength=1
	Name Name `json:"name,omitempty"`

	// inline is a shape for this run alone.
	// +optional
	Inline *InstanceShapeSpec `json:"inline,omitempty"`
}
