package v1alpha1

import corev1 "k8s.io/api/core/v1"

// Target is a database under test.
// +kubebuilder:validation:XValidation:rule="[has(self.mysql), has(self.external), has(self.published)].exists_one(x, x)",message="a target needs exactly one of mysql (a server that Assay provides), external (the address of one that exists) and published (numbers that were measured elsewhere)"
// +kubebuilder:validation:XValidation:rule="has(self.mysql) || !has(self.shape)",fieldPath=".shape",message="shape must be left out without mysql: Assay places only its own servers"
type Target struct {
	// name of the target in this run: a short DNS label of at most 20 characters.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:validation:Pattern=`^[a-z]([-a-z0-9]*[a-z0-9])?$`
	Name string `json:"name"`

	// shape of the database pod, of a target that Assay provides. Absent: one is chosen by the nodes of the cluster, and stands in the
	// status.
	// +optional
	Shape *ShapeRef `json:"shape,omitempty"`

	// mysql is a server of the MySQL family that Assay provides for this run.
	// +optional
	MySQL *MySQLTarget `json:"mysql,omitempty"`

	// external is an existing server. Assay changes only the tables of the workload in the
	// named schema.
	// +optional
	External *ExternalTarget `json:"external,omitempty"`

	// published are numbers that somebody else measured. They are shown beside the results,
	// marked as quoted, and are not part of any statistical comparison.
	// +optional
	Published *PublishedTarget `json:"published,omitempty"`
}

// PublishedTarget are numbers that somebody else measured.
// +kubebuilder:object:generate=false
type PublishedTarget struct {
	// configMap with the raw output of the tool, or with tables: the key run, and optionally the
	// key load. Numbers that were not published are absent.
	// +required
	ConfigMap ConfigMapFiles `json:"configMap"`

	// format of the output: YCSB, Sysbench, PytestBenchmark for the JSON of pytest-benchmark, such as a baseline that a project has
	// committed, or Table for published tables and charts, which no tool printed.
	// +required
	// +kubebuilder:validation:Enum=YCSB;Sysbench;PytestBenchmark;Table
	Format string `json:"format"`

	// source of the numbers: a URL or a citation.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Source string `json:"source"`
}

// MySQLTarget is a server that Assay provides.
// +kubebuilder:validation:XValidation:rule="!has(self.replication) || !has(self.storage.fromRun) && !has(self.storage.fromSnapshot) && !has(self.storage.snapshot) && (!has(self.storage.retain) || !self.storage.retain)",fieldPath=".storage",message="retain, fromRun, fromSnapshot and snapshot must be left out with replication: replicas copy a primary that is empty"
// +kubebuilder:validation:XValidation:rule="has(self.version) != has(self.image)",message="mysql needs exactly one of version (an entry of the engine catalogue) and image"
type MySQLTarget struct {
	// flavor of the server. docs/reference/servers.md says what Assay provides of each.
	// +required
	// +kubebuilder:validation:Enum=MySQL;MariaDB;Percona;TiDB;Dolt
	Flavor string `json:"flavor"`

	// version is an entry of the operator's engine catalogue (chart value engines), such as
	// "10.11". Quote it: YAML reads 9.10 as the number 9.1.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Version string `json:"version,omitempty"`

	// image overrides the engine catalogue. Any image with the server's binaries works. Its
	// entrypoint is not used.
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
	// +kubebuilder:validation:XValidation:rule="self.all(r, !has(r.name) || size(r.name) <= 253)",message="names have at most 253 characters"
	ImagePullSecrets []corev1.LocalObjectReference `json:"imagePullSecrets,omitempty"`

	// storageEngine of the benchmark's tables, which the flavor has to have: RocksDB is MyRocks.
	// TiDB has its own storage engine, and takes the name InnoDB for it.
	// +optional
	// +kubebuilder:default=InnoDB
	// +kubebuilder:validation:Enum=InnoDB;RocksDB
	StorageEngine string `json:"storageEngine,omitempty"`

	// sizing of the settings that depend on the machine and are not given: Shape (the default)
	// derives the buffer pool and similar settings from the shape of the target, and shows
	// them in status.resolved. Server keeps the server's own defaults, which suit a small
	// machine.
	// +optional
	// +kubebuilder:default=Shape
	// +kubebuilder:validation:Enum=Shape;Server
	Sizing string `json:"sizing,omitempty"`

	// tls encrypts connections, with certificates that Assay creates: Disabled (the default),
	// Preferred (clients use TLS) or Required (the server also refuses plain connections).
	// +optional
	// +kubebuilder:default=Disabled
	TLS TLSMode `json:"tls,omitempty"`

	// replication to replicas on other nodes; absent: no replicas. The primary is measured.
	// +optional
	Replication *Replication `json:"replication,omitempty"`

	// tenancy of spec.tenants: Databases (a schema for each tenant in one server) or Servers (a server for each tenant, of the shape of
	// the target and with a volume of its own). At most 8 tenants
	// have a server each, and servers of one target may share a node. Targets of both kinds compare one server for all tenants
	// with one for each. Absent: Databases.
	// +optional
	Tenancy Tenancy `json:"tenancy,omitempty"`

	// config are server settings as in my.cnf, name to value; quote numbers. They
	// override those of configFrom. Settings that Assay owns, such as datadir, are
	// refused.
	// +optional
	// +kubebuilder:validation:MaxProperties=256
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 253 && size(self[k]) <= 4096)",message="names have at most 253 characters, and values at most 4096 characters"
	Config map[string]string `json:"config,omitempty"`

	// configFrom are ConfigMaps with server settings. A later ConfigMap overrides an earlier
	// one. A key that ends in .cnf holds a my.cnf file, whose server groups are read; any
	// other key is the name of a setting. The content is copied when the run is accepted.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:XValidation:rule="self.all(r, !has(r.name) || size(r.name) <= 253)",message="names have at most 253 characters"
	ConfigFrom []corev1.LocalObjectReference `json:"configFrom,omitempty"`

	// storage of the data directory.
	// +optional
	// +kubebuilder:default={}
	Storage Storage `json:"storage,omitzero"`
}

// Tenancy selects what tenants have of their own.
// +kubebuilder:validation:Enum=Databases;Servers
type Tenancy string

// What each tenant has in a target.
const (
	TenancyDatabases Tenancy = "Databases"
	TenancyServers   Tenancy = "Servers"
)

// Sizing of settings that are not given.
const (
	SizingShape  = "Shape"
	SizingServer = "Server"
)

// TLSMode is the encryption of connections. It is always set, never left to a driver's
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
// +kubebuilder:object:generate=false
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

// ReplicationMode selects what a commit waits for.
// +kubebuilder:validation:Enum=Async;SemiSync
type ReplicationMode string

// Replication modes.
const (
	ReplicationAsync    ReplicationMode = "Async"
	ReplicationSemiSync ReplicationMode = "SemiSync"
)

// ExternalTarget is an existing server.
// +kubebuilder:validation:XValidation:rule="has(self.jdbc) || !has(self.tls) || self.tls == 'Required' || has(self.insecureSkipVerify) && self.insecureSkipVerify",fieldPath=".tls",message="tls: Disabled and Preferred log in to a server whose identity nobody has verified: use tls: Required with ca.crt in the Secret, or say insecureSkipVerify: true"
// +kubebuilder:validation:XValidation:rule="!has(self.jdbc) || !has(self.insecureSkipVerify) || !self.insecureSkipVerify",fieldPath=".insecureSkipVerify",message="insecureSkipVerify must be left out with jdbc: the URL says how the driver connects"
// +kubebuilder:validation:XValidation:rule="!has(self.allowWrites) || !self.allowWrites || self.data == 'Existing'",fieldPath=".allowWrites",message="allowWrites is for data: Existing: tables that the run made itself are always written"
// +kubebuilder:validation:XValidation:rule="(has(self.host) ? 1 : 0) + (has(self.jdbc) ? 1 : 0) + (has(self.serviceRef) ? 1 : 0) == 1",message="external needs exactly one of host (a server of the MySQL family), serviceRef (one behind a Service of the cluster) and jdbc (any database, through YCSB)"
type ExternalTarget struct {
	// host name or IP address of the server.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9]([A-Za-z0-9.:-]*[A-Za-z0-9])?$`
	Host string `json:"host,omitempty"`

	// serviceRef names the Service of a server of the MySQL family that somebody else runs in this
	// cluster. Assay records the pods behind it, keeps the nodes of these pods for the run, and says
	// where they change while a trial is measured. It changes nothing of them.
	// +optional
	ServiceRef *ServiceRef `json:"serviceRef,omitempty"`

	// port of the server, or of the Service.
	// +optional
	// +kubebuilder:default=3306
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	Port int32 `json:"port,omitempty"`

	// database is the schema for the tables of the workload. It must exist. With data: Loaded
	// it must not contain these tables yet: they are dropped when the run ends, unless retain
	// keeps them. Tables of a failed load are not dropped.
	// +optional
	// +kubebuilder:default=assay
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9_$-]+$`
	Database string `json:"database,omitempty"`

	// jdbc is a database without the MySQL protocol, such as SQL Server, measured through
	// YCSB. Only the report of YCSB is available: no variables, no counters, no checksums.
	// +optional
	JDBC *JDBCEndpoint `json:"jdbc,omitempty"`

	// credentials names a Secret in the run's namespace with the keys username and
	// password, and for TLS ca.crt (the CA of the server's certificate), and optionally
	// tls.crt and tls.key (a certificate of the client). sysbench needs all three. Client pods
	// get these keys, and no others.
	// +required
	// +kubebuilder:validation:XValidation:rule="!has(self.name) || size(self.name) <= 253",message="name has at most 253 characters"
	Credentials corev1.LocalObjectReference `json:"credentials"`

	// tls encrypts connections: Required (the default), Preferred or Disabled. Required needs
	// the key ca.crt in the Secret, Preferred and Disabled need insecureSkipVerify. To be left
	// out with jdbc.
	// +optional
	TLS TLSMode `json:"tls,omitempty"`

	// data of the workload: Loaded (the default) makes its tables for this run, and drops them.
	// Existing measures on tables that are there: nothing makes, changes or drops them, but what
	// the workload itself writes. Tables and numbers of rows are compared with what the workload
	// needs before anything is measured; rows of large tables are those that the server estimates.
	// +optional
	// +kubebuilder:default=Loaded
	// +kubebuilder:validation:Enum=Loaded;Existing
	Data ExternalData `json:"data,omitempty"`

	// allowWrites lets a workload write into tables that exist. Without it, a workload that may
	// write is refused.
	// +optional
	AllowWrites bool `json:"allowWrites,omitempty"`

	// insecureSkipVerify accepts a server whose identity is not verified: without TLS, or with a
	// certificate of an unknown CA. Whoever can redirect the connections obtains the password.
	// The run then has the finding server-unverified. sysbench goes on without TLS where a server
	// has none, and always needs it.
	// +optional
	InsecureSkipVerify bool `json:"insecureSkipVerify,omitempty"`

	// price of the server, such as a managed service bills it: of the instance with its replicas, its storage and what it provisions,
	// for an hour. Trials then have the price of a million operations among their values. Charges by the request are no part of it.
	// +optional
	Price *Price `json:"price,omitempty"`
}

// ServiceRef names a Service in the namespace of the run. Whoever creates the run needs the right to get it, and to
// list the pods of the namespace: what is found of them stands in the status of the run.
// +kubebuilder:object:generate=false
type ServiceRef struct {
	// name of the Service.
	// +required
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`
	Name string `json:"name"`
}

// ExternalData is where the data of an external target comes from.
type ExternalData string

// Data of an external target.
const (
	DataLoaded   ExternalData = "Loaded"
	DataExisting ExternalData = "Existing"
)

// Service of the cluster that the target stands for; nil for a target that Assay provides, and for another address.
func (t Target) Service() *ServiceRef {
	if t.External == nil {
		return nil
	}
	return t.External.ServiceRef
}

// JDBCEndpoint is a database behind a JDBC driver.
// +kubebuilder:object:generate=false
type JDBCEndpoint struct {
	// url of the driver, without credentials. With YCSB's property db.urlsharddelim it may
	// hold several URLs, separated by semicolons: YCSB then shards over them.
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
