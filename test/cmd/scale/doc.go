// Command scale measures what many BenchmarkRuns and BenchmarkSchedules at once cost the manager, and
// holds it against the bars of the project. Run it by `make bench-scale`.
//
// For each number of runs it starts a real API server (envtest) and the real
// manager as a process of its own, and plays the rest of a cluster: nodes and
// their heartbeats, the controllers of StatefulSets and Jobs, the scheduler, the
// kubelets, and the agents in the client pods. The playing is driven by watches,
// with as many writes for a pod and a Job as a real cluster makes.
//
//	main.go      sizes, one after the other
//	server.go    API server and etcd
//	manager.go   the manager: its process, and what the kernel says of it
//	metrics.go   what the manager and the API server count themselves
//	nodes.go     nodes and heartbeats
//	player.go    watches, and who plays what
//	pods.go      scheduler, kubelet, controllers
//	agent.go     the agent of a client pod
//	transport.go counts the writes of what is played
//	runs.go      the runs, and waiting for their end
//	report.go    figures, and the bars
//	schedules.go schedules: at rest, due at once, and with a new manager
//	audit.go     who asked the API server for what, by its audit log
//	bars.go      figures of schedules, and their bars
package main
