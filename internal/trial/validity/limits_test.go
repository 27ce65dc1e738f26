package validity

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/ground/contract"
)

func clientOfCPU(seconds, limit float64) func(*contract.Result, *runner.Expectations) {
	return func(r *contract.Result, _ *runner.Expectations) {
		r.Client.Limits.CPUs = &limit
		r.Client.Before.CPUSeconds, r.Client.After.CPUSeconds = new(0.0), &seconds
	}
}

func TestLimits(t *testing.T) {
	tests := map[string]struct {
		change func(*contract.Result, *runner.Expectations)
		want   []Limit
	}{
		"a trial within its limits":                   {onTarget(waited(0)), nil},
		"a target that waited in 1 % of the periods":  {onTarget(waited(10)), nil},
		"a target that waited in more of them":        {onTarget(waited(11)), []Limit{{LimitCPU, new(0.011)}}},
		"a target that used 90 % of its CPU":          {all(onTarget(waited(0)), ofCPU(9, 1)), []Limit{{LimitCPU, new(0.0)}}},
		"a target whose periods nobody counted":       {all(onTarget(func(_, _ *contract.Usage) {}), ofCPU(9.5, 1)), []Limit{{LimitCPU, nil}}},
		"a target that used less":                     {all(onTarget(waited(0)), ofCPU(8.9, 1)), nil},
		"a stall lowers its CPU, and changes nothing": {all(onTarget(waited(300)), ofCPU(5, 1)), []Limit{{LimitCPU, new(0.3)}}},
		"a target that waited for memory":             {onTarget(waitedFor("memory.full", 0.11)), []Limit{{LimitMemory, nil}}},
		"a node that waited for memory":               {onTarget(waitedFor("node.memory.full", 5)), nil},
		"a client that was throttled":                 {onClient(waited(20)), []Limit{{LimitClient, new(0.02)}}},
		"a client at its limit":                       {all(onClient(waited(0)), clientOfCPU(9.9, 1)), []Limit{{LimitClient, new(0.0)}}},
		"a client that waited for memory":             {onClient(waitedFor("memory.full", 1)), []Limit{{LimitClient, nil}}},
		"a client that let its threads wait": {
			func(_ *contract.Result, e *runner.Expectations) { e.Threads = 5 }, []Limit{{LimitClient, nil}}},
		"all of them": {all(onClient(waited(20)), onTarget(func(b, a *contract.Usage) {
			waited(500)(b, a)
			waitedFor("memory.full", 3)(b, a)
		})), []Limit{{LimitCPU, new(0.5)}, {LimitMemory, nil}, {LimitClient, new(0.02)}}},
		"a result that failed": {all(onTarget(waited(900)), func(r *contract.Result, _ *runner.Expectations) { r.State = contract.Failed }), nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r, f := run(t), expected
			tc.change(&r, &f)
			if diff := cmp.Diff(tc.want, Limits(r, f)); diff != "" {
				t.Errorf("limits (-want +got):\n%s", diff)
			}
			if slices.ContainsFunc(Check(r, f), func(f Finding) bool { return f.Severity == Disturbed }) {
				t.Errorf("findings %+v: what a trial did to itself disturbs it", Check(r, f))
			}
		})
	}
}

// A share below that of a label is known too: it may decide a high percentile.
func TestThrottled(t *testing.T) {
	r, f := run(t), expected
	all(onTarget(waited(8)), onClient(waited(20)))(&r, &f)
	if diff := cmp.Diff([]Limit{{LimitCPU, new(0.008)}, {LimitClient, new(0.02)}}, Throttled(r)); diff != "" {
		t.Errorf("shares (-want +got):\n%s", diff)
	}
	all(onTarget(waited(0)), onClient(waited(0)))(&r, &f)
	if got := Throttled(r); got != nil {
		t.Errorf("got %+v of containers that never waited", got)
	}
}

func TestJoinLimits(t *testing.T) {
	got := JoinLimits(Limit{LimitClient, nil}, Limit{LimitClient, new(0.2)}, Limit{LimitCPU, new(0.5)}, Limit{LimitClient, new(0.1)})
	if diff := cmp.Diff([]Limit{{LimitCPU, new(0.5)}, {LimitClient, new(0.2)}}, got); diff != "" {
		t.Errorf("limits (-want +got):\n%s", diff)
	}
	if got := JoinLimits(); got != nil {
		t.Errorf("of nothing there are %+v", got)
	}
}

func TestQuotaCaveat(t *testing.T) {
	p := func(of string) map[string]string { return map[string]string{contract.LabelPercentile: of} }
	tests := map[string]struct {
		name   string
		labels map[string]string
		share  float64
		want   string
	}{
		"no throttling":                        {contract.NameLatencyMax, nil, 0, ""},
		"the longest, with any throttling":     {contract.NameLatencyMax, nil, 0.001, "the longest latency may depend on the CPU quota: operations waited for the next period of 100 ms in 0.1 % of the periods"},
		"a percentile below the share":         {contract.NameLatencyPercentile, p("95"), 0.049, ""},
		"a percentile at the share":            {contract.NameLatencyPercentile, p("95"), 0.05, "the 95 % latency may depend on the CPU quota: operations waited for the next period of 100 ms in 5 % of the periods"},
		"a median, with half of the periods":   {contract.NameLatencyPercentile, p("50"), 0.5, "the 50 % latency may depend on the CPU quota: operations waited for the next period of 100 ms in 50 % of the periods"},
		"a median, with less than half":        {contract.NameLatencyPercentile, p("50"), 0.4, ""},
		"a percentile far out":                 {contract.NameLatencyPercentile, p("99.9"), 0.002, "the 99.9 % latency may depend on the CPU quota: operations waited for the next period of 100 ms in 0.2 % of the periods"},
		"a percentile that is none":            {contract.NameLatencyPercentile, p("x"), 1, ""},
		"what is no percentile has no caveat":  {contract.NameThroughput, nil, 1, ""},
		"nor has the mean, which is all of it": {contract.NameLatencyAvg, nil, 1, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := QuotaCaveat(tc.name, tc.labels, tc.share); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
