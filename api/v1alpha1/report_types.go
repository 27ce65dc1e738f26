package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ReportStatus says where the report of a run that has ended is stored. The controller of reports
// writes it, and no other. It says nothing about the run: whatever becomes of its report, a run ends as
// it ended.
type ReportStatus struct {
	// reason in one word: Progressing and Retrying while the page is made or tried again, Succeeded
	// when everything is stored, and otherwise why something is not: ReportTooLarge, ReportNotStored or
	// ChildConflict. docs/reference/conditions.md defines them.
	// +required
	Reason Digest `json:"reason"`
	// message says it to people: where to find the report, or how to make it.
	// +optional
	Message Line `json:"message,omitempty"`
	// configMap in the namespace of the run: report.md has its tables as Markdown, and summary.json
	// the document of `kubectl assay get RUN -o json` (docs/contracts/cli-run.v1.schema.json). Absent
	// where it could not be stored.
	// +optional
	ConfigMap Name `json:"configMap,omitempty"`
	// markdownSHA256 is the SHA-256 of report.md, in hexadecimal.
	// +optional
	MarkdownSHA256 Digest `json:"markdownSHA256,omitempty"`
	// summarySHA256 is the SHA-256 of summary.json, in hexadecimal.
	// +optional
	SummarySHA256 Digest `json:"summarySHA256,omitempty"`
	// sizeBytes of etcd that the ConfigMap takes. They count against the budget of results.
	// +optional
	// +kubebuilder:validation:Minimum=0
	SizeBytes int64 `json:"sizeBytes,omitempty"`
	// page is the whole report in the object store of the operator; absent without a store, and until
	// it is there.
	// +optional
	Page *StoredPage `json:"page,omitempty"`
	// attempts at the page that were begun, at most 5.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Attempts int32 `json:"attempts,omitempty"`
	// lastAttemptTime is when the last of them began.
	// +optional
	LastAttemptTime *metav1.Time `json:"lastAttemptTime,omitempty"`
}

// StoredPage is an HTML file in the object store that needs nothing else.
// +kubebuilder:object:generate=false
type StoredPage struct {
	// object is where it is, such as s3://bucket/cluster/ns/run/uid/report/DIGEST-report.html.
	// +required
	// +kubebuilder:validation:MaxLength=2048
	Object string `json:"object"`
	// url is the same in the store's interface. It has no signature: the store asks for the
	// credentials of whoever opens it, unless the bucket may be read by all.
	// +required
	// +kubebuilder:validation:MaxLength=2048
	URL string `json:"url"`
	// sha256 of the file, in hexadecimal.
	// +required
	// +kubebuilder:validation:MaxLength=64
	SHA256 string `json:"sha256"`
	// sizeBytes of the file.
	// +required
	// +kubebuilder:validation:Minimum=0
	SizeBytes int64 `json:"sizeBytes"`
}
