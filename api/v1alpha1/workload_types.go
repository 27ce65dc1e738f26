package v1alpha1

import corev1 "k8s.io/api/core/v1"

// Workload is what the clients do.
// +kubebuilder:validation:XValidation:rule="[has(self.sysbench), has(self.ycsb), has(self.drivers), has(self.custom)].exists_one(x, x)",message="workload needs exactly one tool: sysbench, ycsb, drivers or custom"
type Workload struct {
	// sysbench runs a bundled test of sysbench, or your own Lua script.
	// +optional
	Sysbench *SysbenchWorkload `json:"sysbench,omitempty"`

	// ycsb runs a core workload of the Yahoo! Cloud Serving Benchmark over JDBC.
	// +optional
	YCSB *YCSBWorkload `json:"ycsb,omitempty"`

	// drivers compares the database drivers of programming languages. Every driver executes
	// the same operations on the same data, and its results are verified.
	// +optional
	Drivers *DriversWorkload `json:"drivers,omitempty"`

	// custom runs any tool from your own image.
	// +optional
	Custom *CustomWorkload `json:"custom,omitempty"`
}

// ConfigMapFiles names a ConfigMap in the run's namespace. Its keys become files. The content
// is copied when the run is accepted.
type ConfigMapFiles struct {
	// name of the ConfigMap.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
}

// SysbenchWorkload are the parameters of a sysbench test. The names are those of
// sysbench's own options.
// +kubebuilder:validation:XValidation:rule="has(self.test) != has(self.script)",message="sysbench needs exactly one of test (a bundled one) and script (a ConfigMap with Lua of yours)"
type SysbenchWorkload struct {
	// test is a bundled script.
	// +optional
	// +kubebuilder:validation:Enum=oltp_read_write;oltp_read_only;oltp_write_only;oltp_point_select;oltp_insert;oltp_delete;oltp_update_index;oltp_update_non_index;select_random_points;select_random_ranges;bulk_insert
	Test string `json:"test,omitempty"`

	// script is your own Lua script.
	// +optional
	Script *SysbenchScript `json:"script,omitempty"`

	// threads is the number of connections that work at the same time, 1 to 4096.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=4096
	Threads int32 `json:"threads,omitempty"`

	// tables is the number of tables, 1 to 1000.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	Tables int32 `json:"tables,omitempty"`

	// tableSize is the number of rows in each table, 1 to 1,000,000,000 (the tables'
	// key is an INTEGER).
	// +optional
	// +kubebuilder:default=10000
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000000
	TableSize int64 `json:"tableSize,omitempty"`

	// reportIntervalSeconds is the length of the intervals of the time series, 1 to
	// 3600. At most 10,000 intervals fit into a result.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=3600
	ReportIntervalSeconds int32 `json:"reportIntervalSeconds,omitempty"`

	// percentile of the latency that sysbench computes, 1 to 100.
	// +optional
	// +kubebuilder:default=95
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	Percentile int32 `json:"percentile,omitempty"`

	// histogram keeps the latency histogram (buckets of 1.8 %).
	// +optional
	// +kubebuilder:default=true
	Histogram *bool `json:"histogram,omitempty"`

	// events is the number of transactions that each client measures, 1 to 1,000,000,000.
	// design.duration is then the time limit of a trial. Absent: each client measures for
	// design.duration.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000000
	Events int64 `json:"events,omitempty"`

	// rate is the offered number of transactions per second of each client, 1 to 10,000,000,
	// independent of the server's speed (open loop). Absent: each connection starts a
	// transaction when the previous one has ended (closed loop).
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000000
	Rate int32 `json:"rate,omitempty"`

	// skipTrx leaves out BEGIN and COMMIT: every statement commits by itself.
	// +optional
	SkipTrx bool `json:"skipTrx,omitempty"`

	// randType is the distribution of the keys. It is always passed to sysbench, because
	// versions 1.0 (special: 75 % of the accesses to 1 % of the rows) and 1.1 (uniform) have
	// different defaults.
	// +optional
	// +kubebuilder:default=special
	// +kubebuilder:validation:Enum=uniform;gaussian;special;pareto;zipfian
	RandType string `json:"randType,omitempty"`

	// dbPsMode selects prepared statements: auto (the default) uses them where the test
	// supports them, disable never does.
	// +optional
	// +kubebuilder:default=auto
	// +kubebuilder:validation:Enum=auto;disable
	DBPSMode string `json:"dbPsMode,omitempty"`

	// ignoreErrors are the codes of the errors after which sysbench repeats a transaction: its
	// own default is 1213,1020,1205. They are counted. "all" is refused: sysbench would
	// continue without a server.
	// +optional
	// +kubebuilder:default="1213,1020,1205"
	// +kubebuilder:validation:Pattern=`^(none|[0-9]{1,5}(,[0-9]{1,5}){0,31})$`
	IgnoreErrors string `json:"ignoreErrors,omitempty"`

	// options are any other options of sysbench or of the script, without the leading dashes:
	// {range-size: "100", "secondary": "on"}. Options that have a field here, or that Assay
	// sets (host, password, time, ...), are refused.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	Options map[string]string `json:"options,omitempty"`
}

// SysbenchScript is a Lua script of the user.
type SysbenchScript struct {
	// configMap with the script and the modules that it requires.
	// +required
	ConfigMap ConfigMapFiles `json:"configMap"`

	// file is the key of the script.
	// +optional
	// +kubebuilder:default="script.lua"
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}[.]lua$`
	File string `json:"file,omitempty"`

	// phases of the script, besides run.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=2
	// +kubebuilder:validation:items:Enum=Prepare;Cleanup
	// +kubebuilder:default={Prepare,Cleanup}
	Phases []string `json:"phases,omitempty"`

	// preparedStatements is the number of prepared statements per connection. It is compared
	// with the limit of the server.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100000
	PreparedStatements int32 `json:"preparedStatements,omitempty"`
}

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

	// urlParameters are parameters of the JDBC URL, such as {rewriteBatchedStatements:
	// "true"}. Parameters that Assay sets, such as sslMode, are refused.
	// +optional
	// +kubebuilder:validation:MaxProperties=32
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
	Properties map[string]string `json:"properties,omitempty"`

	// jvmOptions are options of the Java virtual machine, such as -Xmx2g.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	JVMOptions []string `json:"jvmOptions,omitempty"`
}

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
	// +kubebuilder:validation:Enum=ns;us;ms
	HistogramUnit string `json:"histogramUnit,omitempty"`

	// output is the file with the output, in the working directory. Absent: standard output.
	// +optional
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$`
	Output string `json:"output,omitempty"`
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
	Command []string `json:"command"`
}
