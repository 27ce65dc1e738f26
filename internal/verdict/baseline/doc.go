// Package baseline makes and reads the expected numbers of a BenchmarkBaseline. It is pure.
//
// In: a run that has ended, with its records, and who promotes it and why; or a baseline that somebody
// wrote. Out: the spec of a BenchmarkBaseline; or its values and circumstances, for a gate. It refuses
// runs without numbers, baselines that are too large to be committed, and numbers that contradict
// themselves.
//
//	make.go   from a run to a spec
//	runs.go   the medians of its repetitions
//	read.go   from a spec to values, and what contradicts itself
//	workload.go  what the clients of a run do, and what differs from that
//	key.go    what tells measurements apart
package baseline
