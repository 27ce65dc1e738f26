// Package invariants plays whole runs on a cluster whose caches lag behind, whose
// managers crash between any two calls, and on which two managers work at once. It checks
// the invariants that the package benchmarkrun states, at every write and at the end.
//
//	cluster_test.go     the cluster: its API server and its objects
//	kubelet_test.go     clients that work, and who interferes with them
//	manager_test.go     a manager with a cache of its own, and what it writes
//	autoscaler_test.go  who makes the nodes that a run requests
//	requests_test.go    runs whose nodes are refused, and that take their request back
//	laws_test.go        what has to hold at each write
//	invariants_test.go  the runs, with random disturbances
//	enumerated_test.go  the runs whose manager dies at each single write
package invariants
