package validity

import (
	"fmt"
	"strconv"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// LimitKind is a resource limit that a trial can reach; the names are those of the API.
type LimitKind string

// Resource limits that a trial can reach by its own work. They are part of the result: a
// machine of that size is that fast. A trial is never excluded for a limit, because that would
// select by the outcome: a stalled server uses less CPU, and a slow server throttles its
// client less.
const (
	// LimitCPU: the target used up its CPU limit, or was throttled.
	LimitCPU LimitKind = "CPU"
	// LimitMemory: the target waited for memory within its own limit.
	LimitMemory LimitKind = "Memory"
	// LimitClient: a client reached its own CPU limit, so the numbers depend on the client
	// too.
	LimitClient LimitKind = "Client"
)

// limitKinds in the order of reports.
var limitKinds = []LimitKind{LimitCPU, LimitMemory, LimitClient}

const (
	// atLimit is the minimum usage of its CPU limit for a container to be limited by it.
	atLimit = 0.9
	// oftenThrottled is the minimum share of throttled CPU periods for a label: from there on
	// the quota may decide a 99 % latency.
	oftenThrottled = 0.01
	// maxPressure is the tolerated share of the window in which all tasks waited for memory.
	maxPressure = 0.01
)

// Limit is a resource limit that one result reached.
type Limit struct {
	By LimitKind
	// ThrottledShare is the share (0 to 1) of throttled CPU periods of the measured window;
	// nil where it is unknown.
	ThrottledShare *float64
}

// Limits are the limits that the result of one client reached, at most one of a kind. Only the
// first client's result has those of the target.
func Limits(r contract.Result, e runner.Expectations) []Limit {
	if !measured(r) {
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
	if at || waited || clientBottleneck(r, e) != "" {
		out = append(out, Limit{LimitClient, share})
	}
	return out
}

// Throttled are the shares of throttled CPU periods of the target (LimitCPU) and the client
// (LimitClient), if any. Shares too small for Limits may decide a high percentile, and any
// share the maximum.
func Throttled(r contract.Result) []Limit {
	if !measured(r) {
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

// JoinLimits joins the limits of several clients: of each kind the one with the largest share.
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

// atCPULimit reports whether a container reached its CPU limit, and its share of throttled
// periods.
func atCPULimit(e contract.Environment) (share *float64, at bool) {
	if s, known := throttledShare(e); known {
		share = &s
	}
	used, known := cpuShare(e)
	return share, share != nil && *share > oftenThrottled || known && used >= atLimit
}

// throttledShare is the share of throttled CPU periods of a container.
func throttledShare(e contract.Environment) (share float64, known bool) {
	times, ok := contract.Increase(e, func(u contract.Usage) *int64 { return u.Throttled })
	periods, counted := contract.Increase(e, func(u contract.Usage) *int64 { return u.Periods })
	if !ok || !counted || periods <= 0 || times < 0 {
		return 0, false
	}
	return float64(times) / float64(periods), true
}

// cpuShare is the share of the CPUs that it may use that a container used over the window.
func cpuShare(e contract.Environment) (share float64, known bool) {
	used, ok := rateOf(e, func(u contract.Usage) *float64 { return u.CPUSeconds })
	most := e.Limits.MostCPUs()
	if !ok || most == nil || *most <= 0 {
		return 0, false
	}
	return used / *most, true
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

// waitedForMemory is the share of the window in which all tasks of a container waited for
// memory, and whether it exceeds maxPressure.
func waitedForMemory(e contract.Environment) (share float64, much bool) {
	share, known := pressureShare(e, contract.PressureOwnMemory)
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

// cpuPeriod is the period of the CPU quota, in ms, as the kubelet sets it.
const cpuPeriod = 100

// QuotaCaveat is the caveat of a measurement when a container was throttled in a share (0 to
// 1) of the periods; empty where the quota does not decide the measurement. The maximum counts as
// the percentile 100.
//
// A running operation waits for the next period when the quota is used up. An operation that
// starts at a random time meets a throttled period with at least the probability of that
// share. So the latency of up to that share of the operations, the slowest ones, includes a
// wait whose length depends on the period and not on the server. The percentile p is the
// fastest of the slowest (100-p) % of the operations. If the share is at least (100-p) %, this
// operation may be one that waited. The rule is conservative: where many operations fit into a
// period, only those at its end wait, which are fewer than the share.
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
	if throttledShare <= 0 || throttledShare < (100-p)/100 {
		return ""
	}
	return fmt.Sprintf("the %s latency may depend on the CPU quota: operations waited for the next period of %d ms in %.3g %% of the periods",
		what, cpuPeriod, 100*throttledShare)
}
