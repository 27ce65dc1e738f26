package analysis

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// names of values for a comparison: target, cell, measurement, labels, number of blocks.
func inShort(all []BlockValues) (out []string) {
	for _, v := range all {
		out = append(out, fmt.Sprintf("%s %v %s %v %d", v.Target, v.Parameters, v.Name, v.Labels, len(v.Blocks)))
	}
	return out
}

// The values of a run are those of the trials that count, without the control, in the order of the plan.
func TestValuesOf(t *testing.T) {
	p := planOf(3, 2, "a", "control")
	run := Run{Name: "r", Spec: specOf(1, nil), Input: Input{Layout: Layout{Plan: p}, Names: names, Limit: 1000, Records: recordsOf(p, 0.002, bOver(1))}}
	declare(t, &run)
	run.Records[4].State = contract.Failed // block 1, cell 0, target a
	values, err := ValuesOf(run)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"a map[threads:1] throughput map[] 2", "a map[threads:2] throughput map[] 3",
		"a map[threads:1] latency.percentile map[p:95] 2", "a map[threads:2] latency.percentile map[p:95] 3",
		"a map[threads:1] latency.percentile map[p:99] 2", "a map[threads:2] latency.percentile map[p:99] 3",
	}
	if diff := cmp.Diff(want, inShort(values.Primary(Measurement{Name: "latency.percentile", Labels: map[string]string{"p": "99"}}, Measurement{Name: "nothing"}))); diff != "" {
		t.Errorf("the primary ones (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a map[threads:1] time.setup map[] 2", "a map[threads:2] time.setup map[] 3"}, inShort(values.Named([]string{"time.setup"}))); diff != "" {
		t.Errorf("by name (-want +got):\n%s", diff)
	}
}
