package likeness

// Class of a difference. Its values are those of spec.analysis.requireLike.
type Class string

// Classes, the most important one first.
const (
	// Durability: what a commit waits for.
	Durability Class = "durability"
	// Data: the tables after loading.
	Data Class = "data"
	// Isolation of transactions.
	Isolation Class = "isolation"
	// TLS of the connections.
	TLS Class = "tls"
	// Caches of the server, and its memory.
	Caches Class = "caches"
	// Node of the server, where another one is another machine.
	Node Class = "node"
	// CPU model, limit and frequency governor.
	CPU Class = "cpu"
	// MachineSpeed just before the trials, with storage and network.
	MachineSpeed Class = "machineSpeed"
	// Storage: file system, device cache, and when pages are written.
	Storage Class = "storage"
	// CharacterSet and collation.
	CharacterSet Class = "characterSet"
	// PerformanceSchema and other instruments and logs.
	PerformanceSchema Class = "performanceSchema"
	// Kernel of the nodes, and its settings.
	Kernel Class = "kernel"
	// Image: builds and versions of the server and of the client.
	Image Class = "image"
	// Other differences.
	Other Class = "other"
)

// Classes in the order of their importance.
func Classes() []Class {
	return []Class{Durability, Data, Isolation, TLS, Caches, Node, CPU, MachineSpeed, Storage, CharacterSet, PerformanceSchema, Kernel, Image, Other}
}

// Effect is which side of a comparison a difference makes faster.
type Effect string

// Effects. The empty one is unknown.
const (
	// FirstFaster: the difference makes the first side, the baseline, faster.
	FirstFaster Effect = "FirstFaster"
	// SecondFaster: the difference makes the second side faster.
	SecondFaster Effect = "SecondFaster"
)
