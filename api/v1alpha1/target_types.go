package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Target is a database under test.
// +kubebuilder:validation:XValidation:rule="has(self.mysql) != has(self.external)",message="a target needs exactly one of mysql (a server that Assay provides) and external (the address of one that exists)"
// +kubebuilder:validation:XValidation:rule="has(self.mysql) == has(self.shape)",fieldPath=".shape",message="shape is required with mysql, and must be left out with external: Assay does not place an external server"
type Target struct {
	// Name of the target in this run: a short DNS label of at most 20 characters.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:validation:Pattern=`^[a-z]([-a-z0-9]*[a-z0-9])?$`
	Name string `json:"name"`

	// Shape of the database pod. Required with mysql.
	// +optional
	Shape *ShapeRef `json:"shape,omitempty"`

	// MySQL is a server of the MySQL family that Assay provides for this run.
	// +optional
	MySQL *MySQLTarget `json:"mysql,omitempty"`

	// External is a server that exists already. Assay changes nothing in it except
	// the tables of the workload in the named schema.
	// +optional
	External *ExternalTarget `json:"external,omitempty"`
}

// MySQLTarget is a server that Assay provides.
// +kubebuilder:validation:XValidation:rule="has(self.version) != has(self.image)",message="mysql needs exactly one of version (an entry of the engine catalogue) and image"
type MySQLTarget struct {
	// Flavor of the server.
	// +kubebuilder:validation:Enum=MySQL;MariaDB
	Flavor string `json:"flavor"`

	// Version is an entry of the operator's engine catalogue (chart value
	// engines), such as "10.11". Quote it: 9.10 and "9.10" are not the same.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Version string `json:"version,omitempty"`

	// Image overrides the engine catalogue: any image that has the server's
	// binaries. Its entrypoint is not used.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Image string `json:"image,omitempty"`

	// ImagePullPolicy of the server's image.
	// +optional
	// +kubebuilder:default=IfNotPresent
	// +kubebuilder:validation:Enum=Always;Never;IfNotPresent
	ImagePullPolicy corev1.PullPolicy `json:"imagePullPolicy,omitempty"`

	// ImagePullSecrets for the server's image, in the run's namespace.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	ImagePullSecrets []corev1.LocalObjectReference `json:"imagePullSecrets,omitempty"`

	// StorageEngine of the benchmark's tables.
	// +optional
	// +kubebuilder:default=InnoDB
	// +kubebuilder:validation:Enum=InnoDB
	StorageEngine string `json:"storageEngine,omitempty"`

	// Config are server settings as in my.cnf, name to value; quote numbers. They
	// override those of configFrom. What is not set here keeps the server's own
	// default. Settings that Assay owns, such as datadir, are refused.
	// +optional
	// +kubebuilder:validation:MaxProperties=256
	Config map[string]string `json:"config,omitempty"`

	// ConfigFrom are ConfigMaps with server settings, a later one overrides an
	// earlier one. A key that ends in .cnf holds a my.cnf file, whose server
	// groups are read; any other key is the name of a setting. The content is
	// pinned when the run is accepted.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	ConfigFrom []corev1.LocalObjectReference `json:"configFrom,omitempty"`

	// Storage of the data directory.
	// +optional
	// +kubebuilder:default={}
	Storage Storage `json:"storage,omitempty"`
}

// Storage of a data directory.
// +kubebuilder:validation:XValidation:rule="self.medium == 'Volume' || !has(self.storageClassName)",fieldPath=".storageClassName",message="storageClassName must be left out with medium: Memory"
type Storage struct {
	// Size of the data directory's volume.
	// +optional
	// +kubebuilder:default="10Gi"
	// +kubebuilder:validation:XValidation:rule="quantity(string(self)).compareTo(quantity('512Mi')) >= 0",message="size must be at least 512Mi, such as 50Gi"
	Size resource.Quantity `json:"size,omitempty"`

	// Medium is Volume (a PersistentVolumeClaim) or Memory (a tmpfs, which counts
	// against the memory of the shape and makes every fsync free).
	// +optional
	// +kubebuilder:default=Volume
	Medium StorageMedium `json:"medium,omitempty"`

	// StorageClassName of the PersistentVolumeClaim; unset means the cluster's
	// default class.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	StorageClassName *string `json:"storageClassName,omitempty"`
}

// StorageMedium is where a data directory lives.
// +kubebuilder:validation:Enum=Volume;Memory
type StorageMedium string

// Storage media.
const (
	MediumVolume StorageMedium = "Volume"
	MediumMemory StorageMedium = "Memory"
)

// ExternalTarget is a server that exists already.
type ExternalTarget struct {
	// Host name or IP address of the server.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9]([A-Za-z0-9.:-]*[A-Za-z0-9])?$`
	Host string `json:"host"`

	// Port of the server.
	// +optional
	// +kubebuilder:default=3306
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	Port int32 `json:"port,omitempty"`

	// Database is the schema that the workload's tables are made in. It must
	// exist and must not hold tables of the workload already. The tables are
	// dropped when the run ends, whether it failed or not, unless retain keeps
	// them; those of a load that failed are left alone.
	// +optional
	// +kubebuilder:default=assay
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9_$-]+$`
	Database string `json:"database,omitempty"`

	// Credentials names a Secret in the run's namespace with the keys username and
	// password, and for tls: Required also ca.crt, tls.crt and tls.key.
	Credentials corev1.LocalObjectReference `json:"credentials"`

	// TLS says whether connections are encrypted: Disabled or Required. It is
	// never left to a driver's default.
	// +optional
	// +kubebuilder:default=Disabled
	// +kubebuilder:validation:Enum=Disabled;Required
	TLS string `json:"tls,omitempty"`
}
