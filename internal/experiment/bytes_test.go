package experiment

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/internal/ground/budget"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/internal/trial/journal"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/runners/runner"
	"github.com/assay-bench/assay/runners/sysbench"
)

// texts of so many characters, each unlike the others.
func texts(count, length int) (out []string) {
	random := rand.New(rand.NewPCG(1, 2))
	for range count {
		var b strings.Builder
		for range length {
			b.WriteRune(rune(0x4e00 + random.IntN(20000)))
		}
		out = append(out, b.String())
	}
	return out
}

// What the API admits in values of the default number of cells is planned, or refused with what is too much: the ConfigMap that has the
// cells holds less than some values take.
func TestAPlanFitsItsConfigMap(t *testing.T) {
	var some, more []string
	for i := range 62 {
		more = append(more, strings.Repeat("1", i+1))
	}
	some = more[:31]
	alike := settingAxis("config.init_connect", texts(1, 512)...)
	for name, tt := range map[string]struct {
		matrix []v1alpha1.Axis
		says   string
	}{
		"one long value": {matrix: []v1alpha1.Axis{settingAxis("config.sort_buffer_size", some...), settingAxis("config.join_buffer_size", some...), alike}},
		"long values that hardly compress": {
			matrix: []v1alpha1.Axis{settingAxis("config.sort_buffer_size", some...), settingAxis("config.init_connect", texts(64, 512)...)},
			says:   "spec.matrix: the plan of 1984 cells does not fit into its ConfigMap (",
		},
		"long values, several in a cell": {
			matrix: []v1alpha1.Axis{settingAxis("config.sort_buffer_size", texts(31, 512)...), settingAxis("config.init_connect", texts(64, 512)...)},
			says:   "spec.matrix: the values of 1984 cells are",
		},
		"values that JSON writes longer": {
			matrix: []v1alpha1.Axis{settingAxis("config.sort_buffer_size", some...), settingAxis("config.join_buffer_size", more...), settingAxis("config.init_connect", strings.Repeat("<", 512)),
				settingAxis("config.ssl_cipher", strings.Repeat("&", 512)), settingAxis("config.ft_boolean_syntax", strings.Repeat(">", 512))},
			says: "spec.matrix: the plan of 1922 cells does not fit into its ConfigMap (encoding a part of the journal: ",
		},
	} {
		t.Run(name, func(t *testing.T) {
			run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: "run", Namespace: "ns"}}
			second := &metav1.Duration{Duration: time.Second}
			run.Spec = v1alpha1.BenchmarkRunSpec{
				Targets: []v1alpha1.Target{provided("db", "MariaDB")}, Matrix: tt.matrix, Deadline: metav1.Duration{Duration: time.Hour},
				Workload: v1alpha1.Workload{Sysbench: &v1alpha1.SysbenchWorkload{Test: "oltp_read_only", Threads: 4, Tables: 2, TableSize: 5000, Percentile: 95}},
				Design:   v1alpha1.Design{Blocks: 1, Order: v1alpha1.OrderSequential, DataReset: v1alpha1.ResetPerRun, Warmup: &metav1.Duration{}, Duration: second},
			}
			for i := range run.Spec.Matrix {
				run.Spec.Matrix[i].Apply = v1alpha1.ApplyRestart
			}
			got, err := Preview(run, Catalogue{Tool: func(string) (runner.Runner, bool) { return sysbench.Runner(), true }, Engine: engines.Find, Config: config.Default()})
			if tt.says == "" {
				if err != nil {
					t.Fatal(err)
				}
				checkParts(t, got.Plan)
				return
			}
			if err == nil || RefusalOf(err).Reason != v1alpha1.ReasonSpecTooLarge || !strings.HasPrefix(err.Error(), tt.says) || !strings.HasSuffix(err.Error(), ": use shorter values, or fewer cells") {
				t.Errorf("%v, want a refusal with %q", err, tt.says)
			}
		})
	}
}

func checkParts(t *testing.T, p *plan.Plan) {
	t.Helper()
	parts, err := journal.SplitPlan(p)
	if err != nil {
		t.Fatal(err)
	}
	for i, data := range parts {
		if int64(len(data)) > budget.MostResult {
			t.Errorf("part %d has %d bytes", i, len(data))
		}
	}
}
