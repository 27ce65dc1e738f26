package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Target is a database under test.
// +kubebuilder:validation:XValidation:rule="[has(self.mysql), has(self.external), has(self.published)].exists_one(x, x)",message="a target needs exactly one of mysql (a server that Assay provides), external (the address of one that exists) and published (numbers that were measured elsewhere)"
// +kubebuilder:validation:XValidation:rule="has(self.mysql) == has(self.shape)",fieldPath=".shape",message="shape is required with mysql, and must be left out otherwise: Assay places only its own servers"
type Target struct {
	// name of the target in this run: a short DNS label of at most 20 characters.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:validation:Pattern=`^[a-z]([-a-z0-9]*[a-z0-9])?$`
	Name string `json:"name"`

	// shape of the database pod. Required with mysql.
	// +optional
	Shape *ShapeRef `json:"shape,omitempty"`

	// mysql is a server of the MySQL family that Assay provides for this run.
	// +optional
	MySQL *MySQLTarget `json:"mysql,omitempty"`

	// external is a server that exists already. Assay changes nothing in it except
	// the tables of the workload in the named schema.
	// +optional
	External *ExternalTarget `json:"external,omitempty"`

	// published are numbers that somebody else measured. They are shown beside the
	// measured ones, marked as quoted, and never compared by a test.
	// +optional
	Published *PublishedTarget `json:"published,omitempty"`
}

// PublishedTarget are numbers that were measured elsewhere.
type PublishedTarget struct {
	// configMap with the raw output of the tool: the key run, and the key load where
	// the load was published too. What is missing stays missing.
	// +required
	ConfigMap ConfigMapFiles `json:"configMap"`

	// format of the output.
	// +required
	// +kubebuilder:validation:Enum=YCSB;Sysbench
	Format string `json:"format"`

	// source says where the numbers are from: a URL or a citation.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Source string `json:"source"`
}

// MySQLTarget is a server that Assay provides.
// +kubebuilder:validation:XValidation:rule="has(self.version) != has(self.image)",message="mysql needs exactly one of version (an entry of the engine catalogue) and image"
type MySQLTarget struct {
	// flavor of the server: MySQL, MariaDB, Percona (Percona Server) or TiDB.
	// +required
	// +kubebuilder:validation:Enum=MySQL;MariaDB;Percona;TiDB
	Flavor string `json:"flavor"`

	// version is an entry of the operator's engine catalogue (chart value
	// engines), such as "10.11". Quote it: 9.10 and "9.10" are not the same.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Version string `json:"version,omitempty"`

	// image overrides the engine catalogue: any image that has the server's
	// binaries. Its entrypoint is not used.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Image string `json:"image,omitempty"`

	// imagePullPolicy of the server's image.
	// +optional
	// +kubebuilder:default=IfNotPresent
	// +kubebuilder:validation:Enum=Always;Never;IfNotPresent
	ImagePullPolicy corev1.PullPolicy `json:"imagePullPolicy,omitempty"`

	// imagePullSecrets for the server's image, in the run's namespace.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	ImagePullSecrets []corev1.LocalObjectReference `json:"imagePullSecrets,omitempty"`

	// storageEngine of the benchmark's tables: InnoDB, or RocksDB (MyRocks) with MariaDB
	// and Percona. TiDB answers to the name InnoDB, and has its own.
	// +optional
	// +kubebuilder:default=InnoDB
	// +kubebuilder:validation:Enum=InnoDB;RocksDB
	StorageEngine string `json:"storageEngine,omitempty"`

	// sizing says what becomes of settings that are not given: Shape (the default)
	// sizes the buffer pool and its like by the shape of the target, and shows them in
	// status.resolved; Server leaves the server's own, which suit a small machine.
	// +optional
	// +kubebuilder:default=Shape
	// +kubebuilder:validation:Enum=Shape;Server
	Sizing string `json:"sizing,omitempty"`

	// tls says whether connections are encrypted, with certificates that Assay makes:
	// Disabled (the default), Preferred (clients ask for it) or Required (the server
	// refuses others as well).
	// +optional
	// +kubebuilder:default=Disabled
	TLS TLSMode `json:"tls,omitempty"`

	// replication to replicas on nodes of their own; absent: there are none. The primary is
	// measured.
	// +optional
	Replication *Replication `json:"replication,omitempty"`

	// config are server settings as in my.cnf, name to value; quote numbers. They
	// override those of configFrom. Settings that Assay owns, such as datadir, are
	// refused.
	// +optional
	// +kubebuilder:validation:MaxProperties=256
	Config map[string]string `json:"config,omitempty"`

	// configFrom are ConfigMaps with server settings, a later one overrides an
	// earlier one. A key that ends in .cnf holds a my.cnf file, whose server
	// groups are read; any other key is the name of a setting. The content is
	// pinned when the run is accepted.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	ConfigFrom []corev1.LocalObjectReference `json:"configFrom,omitempty"`

	// storage of the data directory.
	// +optional
	// +kubebuilder:default={}
	Storage Storage `json:"storage,omitzero"`
}

// What becomes of settings that are not given.
const (
	SizingShape  = "Shape"
	SizingServer = "Server"
)

// TLSMode says whether connections are encrypted. It is never left to a driver's
// default.
// +kubebuilder:validation:Enum=Disabled;Preferred;Required
type TLSMode string

// TLS modes.
const (
	TLSDisabled  TLSMode = "Disabled"
	TLSPreferred TLSMode = "Preferred"
	TLSRequired  TLSMode = "Required"
)

// Replication of a target.
type Replication struct {
	// mode is Async (a commit does not wait) or SemiSync (a commit waits until a replica
	// has received it).
	// +required
	Mode ReplicationMode `json:"mode"`

	// replicas of the primary, 1 to 4, each on a node of its own.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=4
	Replicas int32 `json:"replicas,omitempty"`
}

// ReplicationMode is how a commit reaches replicas.
// +kubebuilder:validation:Enum=Async;SemiSync
type ReplicationMode string

// Replication modes.
const (
	ReplicationAsync    ReplicationMode = "Async"
	ReplicationSemiSync ReplicationMode = "SemiSync"
)

// Storage of a data directory.
// +kubebuilder:validation:XValidation:rule="self.medium == 'Volume' || !has(self.storageClassName)",fieldPath=".storageClassName",message="storageClassName must be left out with medium: Memory"
type Storage struct {
	// size of the data directory's volume.
	// +optional
	// +kubebuilder:default="10Gi"
	// +kubebuilder:validation:XValidation:rule="quantity(string(self)).compareTo(quantity('512Mi')) >= 0",message="size must be at least 512Mi, such as 50Gi"
	Size resource.Quantity `json:"size,omitempty"`

	// medium is Volume (a PersistentVolumeClaim) or Memory (a tmpfs, which counts
	// against the memory of the shape and makes every fsync free).
	// +optional
	// +kubebuilder:default=Volume
	Medium StorageMedium `json:"medium,omitempty"`

	// storageClassName of the PersistentVolumeClaim; unset means the cluster's
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
// +kubebuilder:validation:XValidation:rule="has(self.host) != has(self.jdbc)",message="external needs exactly one of host (a server of the MySQL family) and jdbc (any database, through YCSB)"
type ExternalTarget struct {
	// host name or IP address of the server.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9]([A-Za-z0-9.:-]*[A-Za-z0-9])?$`
	Host string `json:"host,omitempty"`

	// port of the server.
	// +optional
	// +kubebuilder:default=3306
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	Port int32 `json:"port,omitempty"`

	// database is the schema that the workload's tables are made in. It must
	// exist and must not hold tables of the workload already. The tables are
	// dropped when the run ends, whether it failed or not, unless retain keeps
	// them; those of a load that failed are left alone.
	// +optional
	// +kubebuilder:default=assay
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9_$-]+$`
	Database string `json:"database,omitempty"`

	// jdbc reaches a database that does not speak the protocol of MySQL, such as SQL
	// Server, through YCSB. Nothing but what YCSB reports is known of it: no variables, no
	// counters, no checksums.
	// +optional
	JDBC *JDBCEndpoint `json:"jdbc,omitempty"`

	// credentials names a Secret in the run's namespace with the keys username and
	// password, and for TLS optionally ca.crt (the CA of the server's certificate), and
	// tls.crt and tls.key (a certificate of the client). sysbench needs all three.
	// +required
	Credentials corev1.LocalObjectReference `json:"credentials"`

	// tls says whether connections are encrypted: Disabled (the default), Preferred or
	// Required.
	// +optional
	// +kubebuilder:default=Disabled
	TLS TLSMode `json:"tls,omitempty"`
}

// JDBCEndpoint is a database behind a JDBC driver.
type JDBCEndpoint struct {
	// url as the driver takes it, without credentials. YCSB shards over several,
	// separated by semicolons, where its property db.urlsharddelim says so.
	// +required
	// +kubebuilder:validation:MinLength=6
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:Pattern=`^jdbc:[a-z]`
	URL string `json:"url"`

	// driver is the class of the driver, such as
	// com.microsoft.sqlserver.jdbc.SQLServerDriver.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[A-Za-z_][A-Za-z0-9_.]*$`
	Driver string `json:"driver"`
}
