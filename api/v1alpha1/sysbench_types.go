package v1alpha1

// SysbenchWorkload are the parameters of a sysbench test. The names are those of
// sysbench's own options.
// +kubebuilder:validation:XValidation:rule="has(self.test) != has(self.script)",message="sysbench needs exactly one of test (a bundled one) and script (a ConfigMap with Lua of yours)"
// +kubebuilder:validation:XValidation:rule="!has(self.script) || (self.tables == 1 && self.tableSize == 10000 && (!has(self.skipTrx) || !self.skipTrx))",message="tables, tableSize and skipTrx are fields of the bundled tests: give a script its own as options, such as {tables: '10'}"
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
	// +kubebuilder:validation:MaxLength=256
	IgnoreErrors string `json:"ignoreErrors,omitempty"`

	// options are any other options of sysbench or of the script, without the leading dashes:
	// {range-size: "100", "secondary": "on"}. Options that have a field here, or that Assay
	// sets (host, password, time, ...), are refused.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 253 && size(self[k]) <= 4096)",message="names have at most 253 characters, and values at most 4096 characters"
	Options map[string]string `json:"options,omitempty"`

	Connecting `json:",inline"`
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
	// +kubebuilder:validation:MaxLength=68
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
