// Package validity checks whether a measurement can be true. In: a result, and the
// expectations of its trial. Out: findings with a severity. A result that contradicts itself
// or its trial is reported, and never part of a statistic.
//
// Each check is one small function over a result and the expectations of its trial. It
// compares only measured values: where a number or an expectation is absent, the check has no
// finding. Only a missing headline is a finding.
//
//	counts.go       counts are consistent
//	operations.go   kinds of operations add up, in the requested mix
//	noop.go         writes changed the expected rows
//	idle.go         the same for tools without expected changes
//	data.go         the data lasted for the window, and is the same on all targets
//	latency.go      latencies fit the throughput
//	order.go        latencies fit each other
//	time.go         the measured time is the requested time
//	steady.go       the throughput was constant over the window
//	rate.go         the offered rate was achieved, and no queue grew
//	replication.go  the replicas followed, and commits waited for them
//	disturbance.go  restarts, throttling and clock steps of the client and the target
//	limits.go       the resource limits that the trial reached
//	neighbours.go   foreign use of its machines
//	cpus.go         server and tool on the same CPUs
//	exclusive.go    containers that were to have CPUs of their own
//	resized.go      containers whose limits were changed
//	physics.go      operations are not faster than network and storage allow
//	durability.go   the durability of commits that the settings promise
//	network.go      retransmits
//	gap.go          the machines ran all the time
//	absent.go       planned measurements without a value
//	notes.go        warnings and notes for the reader
//	debt.go         work that the server put off, or had no need of
//	load.go         a target behaves as its settings promise
//	clients.go      the clients of one trial measured at the same time
//
// The package does not know the tools: a tool's expectations are runner.Expectations.
package validity

import (
	"math"
	"slices"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// Severity is the consequence of a finding for the result.
type Severity string

const (
	// Invalid: the numbers contradict each other or the trial. The result is kept for
	// inspection, and is not part of any statistic.
	Invalid Severity = "Invalid"
	// Disturbed: interference from outside during the measured window: foreign work, pressure
	// on a node, steal time, an external restart, a step of the clock. The result is not part
	// of any statistic, because it depends on more than the target. Effects that the target
	// caused itself are never disturbances: excluding them would select by the outcome.
	Disturbed Severity = "Disturbed"
	// Warning: the result is part of the statistics, with a doubt.
	Warning Severity = "Warning"
	// Note: a fact beside the result, without a doubt.
	Note Severity = "Note"
)

// Finding is a result of one check.
type Finding struct {
	// Check is the name of the check, such as little.
	Check string
	// Severity is Invalid, Disturbed, Warning or Note.
	Severity Severity
	// Message has the numbers and the conclusion.
	Message string
}

// check is one check.
type check struct {
	name     string
	severity Severity
	say      say
}

// say is the message of a check; "" for no finding.
type say func(contract.Result, runner.Expectations) string

// checks in the order of their findings: coarse checks first.
var checks = []check{
	{"headline", Invalid, headline},
	{"nothing-done", Invalid, nothingDone},
	{"throughput", Invalid, wrongRate(contract.NameThroughput)},
	{"query-rate", Invalid, wrongRate(contract.NameQueries)},
	{"event-count", Invalid, eventCount},
	{"query-kinds", Invalid, queryKinds},
	{"queries-per-operation", Invalid, queriesPerOperation},
	{"no-op-writes", Invalid, noOpWrites(noOpMost, math.Inf(1))},
	{"data-ran-dry", Invalid, ranDry},
	{"data-inconsistent", Invalid, inconsistent},
	{CheckWrongResults, Invalid, wrongResults},
	{"operation-kinds", Invalid, operationKinds},
	{"operation-mix", Invalid, operationMix},
	{"histogram", Invalid, histogram},
	{"latency-order", Invalid, latencyOrder},
	{"latency-sum", Invalid, latencySum},
	{"little", Invalid, little},
	{"operations", Invalid, operationsAsked},
	{"tls", Invalid, tls},
	{"semi-sync", Invalid, notSemiSync},
	{"durability", Invalid, unflushed},
	{"replication", Invalid, replicaBroke},
	{"target-restarted", Disturbed, targetRestarted},
	{checkResized, Disturbed, resized},
	{"clock-step", Disturbed, clockStep},
	{"network-stall", Disturbed, networkStall},
	{"agent-stall", Disturbed, agentStall},
	{"duration", Warning, duration},
	{"warmup", Warning, shortWarmup},
	{"operations", Warning, operationsMissing},
	{"throughput", Warning, rateBeside(contract.NameThroughput)},
	{"query-rate", Warning, rateBeside(contract.NameQueries)},
	{"intervals", Warning, intervals},
	{"target-throttled", Warning, throttled(theTarget)},
	{"client-throttled", Warning, throttled(theClient)},
	{"agent-throttled", Warning, throttled(theAgent)},
	{"target-memory-pressure", Warning, memoryPressure(theTarget)},
	{"client-memory-pressure", Warning, memoryPressure(theClient)},
	{"client-bottleneck", Warning, clientBottleneck},
	{"not-measured", Warning, absent(contract.NotMeasured, "could not be measured")},
	{"unsupported", Warning, absent(contract.Unsupported, "are not supported")},
	{CheckSaturated, Warning, saturated},
	{"clock-offset", Warning, clockOffset(warnOffset, math.Inf(1))},
	{"clock-offset", Note, clockOffset(noteOffset, warnOffset)},
	{"stall", Warning, serverStall},
	{"percentile-sample", Warning, percentileSample},
	{"ignored-errors", Warning, errorsNote(contract.ErrorIgnored,
		"%d errors were ignored, one per %.0f operations: their transactions were begun again")},
	{"no-op-writes", Warning, noOpWrites(noOpNoise, noOpMost)},
	{"no-op-statements", Warning, idleStatements},
	{"data-grew", Warning, outgrown},
	{"snapshot-isolation", Warning, snapshotIsolation},
	{"reconnects", Warning, errorsNote(contract.ErrorReconnects, "%d connections were lost and made again, one per %.0f operations")},
	{"durability", Warning, unflushedByServer},
	{"fsync", Warning, fasterThanStorage},
	{"round-trip", Warning, fasterThanNetwork},
	{"server-statements", Warning, serverStatements},
	{"retransmits", Warning, retransmits},
	{"variables-changed", Warning, variablesChanged},
	{"reset", Warning, problemOf(sourceReset, "after the reset: ")},
	{"checksum", Warning, unchecked},
	{"agent", Warning, agentProblems},
	{"problems", Warning, problems},
	{"no-op-writes", Note, noOpUnobserved},
	{"debt", Note, debt},
	{"in-memory", Note, cachedWhole},
	{"target-io-pressure", Note, ioPressure},
}

// Check runs all checks on the result of a measured window. A failed result, or one of another
// phase, is not a measurement and has no findings.
func Check(r contract.Result, e runner.Expectations) []Finding {
	if !measured(r) {
		return nil
	}
	var findings []Finding
	if message := serverRestarted(r); message != "" {
		findings = append(findings, Finding{Check: "target-restarted", Severity: Disturbed, Message: message})
	}
	r = withoutLostCounters(r)
	for _, c := range checks {
		if message := c.say(r, e); message != "" {
			findings = append(findings, Finding{Check: c.name, Severity: c.severity, Message: message})
		}
	}
	return findings
}

// measured says whether the result is that of a measured window.
func measured(r contract.Result) bool {
	return r.State == contract.Succeeded && r.Trial.Phase == string(contract.PhaseRun)
}

// value of the first measurement of the name that has the labels.
func value(r contract.Result, name string, labels map[string]string) (float64, bool) {
	return known(r.Find(name, labels))
}

// known is the value of a measurement that may have been found.
func known(m contract.Measurement, found bool) (float64, bool) {
	return runner.Value(m.Value), found && m.Value != nil
}

// count is the N of a measurement that may have been found.
func count(m contract.Measurement, found bool) (float64, bool) {
	return float64(runner.Value(m.N)), found && m.N != nil
}

// unlabelled measurement of the name: for all operations.
func unlabelled(r contract.Result, name string) (contract.Measurement, bool) {
	i := slices.IndexFunc(r.Measurements, func(m contract.Measurement) bool { return m.Name == name && len(m.Labels) == 0 })
	if i < 0 {
		return contract.Measurement{}, false
	}
	return r.Measurements[i], true
}

// whole is the value of the measurement for all operations.
func whole(r contract.Result, name string) (float64, bool) { return known(unlabelled(r, name)) }

// operations is the number of successful operations.
func operations(r contract.Result) (float64, bool) {
	return count(r.Find(contract.NameThroughput, nil))
}
