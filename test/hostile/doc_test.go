// Package hostile creates objects that somebody with rights on BenchmarkRuns could create to stop the manager, on a real API
// server (envtest) and with the real program of the manager.
//
// What comes in: specs, results and edited ConfigMaps that are as large, deep, numerous or malformed as the API server takes
// them. What has to come out: each ends with a typed reason of its own run, a normal run beside it ends in about the time that
// it needs alone, and the manager stays below the memory limit that the chart gives it. The part that needs pods is in
// test/e2e/hostile_test.go.
package hostile
