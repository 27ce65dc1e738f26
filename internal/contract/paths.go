package contract

// Places in the pods of a run: the manager mounts them, and the agents have them as
// defaults.
const (
	// DirCredentials has the keys of the Secret of the benchmark's account as files.
	DirCredentials = "/etc/assay/credentials"
	// DirInputs has the files of the workload, in a client pod.
	DirInputs = "/etc/assay/inputs"
	// DirWork is where the tool runs and its output is kept, in a client pod.
	DirWork = "/work"
	// DirTarget has the Target as KeyTarget, in a database pod.
	DirTarget = "/etc/assay/target"
	// DirTLS has the certificates of the server, in a database pod.
	DirTLS = "/etc/assay/tls"
	// DirData is the target's volume, in a database pod.
	DirData = "/var/lib/assay/data"
	// DirRun is for the socket, the configuration and the init file of the server, in a
	// database pod; it is not on disk.
	DirRun = "/run/assay"
	// DirTmp is for temporary files.
	DirTmp = "/tmp"
	// TerminationLog is the file from which Kubernetes takes the last message.
	TerminationLog = "/dev/termination-log"

	// KeyTarget is the key of the Target in a target's ConfigMap.
	KeyTarget = "target.json"

	// AgentPort is where the agent in a database pod answers its clients and the kubelet.
	AgentPort int32 = 8306
)
