package v1alpha1

// TPCCWorkload are the parameters of TPC-C by go-tpc 1.0.12. Its figures are derived from
// TPC-C, and not audited: there are no keying and thinking times, and the other rules of the
// TPC do not apply.
// +kubebuilder:validation:XValidation:rule="!has(self.analyticalThreads) || self.analyticalThreads == 0 || has(self.analyticalQueries)",fieldPath=".analyticalThreads",message="analyticalThreads needs analyticalQueries, which decides that their tables are loaded: name some, such as [q1, q6]"
// +kubebuilder:validation:XValidation:rule="self.checkWarehouses <= self.warehouses",message="checkWarehouses is more than warehouses: there are no more to check"
type TPCCWorkload struct {
	// warehouses is the number of warehouses, 1 to 10,000. Each has about 600,000 rows (100
	// MB).
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000
	Warehouses int32 `json:"warehouses,omitempty"`

	// threads is the number of concurrent terminals, 1 to 4096, each with its own connection.
	// Each terminal uses all warehouses.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=4096
	Threads int32 `json:"threads,omitempty"`

	// analyticalQueries are queries on the tables of TPC-C while transactions change them: those of CH-benCHmark, which has written the
	// queries of TPC-H for these tables. They are not those of workload.tpch. Each of analyticalThreads executes them in this order again and again, and begins one place later than the thread before
	// it. Three more tables and a view are loaded for them. Absent: transactions alone.
	// +optional
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=22
	// +listType=set
	AnalyticalQueries []TPCHQuery `json:"analyticalQueries,omitempty"`

	// analyticalThreads is the number of threads that execute analyticalQueries beside the terminals, 0 to 1024, each with its own
	// connection. 0 are the transactions alone on the same tables: the baseline of what the queries cost them. Absent: 1 with
	// analyticalQueries.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1024
	AnalyticalThreads *int32 `json:"analyticalThreads,omitempty"`

	// ignoreErrors continues after a failed transaction (the default): it is rolled back,
	// counted, and not repeated. false fails the trial at the first error.
	// +optional
	// +kubebuilder:default=true
	IgnoreErrors *bool `json:"ignoreErrors,omitempty"`

	// checkWarehouses is the number of warehouses whose consistency is checked by the
	// conditions of TPC-C after the measured window of each trial; 0 for none. A trial with
	// inconsistent data is Invalid. The check of a warehouse takes some minutes, because one
	// query compares each customer with all payments.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=10000
	CheckWarehouses *int32 `json:"checkWarehouses,omitempty"`

	// reportIntervalSeconds is the length of the intervals of the time series, 1 to 3600. At
	// most 10,000 intervals fit into a result.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=3600
	ReportIntervalSeconds int32 `json:"reportIntervalSeconds,omitempty"`

	Connecting `json:",inline"`
}
