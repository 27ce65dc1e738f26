package contract

// Client is the environment of the client pod.
type Client struct {
	// Node is the name of the node; empty if unknown.
	Node string `json:"node,omitempty"`
	// Environment of the container.
	Environment
	// ClockStepSeconds is the difference between the wall clock and the monotonic clock over
	// the measured window: a step, or the slewing of NTP.
	ClockStepSeconds *float64 `json:"clockStepSeconds,omitempty"`
	// Clock is the offset of the client's wall clock from the target's before the trial;
	// absent where it was not measured.
	Clock *ClockOffset `json:"clock,omitempty"`
	// Agent is the container of the agent, which has CPUs of its own. The Environment is that of the tool's container.
	Agent *AgentContainer `json:"agent,omitempty"`
}

// AgentContainer is the container of the agent in a client pod.
type AgentContainer struct {
	// Limits of the container.
	Limits Limits `json:"limits"`
	// Before and After are the counters at the first and at the last sample inside the measured
	// window; absent for a window too short for samples.
	Before *Usage `json:"before,omitempty"`
	After  *Usage `json:"after,omitempty"`
}
