package v1alpha1

// YCSBWorkload are the parameters of a core workload of YCSB 0.17 over JDBC.
type YCSBWorkload struct {
	// workload is one of YCSB's own: a (half reads, half updates), b (95 % reads), c (reads),
	// d (read latest), e (short ranges), f (read, modify, write). Properties change its mix of
	// operations.
	// +optional
	// +kubebuilder:default=a
	// +kubebuilder:validation:Enum=a;b;c;d;e;f
	Workload string `json:"workload,omitempty"`

	// recordCount is the number of loaded rows, 1 to 2,000,000,000. Several clients each load
	// a part.
	// +optional
	// +kubebuilder:default=1000
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=2000000000
	RecordCount int64 `json:"recordCount,omitempty"`

	// operationCount is the number of operations that each client measures, 1 to
	// 2,000,000,000. Absent: each client measures for design.duration.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=2000000000
	OperationCount int64 `json:"operationCount,omitempty"`

	// threads is the number of connections that work at the same time, 1 to 4096.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=4096
	Threads int32 `json:"threads,omitempty"`

	// target is the offered number of operations per second of each client, 1 to 10,000,000
	// (open loop). Latency is then also measured from the intended start of an operation.
	// Absent: each connection starts an operation when the previous one has ended (closed
	// loop).
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000000
	Target int32 `json:"target,omitempty"`

	// driver is the JDBC driver: MySQL (Connector/J), MariaDB (Connector/J of MariaDB) or
	// SQLServer (mssql-jdbc).
	// +optional
	// +kubebuilder:default=MySQL
	// +kubebuilder:validation:Enum=MySQL;MariaDB;SQLServer
	Driver string `json:"driver,omitempty"`

	// driverVersion is an older version of the driver, to repeat numbers that were published with it: of MySQL 8.0.26. Absent: the
	// newest one of the image.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^[0-9]+([.][0-9]+)*$`
	DriverVersion string `json:"driverVersion,omitempty"`

	// urlParameters are parameters of the JDBC URL, such as {rewriteBatchedStatements:
	// "true"}. Parameters that Assay sets, such as sslMode, are refused.
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 253 && size(self[k]) <= 4096)",message="names have at most 253 characters, and values at most 4096 characters"
	URLParameters map[string]string `json:"urlParameters,omitempty"`

	// batchSize is db.batchsize: the number of INSERTs that are sent together, with
	// batchUpdateAPI, or committed together, with the property jdbc.autocommit: "false".
	// Without one of these it has no effect, as in YCSB's own binding: each INSERT commits.
	// Absent: INSERTs are sent one at a time.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	BatchSize int32 `json:"batchSize,omitempty"`

	// batchUpdateAPI is jdbc.batchupdateapi: the driver gets the INSERTs of a batch as one
	// batch. Assay checks that INSERTs return BATCHED_OK.
	// +optional
	BatchUpdateAPI bool `json:"batchUpdateAPI,omitempty"`

	// fetchSize is jdbc.fetchsize: rows per fetch of a scan. Absent: the driver decides.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	FetchSize int32 `json:"fetchSize,omitempty"`

	// columns is the type of the table's columns: Text (YCSB's own table for MySQL:
	// TEXT, nullable) or Varchar (VARCHAR(fieldLength) NOT NULL, as in published
	// comparisons).
	// +optional
	// +kubebuilder:default=Text
	// +kubebuilder:validation:Enum=Text;Varchar
	Columns string `json:"columns,omitempty"`

	// fieldCount is the number of fields of a row, 1 to 100.
	// +optional
	// +kubebuilder:default=10
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	FieldCount int32 `json:"fieldCount,omitempty"`

	// fieldLength is the length of a field in bytes, 1 to 10000.
	// +optional
	// +kubebuilder:default=100
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000
	FieldLength int32 `json:"fieldLength,omitempty"`

	// statusIntervalSeconds is the length of the intervals of the time series, 1 to 3600.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=3600
	StatusIntervalSeconds int32 `json:"statusIntervalSeconds,omitempty"`

	// properties are any other properties of YCSB, such as {requestdistribution: uniform,
	// readproportion: "0.9"}. Properties that have a field here, or that Assay sets, are
	// refused. Blanks around a value are refused, because YCSB would keep them.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 253 && size(self[k]) <= 4096)",message="names have at most 253 characters, and values at most 4096 characters"
	Properties map[string]string `json:"properties,omitempty"`

	// jvmOptions are options of the Java virtual machine, such as -Xmx2g.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=4096
	JVMOptions []string `json:"jvmOptions,omitempty"`

	Connecting `json:",inline"`
}
