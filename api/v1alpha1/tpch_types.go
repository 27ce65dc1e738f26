package v1alpha1

// TPCHWorkload are the parameters of TPC-H by go-tpc 1.0.12. Its figures are derived from TPC-H, and not audited: there are no refresh
// functions, the parameters of the queries are fixed, and the other rules of the TPC do not apply. Each thread
// executes each query once in a trial. design.duration is the time limit of a trial: it fails when a query would begin after it, and a
// query that has begun goes on to its end.
type TPCHWorkload struct {
	// scaleFactor is the size of the data, 1 to 100. Each 1 is about 8.7 million rows, which TPC-H counts as 1 GB; a server needs
	// more for them.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	ScaleFactor int32 `json:"scaleFactor,omitempty"`

	// queries are those that each thread executes, in this order: each thread begins one place later than the thread before it.
	// Without a value they are all 22. go-tpc makes no indexes but primary keys, so some of them take very long on a server that
	// joins by nested loops. q11 has the fraction of scale factor 1 at every scale factor: at another one it is not TPC-H's q11.
	// +optional
	// +kubebuilder:default={q1,q2,q3,q4,q5,q6,q7,q8,q9,q10,q11,q12,q13,q14,q15,q16,q17,q18,q19,q20,q21,q22}
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=22
	// +listType=set
	Queries []TPCHQuery `json:"queries,omitempty"`

	// threads is the number of concurrent streams of queries, 1 to 1024, each with its own connection. It is also how many
	// threads load the data.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1024
	Threads int32 `json:"threads,omitempty"`

	// check compares the result of each query with go-tpc's answers (the default): a trial with another result is invalid. There are
	// answers for scaleFactor 1 only, and no check with another one. With or without them a trial is invalid when two threads or two clients
	// get different results of a query.
	// +optional
	// +kubebuilder:default=true
	Check *bool `json:"check,omitempty"`

	Connecting `json:",inline"`
}

// TPCHQuery is a query of TPC-H.
// +kubebuilder:validation:Enum=q1;q2;q3;q4;q5;q6;q7;q8;q9;q10;q11;q12;q13;q14;q15;q16;q17;q18;q19;q20;q21;q22
type TPCHQuery string
