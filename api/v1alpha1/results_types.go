package v1alpha1

// ResultsStatus has the names of the ConfigMaps with the results.
// +kubebuilder:object:generate=false
type ResultsStatus struct {
	// recordConfigMapCount is the number of ConfigMaps RUN-records-0000 and so on. They hold
	// the outcome of every attempt and the names of its result ConfigMaps.
	// +required
	RecordConfigMapCount int32 `json:"recordConfigMapCount"`
	// summaryConfigMapCount is the number of ConfigMaps RUN-summary-0000 and so on; absent
	// until the run ends.
	// +optional
	// +kubebuilder:validation:Minimum=1
	SummaryConfigMapCount int32 `json:"summaryConfigMapCount,omitempty"`
	// summaryEntryCount is the number of entries in these ConfigMaps.
	// +optional
	// +kubebuilder:validation:Minimum=1
	SummaryEntryCount int32 `json:"summaryEntryCount,omitempty"`
	// shownEntryCount is the number of entries in status.summary.
	// +optional
	// +kubebuilder:validation:Minimum=1
	ShownEntryCount int32 `json:"shownEntryCount,omitempty"`
	// comparisonCount is the number of comparisons in these ConfigMaps.
	// +optional
	// +kubebuilder:validation:Minimum=1
	ComparisonCount int32 `json:"comparisonCount,omitempty"`
	// shownComparisonCount is the number of entries in status.comparisons.
	// +optional
	// +kubebuilder:validation:Minimum=1
	ShownComparisonCount int32 `json:"shownComparisonCount,omitempty"`
	// searchCount is the number of searches in these ConfigMaps; status.searches has the first of them.
	// +optional
	// +kubebuilder:validation:Minimum=1
	SearchCount int32 `json:"searchCount,omitempty"`
	// sweepCount is the number of sweeps in these ConfigMaps; status.sweeps shows the first ones.
	// +optional
	// +kubebuilder:validation:Minimum=1
	SweepCount int32 `json:"sweepCount,omitempty"`
	// store is the folder of the run in the object store, such as s3://bucket/cluster/ns/run/uid/;
	// absent where everything is in ConfigMaps.
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	Store string `json:"store,omitempty"`
	// budgetBytes is how much of etcd the objects of the run may take. It counts against the budget
	// of the namespace while the run holds nodes.
	// +optional
	// +kubebuilder:validation:Minimum=1
	BudgetBytes int64 `json:"budgetBytes,omitempty"`
	// clientBudgetBytes is how much of it the result of one client may take in its ConfigMap.
	// +optional
	// +kubebuilder:validation:Minimum=1
	ClientBudgetBytes int64 `json:"clientBudgetBytes,omitempty"`
	// heldBytes is how much the plan and the results of loading hold, and trialBytes. It counts
	// against the budget of the namespace while the run holds no nodes, and from its end on.
	// +optional
	// +kubebuilder:validation:Minimum=1
	HeldBytes int64 `json:"heldBytes,omitempty"`
	// trialBytes is how much of it the results of trials, their records and the summary hold. It
	// is counted when the run gives its nodes back, and at its end.
	// +optional
	// +kubebuilder:validation:Minimum=1
	TrialBytes int64 `json:"trialBytes,omitempty"`
}
