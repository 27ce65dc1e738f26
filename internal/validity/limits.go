package validity

import (
	"fmt"
	"strconv"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/contract"
)

// LimitKind is what held back what was measured; the names are those of the API.
type LimitKind string

// Limits that a trial runs into by its own work. They are part of the result: a machine of
// that size is that fast. A trial is never left out for one, because that would choose by
// the outcome: what stalls uses less CPU, and a slow server throttles its client less.
const (
	// LimitCPU: the target used up its CPU, or had to wait for the next period of it.
	LimitCPU LimitKind = "CPU"
	// LimitMemory: the target waited for memory within its own limit.
	LimitMemory LimitKind = "Memory"
	// LimitClient: a client was at its own limit, so that the numbers tell of the client too.
	LimitClient LimitKind = "Client"
)

// limitKinds in the order in which they are told.
var limitKinds = []LimitKind{LimitCPU, LimitMemory, LimitClient}

const (
	// atLimit is the share of its CPU limit from which a container is at it.
	atLimit = 0.9
	// oftenThrottled is the share of the periods of CPU bandwidth enforcement from which
	// throttling is a label: beyond it the quota may decide a 99 % latency.
	oftenThrottled = 0.01
	// maxPressure is the share of the window in which all tasks may have waited for memory.
	maxPressure = 0.01
)

// Limit that one result ran into.
type Limit struct {
	By LimitKind
	// ThrottledShare (0 to 1) of the periods inside the measured window in which the
	// container had to wait; nil where it is not known.
	ThrottledShare *float64
}

// Limits are the labels of the result of one client, at most one of a kind. Target is
// known only to the first client.
func Limits(r contract.Result, f runner.Facts) []Limit {
	if r.State != contract.Succeeded || r.Trial.Phase != string(contract.PhaseRun) {
		return nil
	}
	var out []Limit
	if r.Target != nil {
		if share, at := atCPULimit(*r.Target); at {
			out = append(out, Limit{LimitCPU, share})
		}
		if _, waited := waitedForMemory(*r.Target); waited {
			out = append(out, Limit{LimitMemory, nil})
		}
	}
	share, at := atCPULimit(r.Client.Environment)
	_, waited := waitedForMemory(r.Client.Environment)
	if at || waited || clientBottleneck(r, f) != "" {
		out = append(out, Limit{LimitClient, share})
	}
	return out
}

// Throttled are the shares of periods in which the target (LimitCPU) and the client (LimitClient)
// had to wait, where they did at all: also those that are too small for a label may decide a
// high percentile, and any of them the maximum.
func Throttled(r contract.Result) []Limit {
	if r.State != contract.Succeeded || r.Trial.Phase != string(contract.PhaseRun) {
		return nil
	}
	var out []Limit
	if r.Target != nil {
		if share, known := throttledShare(*r.Target); known && share > 0 {
			out = append(out, Limit{LimitCPU, &share})
		}
	}
	if share, known := throttledShare(r.Client.Environment); known && share > 0 {
		out = append(out, Limit{LimitClient, &share})
	}
	return out
}

// JoinLimits are the labels of several clients together: of each kind the one with the
// largest share.
func JoinLimits(limits ...Limit) []Limit {
	var out []Limit
	for _, kind := range limitKinds {
		joined, found := Limit{By: kind}, false
		for _, l := range limits {
			if l.By != kind {
				continue
			}
			found = true
			if l.ThrottledShare != nil && (joined.ThrottledShare == nil || *l.ThrottledShare > *joined.ThrottledShare) {
				joined.ThrottledShare = l.ThrottledShare
			}
		}
		if found {
			out = append(out, joined)
		}
	}
	return out
}

// atCPULimit says whether a container was at its CPU limit, and how often it waited.
func atCPULimit(e contract.Environment) (share *float64, at bool) {
	if s, known := throttledShare(e); known {
		share = &s
	}
	used, known := cpuShare(e)
	return share, share != nil && *share > oftenThrottled || known && used >= atLimit
}

// throttledShare of the periods of CPU bandwidth enforcement in which a container waited.
func throttledShare(e contract.Environment) (share float64, known bool) {
	times, ok := contract.Increase(e, func(u contract.Usage) *int64 { return u.Throttled })
	periods, counted := contract.Increase(e, func(u contract.Usage) *int64 { return u.Periods })
	if !ok || !counted || periods <= 0 || times < 0 {
		return 0, false
	}
	return float64(times) / float64(periods), true
}

// cpuShare is how much of its CPU limit a container used over the window.
func cpuShare(e contract.Environment) (share float64, known bool) {
	used, ok := rateOf(e, func(u contract.Usage) *float64 { return u.CPUSeconds })
	if !ok || e.Limits.CPUs == nil || *e.Limits.CPUs <= 0 {
		return 0, false
	}
	return used / *e.Limits.CPUs, true
}

// rateOf a counter of seconds, per second of the time between its two readings.
func rateOf(e contract.Environment, counter func(contract.Usage) *float64) (perSecond float64, known bool) {
	seconds, ok := contract.Increase(e, counter)
	if !ok {
		return 0, false
	}
	window := e.After.At.Sub(e.Before.At).Seconds()
	if window <= 0 {
		return 0, false
	}
	return seconds / window, true
}

// ownMemory is the pressure of the container itself, where the kernel tells it.
const ownMemory = "memory.full"

// waitedForMemory is the share of the window in which all of a container waited for memory,
// and whether that is much.
func waitedForMemory(e contract.Environment) (share float64, much bool) {
	share, known := pressureShare(e, ownMemory)
	return share, known && share > maxPressure
}

// pressureShare of the window.
func pressureShare(e contract.Environment, key string) (share float64, known bool) {
	return rateOf(e, func(u contract.Usage) *float64 {
		if v, ok := u.Pressure[key]; ok {
			return &v
		}
		return nil
	})
}

// cpuPeriod is that of CPU bandwidth enforcement, in ms, as the kubelet sets it.
const cpuPeriod = 100

// quotaDecides says whether the period of the CPU quota may decide a percentile p (0 to
// 100; the maximum is 100) of the latency, when a container was throttled in a share (0 to
// 1) of the periods.
//
// An operation that is under way when the quota is used up waits for the next period.
// Begun at any time, it meets such a period with a probability of at least the share of
// those periods; so up to that share of the operations, the slowest ones, hold a wait of
// the mechanism, whose length is that of the period and not the server's. The percentile p
// is the fastest of the slowest (100-p) %: when the share is as large as that, it may be one of
// the waits, and says as much about the period as about the server. This errs on one side: where
// many operations fit into a period, only those at its end wait, and fewer than the share.
func quotaDecides(throttledShare, percentile float64) bool {
	return throttledShare > 0 && throttledShare >= (100-percentile)/100
}

// QuotaCaveat is what a reader must know of a measurement when a container was throttled
// in a share (0 to 1) of the periods; empty where the quota does not decide it.
func QuotaCaveat(name string, labels map[string]string, throttledShare float64) string {
	p, what := 100.0, "longest"
	switch name {
	case contract.NameLatencyMax:
	case contract.NameLatencyPercentile:
		var err error
		if p, err = strconv.ParseFloat(labels[contract.LabelPercentile], 64); err != nil {
			return ""
		}
		what = fmt.Sprintf("%g %%", p)
	default:
		return ""
	}
	if !quotaDecides(throttledShare, p) {
		return ""
	}
	return fmt.Sprintf("the %s latency may be that of the CPU quota: operations waited for the next period of %d ms in %.3g %% of the periods",
		what, cpuPeriod, 100*throttledShare)
}
