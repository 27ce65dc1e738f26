package v1alpha1

// Workload is what the clients do.
// +kubebuilder:validation:XValidation:rule="has(self.sysbench)",message="workload needs exactly one tool: sysbench"
type Workload struct {
	// Sysbench runs one of the OLTP tests of sysbench 1.0.
	// +optional
	Sysbench *SysbenchWorkload `json:"sysbench,omitempty"`
}

// SysbenchWorkload are the parameters of a sysbench OLTP test. The names are those
// of sysbench's own options.
type SysbenchWorkload struct {
	// Test is the OLTP script.
	// +kubebuilder:validation:Enum=oltp_read_write;oltp_read_only;oltp_write_only;oltp_point_select
	Test string `json:"test"`

	// Threads is the number of connections that work at the same time, 1 to 4096.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=4096
	Threads int32 `json:"threads,omitempty"`

	// Tables is the number of tables, 1 to 1000.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	Tables int32 `json:"tables,omitempty"`

	// TableSize is the number of rows in each table, 1 to 1,000,000,000 (the tables'
	// key is an INTEGER).
	// +optional
	// +kubebuilder:default=10000
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000000
	TableSize int64 `json:"tableSize,omitempty"`

	// ReportIntervalSeconds is the length of the intervals of the time series, 0
	// (no time series) to 3600. At most 10,000 intervals fit into a result.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=3600
	ReportIntervalSeconds *int32 `json:"reportIntervalSeconds,omitempty"`

	// Percentile of the latency that sysbench computes, 1 to 100.
	// +optional
	// +kubebuilder:default=95
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	Percentile int32 `json:"percentile,omitempty"`

	// Histogram keeps the latency histogram (buckets of 1.8 %).
	// +optional
	// +kubebuilder:default=true
	Histogram *bool `json:"histogram,omitempty"`

	// RandSeed is the seed of sysbench's random numbers, the same in every trial,
	// 1 to 2147483647. Each client adds its index, so that no two ask for the same
	// rows. It has no bearing on the data that is loaded.
	// +optional
	// +kubebuilder:default=42
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=2147483647
	RandSeed int64 `json:"randSeed,omitempty"`

	// Events is the number of transactions that each client measures; 0 (the default)
	// measures for design.duration instead, which otherwise is the longest that a
	// trial may take.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000000000
	Events int64 `json:"events,omitempty"`

	// Rate is the number of transactions per second that each client offers, however
	// fast the server answers (open loop); 0 (the default) begins a transaction when
	// the one before has ended (closed loop).
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=10000000
	Rate int32 `json:"rate,omitempty"`

	// SkipTrx leaves out BEGIN and COMMIT: every statement commits by itself.
	// +optional
	SkipTrx bool `json:"skipTrx,omitempty"`
}
