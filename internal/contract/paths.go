package contract

// Places in the pods of a run. The manager mounts them, and the agents find
// them there.
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
	// DirRun, in a database pod, is in memory, and empty when the pod starts.
	DirRun = "/run/assay"
	// DirTmp is for temporary files.
	DirTmp = "/tmp"
	// DirWork, in a client pod, is where the tool runs.
	DirWork = "/work"
	// TerminationLog is the file from which Kubernetes takes the last message.
	TerminationLog = "/dev/termination-log"
)

// AgentPort is where the agent in a database pod answers its clients and the kubelet.
const AgentPort int32 = 8306

// KeyTarget is the key of the Target in a target's ConfigMap, and its file in DirTarget.
const KeyTarget = "target.json"

// MaxReplicaWait is the longest wait for one answer under PathReplica, in seconds.
const MaxReplicaWait = 30
