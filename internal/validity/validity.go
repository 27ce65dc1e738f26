// Package validity asks whether a measurement can be true: a result that
// contradicts itself or its trial is reported, never averaged.
//
// Each check is one small function over a result and the facts of its trial. It
// compares only what was measured: where a number or a fact is absent, the check
// says nothing. The one absence that is a finding is that of the headline.
//
//	counts.go       what was counted adds up
//	operations.go   kinds of operations add up, and are mixed as asked for
//	noop.go         writes changed what they promise
//	idle.go         the same of tools that promise nothing
//	data.go         the data lasted for the window, and is that of other targets
//	latency.go      latencies fit the throughput
//	order.go        latencies fit each other
//	time.go         the time measured is the time asked for
//	rate.go         what was offered was achieved, and no queue grew
//	replication.go  the replicas followed, and commits waited for them
//	disturbance.go  what happened to the client and the target meanwhile
//	limits.go       which limits of its own the trial ran into
//	neighbours.go   what others took of its machines
//	physics.go      nothing was faster than network and storage allow
//	durability.go   what the settings of a server promise about commits
//	network.go      what was lost on the way
//	absent.go       what was to be measured and has no value
//	notes.go        what a reader should know of
//	load.go         a target is what its settings promise
//	clients.go      the clients of one trial measured together, by clocks that agree
//
// The package knows no tool: what is particular to one comes as runner.Facts.
package validity

import (
	"slices"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/contract"
)

// Severity is what a finding means for the result.
type Severity string

const (
	// Invalid: the numbers contradict each other or the trial. The result is kept
	// for reading, and stays out of every statistic.
	Invalid Severity = "Invalid"
	// Disturbed: something outside of what is measured happened during the measured
	// window: work of others, pressure on a node, steal time, a restart from outside, a
	// step of the clock. The numbers are what was measured, and stay out of the
	// statistics: they tell of more than the target. What the target did to itself never
	// is: leaving that out would choose by the outcome.
	Disturbed Severity = "Disturbed"
	// Warning: the numbers are used; the reader should know.
	Warning Severity = "Warning"
	// Note: a fact beside the numbers, and nothing against them.
	Note Severity = "Note"
)

// Finding is one thing that is wrong or remarkable.
type Finding struct {
	// Check is the name of the check, such as little.
	Check string
	// Severity is Invalid, Disturbed, Warning or Note.
	Severity Severity
	// Message names the numbers and what they say.
	Message string
}

// check is one question; say returns "" where there is nothing to say.
type check struct {
	name     string
	severity Severity
	say      func(contract.Result, runner.Facts) string
}

// checks in the order in which findings are reported: the rough ones first.
var checks = []check{
	{"headline", Invalid, headline},
	{"nothing-done", Invalid, nothingDone},
	{"throughput", Invalid, throughput},
	{"query-rate", Invalid, queryRate},
	{"event-count", Invalid, eventCount},
	{"query-kinds", Invalid, queryKinds},
	{"queries-per-operation", Invalid, queriesPerOperation},
	{"no-op-writes", Invalid, noOpMuch},
	{"data-ran-dry", Invalid, ranDry},
	{"data-inconsistent", Invalid, inconsistent},
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
	{"clock-step", Disturbed, clockStep},
	{"duration", Warning, duration},
	{"warmup", Warning, shortWarmup},
	{"operations", Warning, operationsMissing},
	{"throughput", Warning, throughputBeside},
	{"query-rate", Warning, queryRateBeside},
	{"intervals", Warning, intervals},
	{"target-throttled", Warning, targetThrottled},
	{"client-throttled", Warning, clientThrottled},
	{"target-memory-pressure", Warning, targetPressure},
	{"client-memory-pressure", Warning, clientPressure},
	{"client-bottleneck", Warning, clientBottleneck},
	{"not-measured", Warning, notMeasured},
	{"unsupported", Warning, unsupported},
	{CheckSaturated, Warning, tooMuchOffered},
	{"clock-offset", Warning, clockDiffersMuch},
	{"clock-offset", Note, clockDiffers},
	{"stall", Warning, stall},
	{"percentile-sample", Warning, percentileSample},
	{"ignored-errors", Warning, ignoredErrors},
	{"no-op-writes", Warning, noOpLittle},
	{"no-op-statements", Warning, idleStatements},
	{"data-grew", Warning, outgrown},
	{"snapshot-isolation", Warning, snapshotIsolation},
	{"reconnects", Warning, reconnects},
	{"durability", Warning, unflushedByServer},
	{"fsync", Warning, fasterThanStorage},
	{"round-trip", Warning, fasterThanNetwork},
	{"server-statements", Warning, serverStatements},
	{"retransmits", Warning, retransmits},
	{"variables-changed", Warning, variablesChanged},
	{"reset", Warning, resetProblems},
	{"checksum", Warning, unchecked},
	{"agent", Warning, agentProblems},
	{"problems", Warning, problems},
	{"no-op-writes", Note, noOpUnobserved},
}

// Check asks all questions of the result of a measured window. A result that
// failed, and one of another phase, has no findings: it is no measurement.
func Check(r contract.Result, f runner.Facts) []Finding {
	if r.State != contract.Succeeded || r.Trial.Phase != string(contract.PhaseRun) {
		return nil
	}
	var findings []Finding
	if message := serverRestarted(r); message != "" {
		findings = append(findings, Finding{Check: "target-restarted", Severity: Disturbed, Message: message})
	}
	r = withoutLostCounters(r)
	for _, c := range checks {
		if message := c.say(r, f); message != "" {
			findings = append(findings, Finding{Check: c.name, Severity: c.severity, Message: message})
		}
	}
	return findings
}

// value of the first measurement of the name that has the labels.
func value(r contract.Result, name string, labels map[string]string) (float64, bool) {
	m, ok := r.Find(name, labels)
	if !ok || m.Value == nil {
		return 0, false
	}
	return *m.Value, true
}

// unlabelled measurement of the name: the one about all operations.
func unlabelled(r contract.Result, name string) (contract.Measurement, bool) {
	i := slices.IndexFunc(r.Measurements, func(m contract.Measurement) bool { return m.Name == name && len(m.Labels) == 0 })
	if i < 0 {
		return contract.Measurement{}, false
	}
	return r.Measurements[i], true
}

// whole is the value of the measurement about all operations.
func whole(r contract.Result, name string) (float64, bool) {
	m, ok := unlabelled(r, name)
	if !ok || m.Value == nil {
		return 0, false
	}
	return *m.Value, true
}

// operations is how many operations ended well.
func operations(r contract.Result) (float64, bool) {
	m, ok := r.Find(contract.NameThroughput, nil)
	if !ok || m.N == nil {
		return 0, false
	}
	return float64(*m.N), true
}
