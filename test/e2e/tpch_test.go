package e2e

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

// TPC-H on a real server: loaded with the rows that TPC-H asks for, every result compared with go-tpc's answers, and its headline never shown
// without saying that it is derived from TPC-H and not audited. It is the sample, without the server of the smaller buffer pool: its load takes minutes, too.
func TestTPCH(t *testing.T) {
	if testing.Short() {
		t.Skip("one of all stories: the load of scale factor 1 takes minutes")
	}
	if played["tpch.yaml"] {
		return // TestSamples, which comes before, has told this story, and failed where it did
	}
	s := readSample(t, "tpch.yaml").instead(t, `  - name: small
    shape: {name: kind-target}
    mysql: {flavor: MariaDB, version: "10.11", config: {innodb_buffer_pool_size: 64M}, storage: {size: 6Gi}}
`, "")
	s.limit = time.Hour
	ns, got := s.ns, s.complete(t)

	const derived = "derived from TPC-H, not audited"
	if !strings.Contains(got.Status.Headline, derived) || !strings.HasPrefix(got.Status.Headline, contract.NameQueryMean+": larger ") {
		t.Errorf("the headline is %q", got.Status.Headline)
	}
	loaded := cluster.Stored(t, ns, contract.LoadName(got.Name, "larger"), 0)
	rows := map[string]int64{}
	if loaded.Data != nil {
		for _, table := range loaded.Data.Tables {
			rows[table.Name] = table.Rows
		}
	}
	want := map[string]int64{
		"region": 5, "nation": 25, "supplier": 10_000, "customer": 150_000, "part": 200_000, "partsupp": 800_000, "orders": 1_500_000, "lineitem": 6_001_215,
	}
	if !maps.Equal(rows, want) {
		t.Errorf("loaded were (-want +got):\n%s", cmp.Diff(want, rows))
	}

	res := cluster.Stored(t, ns, contract.TrialName(got.Name, 0, 0), 0)
	if mean, ok := res.Find(contract.NameQueryMean, nil); !ok || mean.Value == nil || *mean.Value <= 0 || mean.N == nil || *mean.N != 6 {
		t.Errorf("the geometric mean: %+v", mean)
	}
	for query, n := range map[string]float64{"q1": 4, "q3": 10, "q4": 5, "q6": 1, "q12": 2, "q14": 1} {
		labels := map[string]string{contract.LabelOperation: query}
		if m, ok := res.Find(contract.NameResultRows, labels); !ok || m.Value == nil || *m.Value != n {
			t.Errorf("rows of %s: %+v, want %v", query, m, n)
		}
		if m, ok := res.Find(contract.NameLatencyAvg, labels); !ok || m.Value == nil || *m.Value <= 0 {
			t.Errorf("latency of %s: %+v", query, m)
		}
	}
	if a := res.Answers; a == nil || a.Compared < 6 || len(a.Wrong) > 0 { // those of the warm-up, too
		t.Errorf("results that were compared with go-tpc's answers: %+v", a)
	}
	if args := strings.Join(res.Tool.Args, " "); res.Tool.Unseeded || !strings.Contains(args, "--check=true") || strings.Contains(args, "password") {
		t.Errorf("the tool: %+v", res.Tool)
	}
}
