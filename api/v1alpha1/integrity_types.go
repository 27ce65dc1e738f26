package v1alpha1

// IntegrityStatus has the digests that a run's stored bytes are compared with. All of them are the SHA-256 of bytes
// as they are stored, in hexadecimal. Each part of the plan, the records and the summary has the digest of the
// previous part. Each record has the digest of the previous record, and the first record the digest of the plan.
type IntegrityStatus struct {
	// head is the digest of the last record of the journal; of the plan before the first record.
	// It covers all records, and with them the digests of all results.
	// +optional
	Head Digest `json:"head,omitempty"`
	// recordCount is the number of records up to head.
	// +optional
	// +kubebuilder:validation:Minimum=0
	RecordCount int32 `json:"recordCount,omitempty"`
	// planSHA256 is the digest of the last part of the plan.
	// +required
	PlanSHA256 Digest `json:"planSHA256"`
	// recordsSHA256 is the digest of the last part of the records.
	// +optional
	RecordsSHA256 Digest `json:"recordsSHA256,omitempty"`
	// summarySHA256 is the digest of the last part of the summary; absent until the run ends.
	// +optional
	SummarySHA256 Digest `json:"summarySHA256,omitempty"`
}
