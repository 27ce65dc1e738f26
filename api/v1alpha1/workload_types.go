package v1alpha1

import (
	"encoding/json"
	"fmt"
)

// Workload is what the clients do: exactly one tool with its parameters. A new tool adds its
// field here, and its type in its own file; nothing else in the API names the tools.
// +kubebuilder:validation:MinProperties=1
// +kubebuilder:validation:MaxProperties=1
type Workload struct {
	// sysbench runs a bundled test of sysbench, or your own Lua script.
	// +optional
	Sysbench *SysbenchWorkload `json:"sysbench,omitempty"`

	// ycsb runs a core workload of the Yahoo! Cloud Serving Benchmark over JDBC.
	// +optional
	YCSB *YCSBWorkload `json:"ycsb,omitempty"`

	// tpcc runs the transactions of TPC-C by go-tpc, derived from TPC-C and not audited.
	// +optional
	TPCC *TPCCWorkload `json:"tpcc,omitempty"`

	// tpch runs the queries of TPC-H by go-tpc, derived from TPC-H and not audited.
	// +optional
	TPCH *TPCHWorkload `json:"tpch,omitempty"`

	// drivers compares the database drivers of programming languages. Every driver executes
	// the same operations on the same data, and its results are verified.
	// +optional
	Drivers *DriversWorkload `json:"drivers,omitempty"`

	// custom runs any tool from your own image.
	// +optional
	Custom *CustomWorkload `json:"custom,omitempty"`
}

// Tool is the name of the tool, and its parameters as JSON. It fails unless exactly one tool
// is set.
func (w Workload) Tool() (name string, parameters json.RawMessage, err error) {
	data, err := json.Marshal(w)
	if err != nil {
		return "", nil, fmt.Errorf("marshalling a workload: %w", err)
	}
	var tools map[string]json.RawMessage
	if err := json.Unmarshal(data, &tools); err != nil {
		return "", nil, fmt.Errorf("reading a workload: %w", err)
	}
	if len(tools) != 1 {
		return "", nil, fmt.Errorf("workload needs exactly one tool, and has %d", len(tools))
	}
	for name, parameters = range tools {
	}
	return name, parameters, nil
}

// Connecting is how a tool reaches its server, whatever the tool is.
type Connecting struct {
	// delay adds latency to every round trip, such as 1ms, at most 1s; absent or 0s adds none.
	// It may be an axis of the matrix. A relay in the client pod adds the delay to each connection of the
	// tool to the server at its address, not to a replica, while the tool warms up and measures, and uses
	// some of the client's CPU. Compare with a delay of 1us, which uses the relay too, and not with no
	// delay. Targets with TLS or jdbc are refused.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[0-9]+(\.[0-9]+)?(us|ms|s)$`
	// +kubebuilder:validation:XValidation:rule="duration(self) <= duration('1s')",message="delay must be at most 1s, such as 1ms"
	Delay string `json:"delay,omitempty"`
}

// ConfigMapFiles names a ConfigMap in the run's namespace. Its keys become files. The content
// is copied when the run is accepted.
// +kubebuilder:object:generate=false
type ConfigMapFiles struct {
	// name of the ConfigMap.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
}
