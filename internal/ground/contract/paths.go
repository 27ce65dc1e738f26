package contract

// Places in the pods of a run. The manager mounts them, and the agents find them there.
const (
	// DirAgent, in a database pod, holds the agent's binary.
	DirAgent = "/assay/agent"
	// DirCredentials holds a file for each key of the target's Secret.
	DirCredentials = "/etc/assay/credentials"
	// DirInputs, in a client pod, holds the files of the workload.
	DirInputs = "/etc/assay/inputs"
	// DirTarget, in a database pod, holds the Target under KeyTarget.
	DirTarget = "/etc/assay/target"
	// DirTLS, in a database pod, holds the certificate of the server and its CA.
	DirTLS = "/etc/assay/tls"
	// DirData, in a database pod, is the volume with the data.
	DirData = "/var/lib/assay/data"
	// DirRun, in a database pod and in a client pod, is in memory, and empty when the pod starts.
	DirRun = "/run/assay"
	// ToolSocket, in a client pod, is where the agent waits for the supervisor of the tool's container.
	ToolSocket = DirRun + "/tool.sock"
	// DirTmp is for temporary files.
	DirTmp = "/tmp"
	// DirWork, in a client pod, is where the tool runs, and where the agent keeps its output: a
	// volume of its own in either container.
	DirWork = "/work"
	// TerminationLog is the file with the termination message.
	TerminationLog = "/dev/termination-log"
)

// AgentPort is the HTTP port of the agent in a database pod, for clients and the kubelet.
const AgentPort int32 = 8306

// KeyTarget is the key of the Target in a target's ConfigMap, and its file in DirTarget.
const KeyTarget = "target.json"

// MaxReplicaWait is the longest wait for one answer under PathReplica, in seconds.
const MaxReplicaWait = 30
