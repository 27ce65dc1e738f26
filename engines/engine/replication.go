package engine

// MaxReplicaWait is the longest wait for one answer, in seconds.
const MaxReplicaWait = 30
