package v1alpha1

import (
	"cmp"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// InstanceShapeSpec is a machine size: the resources of a pod, and the nodes that it may run
// on.
// +kubebuilder:validation:XValidation:rule="!has(self.cpus) || self.cpus != 'Exclusive' || quantity(string(self.cpu)).isInteger()",message="with cpus: Exclusive, cpu must be a whole number, and be written as one, such as 2 and not 2000m or 2.0: the kubelet reserves whole CPUs"
// +kubebuilder:validation:XValidation:rule="!has(self.provisioningClass) || has(self.nodes) && self.nodes == 'Provisioned'",message="provisioningClass needs nodes: Provisioned: nodes that exist are not asked for"
// +kubebuilder:validation:XValidation:rule="!has(self.provisioningClass) || self.provisioningClass != 'check-capacity.autoscaling.x-k8s.io'",message="provisioningClass check-capacity.autoscaling.x-k8s.io makes no nodes: use best-effort-atomic-scale-up.autoscaling.x-k8s.io, or another class that makes them"
type InstanceShapeSpec struct {
	// cpu is the request and the limit of a pod (QoS class Guaranteed). With whole numbers, a
	// kubelet with the static CPU manager reserves CPUs for the pod.
	// +required
	// +kubebuilder:validation:XValidation:rule="quantity(string(self)).isGreaterThan(quantity('0'))",message="cpu must be greater than 0, such as 2 or 500m"
	// +kubebuilder:validation:XValidation:rule="type(self) == int || size(self) <= 64",message="a quantity has at most 64 characters"
	CPU resource.Quantity `json:"cpu"`

	// cpus says whether the measured container has to have its CPUs for itself. Exclusive: cpu is a whole number, and a kubelet with the
	// static CPU manager reserves as many CPUs for the server, or the tool, that no other pod runs on; each trial checks whether it did.
	// Shared: it may run on the CPUs that all pods share, and nothing is checked. Shared unless set.
	// +optional
	CPUs ShapeCPUs `json:"cpus,omitempty"`

	// memory is the request and the limit of a pod. At least 64Mi.
	// +required
	// +kubebuilder:validation:XValidation:rule="quantity(string(self)).compareTo(quantity('64Mi')) >= 0",message="memory must be at least 64Mi, such as 16Gi"
	// +kubebuilder:validation:XValidation:rule="type(self) == int || size(self) <= 64",message="a quantity has at most 64 characters"
	Memory resource.Quantity `json:"memory"`

	// hugePages of a server's pod, beside its memory, for a server with large_pages: ON. Nodes have as many set aside, and give them to no
	// other pod; each trial checks whether the server uses them. None unless set. Shapes of clients have none.
	// +optional
	HugePages *HugePages `json:"hugePages,omitempty"`

	// nodeSelector names the labels of the nodes that offer this shape, such as
	// node.kubernetes.io/instance-type: ecs.hfg6.xlarge. Empty means any node.
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 317 && size(self[k]) <= 63)",message="names have at most 317 characters, and values at most 63 characters"
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`

	// tolerations for taints of nodes that are reserved for benchmarks.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:XValidation:rule="self.all(t, (!has(t.key) || size(t.key) <= 317) && (!has(t.value) || size(t.value) <= 63) && (!has(t.effect) || size(t.effect) <= 63) && (!has(t.operator) || size(t.operator) <= 63))",message="keys have at most 317 characters, and values, effects and operators at most 63 characters"
	Tolerations []corev1.Toleration `json:"tolerations,omitempty"`

	// nodes says where the nodes of the shape come from. Existing: a run for which none is ready ends. Provisioned: it asks the
	// autoscaler of the cluster for them, with placeholder pods of this shape, and lets them go when it has ended.
	// +optional
	Nodes NodeSource `json:"nodes,omitempty"`

	// provisionWithin is how long a run waits for nodes that are provisioned, from 1m to 6h. 15m unless set.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Format=duration
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('1m') && duration(self) <= duration('6h')",message="provisionWithin must be between 1m and 6h, such as 20m"
	ProvisionWithin *metav1.Duration `json:"provisionWithin,omitempty"`

	// provisioningClass has the nodes of the shape asked for by a ProvisioningRequest (autoscaling.x-k8s.io/v1) of this class, such as
	// best-effort-atomic-scale-up.autoscaling.x-k8s.io: one for all pods of the run whose shapes have the same selector, tolerations, size
	// and class. The placeholder pods come when all of them are provisioned. Only with nodes: Provisioned. Unset: placeholder pods alone
	// ask for nodes.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	ProvisioningClass string `json:"provisioningClass,omitempty"`

	// runtimeClassName of the pods, such as a performance class that turns off
	// interrupt load balancing.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	RuntimeClassName *string `json:"runtimeClassName,omitempty"`

	// price of one machine of this shape. Trials on servers with a price have the cost of a million
	// operations among their values.
	// +optional
	Price *Price `json:"price,omitempty"`

	// annotations for the pods, such as those that a runtime class reads.
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 317 && size(self[k]) <= 4096)",message="names have at most 317 characters, and values at most 4096 characters"
	Annotations map[string]string `json:"annotations,omitempty"`
}

// ShapeCPUs says whether a container has to have its CPUs for itself.
// +kubebuilder:validation:Enum=Shared;Exclusive
type ShapeCPUs string

const (
	// ShapeCPUsShared: other pods may run on the CPUs of the container.
	ShapeCPUsShared ShapeCPUs = "Shared"
	// ShapeCPUsExclusive: the container has to have whole CPUs of its own.
	ShapeCPUsExclusive ShapeCPUs = "Exclusive"
)

// ExclusiveCPUs is how many CPUs of its own a container of the shape is to have; 0 for one that shares them.
func (s InstanceShapeSpec) ExclusiveCPUs() int64 {
	if s.CPUs != ShapeCPUsExclusive {
		return 0
	}
	return s.CPU.Value()
}

// HugePages are pages of memory that a node has set aside (hugetlb), and gives to one pod. The API server takes whole ones only.
type HugePages struct {
	// pageSize of each page. It is the node's default size for MySQL, which takes no other (Hugepagesize in /proc/meminfo). 2Mi unless set.
	// +optional
	PageSize HugePageSize `json:"pageSize,omitempty"`

	// count of the pages, which are the request and the limit of the pod, such as 512 for 1Gi in pages of 2Mi. The buffer pool has to fit
	// into them.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1048576
	Count int32 `json:"count"`
}

// Size of all pages together.
func (h HugePages) Size() resource.Quantity {
	bytes := int64(h.Count) << 21
	if h.PageSize == HugePages1Gi {
		bytes = int64(h.Count) << 30
	}
	return *resource.NewQuantity(bytes, resource.BinarySI)
}

// HugePageSize is the size of a huge page.
// +kubebuilder:validation:Enum="2Mi";"1Gi"
type HugePageSize string

const (
	// HugePages2Mi: pages of 2 MiB.
	HugePages2Mi HugePageSize = "2Mi"
	// HugePages1Gi: pages of 1 GiB.
	HugePages1Gi HugePageSize = "1Gi"
)

// Resource of such pages, as nodes and pods name it: hugepages-2Mi.
func (s HugePageSize) Resource() corev1.ResourceName {
	return corev1.ResourceName(corev1.ResourceHugePagesPrefix + string(cmp.Or(s, HugePages2Mi)))
}

// Resources of a container of the shape: its requests, and its limits.
func (s InstanceShapeSpec) Resources() corev1.ResourceList {
	list := corev1.ResourceList{corev1.ResourceCPU: s.CPU.DeepCopy(), corev1.ResourceMemory: s.Memory.DeepCopy()}
	if h := s.HugePages; h != nil {
		list[h.PageSize.Resource()] = h.Size()
	}
	return list
}

// NodeSource says where the nodes of a shape come from.
// +kubebuilder:validation:Enum=Existing;Provisioned
type NodeSource string

const (
	// NodesExisting: the nodes exist.
	NodesExisting NodeSource = "Existing"
	// NodesProvisioned: an autoscaler makes them when a run asks.
	NodesProvisioned NodeSource = "Provisioned"
)

// DefaultProvisionWithin is how long a run waits for nodes that are provisioned, unless its shape says.
const DefaultProvisionWithin = 15 * time.Minute

// ProvisionedWithin is how long a run waits for nodes of the shape; 0 for a shape whose nodes have to exist.
func (s InstanceShapeSpec) ProvisionedWithin() time.Duration {
	switch {
	case s.Nodes != NodesProvisioned:
		return 0
	case s.ProvisionWithin == nil:
		return DefaultProvisionWithin
	}
	return s.ProvisionWithin.Duration
}

// Price of a machine.
// +kubebuilder:object:generate=false
type Price struct {
	// perHour is a decimal number, such as "0.204".
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:validation:Pattern=`^[0-9]{1,9}(\.[0-9]{1,9})?$`
	PerHour string `json:"perHour"`

	// currency is its code (ISO 4217), such as EUR.
	// +required
	// +kubebuilder:validation:MinLength=3
	// +kubebuilder:validation:MaxLength=3
	// +kubebuilder:validation:Pattern=`^[A-Z]{3}$`
	Currency string `json:"currency"`
}

// InstanceShapeStatus is what the cluster offers.
type InstanceShapeStatus struct {
	// observedGeneration is the generation of the spec that this status describes; -1 until the
	// manager has seen the shape.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// nodeCount is the number of nodes that are ready, schedulable and, when empty, large
	// enough for one pod of this shape. Absent until the nodes are counted.
	// +optional
	// +kubebuilder:validation:Minimum=0
	NodeCount *int32 `json:"nodeCount,omitempty"`

	// conditions of the shape: Offered is True when at least one node offers it.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// InstanceShape is a named machine size.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,shortName=shape
// +kubebuilder:printcolumn:name="CPU",type=string,JSONPath=`.spec.cpu`
// +kubebuilder:printcolumn:name="Memory",type=string,JSONPath=`.spec.memory`
// +kubebuilder:printcolumn:name="Nodes",type=integer,JSONPath=`.status.nodeCount`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type InstanceShape struct {
	metav1.TypeMeta `json:",inline"`
	// metadata of the shape.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec of the shape. A run pins the shape when it is accepted: a later change
	// does not alter it.
	// +required
	Spec InstanceShapeSpec `json:"spec"`
	// status of the shape: what the cluster offers.
	// +optional
	// +kubebuilder:default={"observedGeneration":-1}
	Status InstanceShapeStatus `json:"status,omitzero"`
}

// InstanceShapeList is a list of shapes.
//
// +kubebuilder:object:root=true
type InstanceShapeList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	// +required
	Items []InstanceShape `json:"items"`
}
