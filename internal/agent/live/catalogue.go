package live

import "github.com/assay-bench/assay/internal/ground/family"

// What a client serves.
var (
	running     = &family.Family{Name: "assay_client_tool_running", Help: "1 while the tool runs, by the phase: run (with a warm-up of the same process), warmup, prepare.", Labels: []string{"phase"}}
	intervalEnd = &family.Family{Name: "assay_client_interval_end_seconds", Help: "End of the last interval that the tool printed, since its start."}

	intervalValue = &family.Family{
		Name: "assay_client_interval_value", Help: "Figure of the last interval that the tool printed, in base units, such as throughput, latency or errors.",
		Labels: []string{family.LabelMeasurement, family.LabelOf, family.LabelUnit},
	}
	failures = &family.Family{Name: "assay_client_read_failures_total", Help: "How often the output of the tool could not be read for a scrape.", Counter: true}
)

// Sections of the reference.
func Sections() []family.Section {
	return []family.Section{{
		Title: "Clients",
		Text: "Of the agent in each client pod, with `metrics.podMonitor`. They are what the tool prints while it runs, where it prints intervals " +
			"(sysbench, YCSB); the result of a trial is never made of them. The PodMonitor adds `namespace`, `pod`, `run`, `target` and `trial`; clients that stand name the last two themselves.",
		Families: []*family.Family{running, intervalEnd, intervalValue, failures},
	}}
}
