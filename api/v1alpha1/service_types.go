package v1alpha1

// MaxServicePods is how many pods a Service may have behind it.
const MaxServicePods = 16

// ResolvedService is what was found behind a Service.
type ResolvedService struct {
	// name of the Service.
	// +required
	Name Name `json:"name"`
	// clusterIPs of the Service, one for each family of addresses; absent for a headless one.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=2
	// +kubebuilder:validation:items:MaxLength=253
	ClusterIPs []string `json:"clusterIPs,omitempty"`
	// podPorts are the ports of the pods behind the port of the Service; absent where they are not known.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	PodPorts []int32 `json:"podPorts,omitempty"`
	// unseen is why the pods of the server are not known, in words; absent where they are.
	// +optional
	Unseen Line `json:"unseen,omitempty"`
	// pods that were ready to answer, in the order of their names. Which of several answers a
	// connection is not known.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	Pods []ServicePod `json:"pods,omitempty"`
}

// ServicePod is a pod behind a Service, as the API server shows it. Nothing looks into the pod: what its control group
// counts is absent.
type ServicePod struct {
	// name of the pod.
	// +required
	Name Name `json:"name"`
	// uid of the pod.
	// +required
	UID Name `json:"uid"`
	// nodeName is the node that it runs on.
	// +optional
	NodeName Name `json:"nodeName,omitempty"`
	// hostNetwork says that the pod has the network of its node.
	// +optional
	HostNetwork bool `json:"hostNetwork,omitempty"`
	// ready is what the pod says of itself: a Service with publishNotReadyAddresses leads to pods that
	// are not. Absent where it does not say.
	// +optional
	Ready *bool `json:"ready,omitempty"`
	// labels of the pod that begin with app.kubernetes.io/, by the rest of their names.
	// +optional
	// +kubebuilder:validation:MaxProperties=6
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 63 && size(self[k]) <= 63)",message="names and values have at most 63 characters"
	Labels map[string]string `json:"labels,omitempty"`
	// qosClass of the pod.
	// +optional
	QOSClass Name `json:"qosClass,omitempty"`
	// container that answers: the one that names the port, or the only one. Absent where that is not
	// known, and with it all that follows.
	// +optional
	Container Name `json:"container,omitempty"`
	// image of the container, as its pod names it.
	// +optional
	Image Line `json:"image,omitempty"`
	// imageID is the digest of the image, from the container runtime.
	// +optional
	ImageID Line `json:"imageID,omitempty"`
	// cpuRequest of the container.
	// +optional
	CPURequest Name `json:"cpuRequest,omitempty"`
	// cpuLimit of the container; absent where it has none.
	// +optional
	CPULimit Name `json:"cpuLimit,omitempty"`
	// memoryRequest of the container in bytes.
	// +optional
	MemoryRequest Name `json:"memoryRequest,omitempty"`
	// memoryLimit of the container in bytes; absent where it has none.
	// +optional
	MemoryLimit Name `json:"memoryLimit,omitempty"`
	// restartCount is the number of restarts of the container.
	// +optional
	// +kubebuilder:validation:Minimum=0
	RestartCount *int32 `json:"restartCount,omitempty"`
}
