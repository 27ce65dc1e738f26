package experiment

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/internal/trial/journal"
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
		// says is the beginning of the refusal, and what is in it; none for no refusal.
		says []string
	}{
		"one long value": {matrix: []v1alpha1.Axis{settingAxis("config.sort_buffer_size", some...), settingAxis("config.join_buffer_size", some...), alike}},
		"long values that hardly compress": {
			matrix: []v1alpha1.Axis{settingAxis("config.sort_buffer_size", some...), settingAxis("config.init_connect", texts(64, 512)...)},
			says:   []string{"spec.matrix: the plan of 1984 cells takes ", " bytes as compressed JSON, and a part of a plan has at most 921600. The values of config.init_connect are about "},
		},
		"long values, several in a cell": {
			matrix: []v1alpha1.Axis{settingAxis("config.sort_buffer_size", texts(31, 500)...), settingAxis("config.init_connect", texts(64, 512)...)},
			says:   []string{"spec.matrix: the values of 1984 cells are ", ", and a plan has at most 4194304. The values of config.init_connect are about "},
		},
		"values that JSON writes longer": {
			matrix: []v1alpha1.Axis{settingAxis("config.sort_buffer_size", some...), settingAxis("config.join_buffer_size", more...), settingAxis("config.init_connect", strings.Repeat("<", 512)),
				settingAxis("config.ssl_cipher", strings.Repeat("&", 512)), settingAxis("config.ft_boolean_syntax", strings.Repeat(">", 512))},
			says: []string{"spec.matrix: the plan of 1922 cells takes ", " bytes as JSON (<, > and & take six each), and a part of a plan has at most 16777216. The values of config.init_connect are about "},
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := previewOf(tt.matrix)
			if tt.says == nil {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if err == nil || RefusalOf(err).Reason != v1alpha1.ReasonSpecTooLarge || !strings.HasPrefix(err.Error(), tt.says[0]) || !strings.Contains(err.Error(), tt.says[1]) ||
				!strings.HasSuffix(err.Error(), " of them: use shorter ones there, or fewer cells") {
				t.Errorf("%v, want a refusal with %q", err, tt.says)
			}
		})
	}
}

// previewOf a run with a matrix of settings, which are applied by restarts.
func previewOf(matrix []v1alpha1.Axis) (Foreseen, error) {
	run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: "run", Namespace: "ns"}}
	run.Spec = v1alpha1.BenchmarkRunSpec{
		Targets: []v1alpha1.Target{provided("db", "MariaDB")}, Matrix: matrix, Deadline: metav1.Duration{Duration: time.Hour},
		Workload: v1alpha1.Workload{Sysbench: &v1alpha1.SysbenchWorkload{Test: "oltp_read_only", Threads: 4, Tables: 2, TableSize: 5000, Percentile: 95}},
		Design:   v1alpha1.Design{Blocks: 1, Order: v1alpha1.OrderSequential, DataReset: v1alpha1.ResetPerRun, Warmup: &metav1.Duration{}, Duration: &metav1.Duration{Duration: time.Second}},
	}
	for i := range run.Spec.Matrix {
		run.Spec.Matrix[i].Apply = v1alpha1.ApplyRestart
	}
	return Preview(run, Catalogue{Tool: func(string) (runner.Runner, bool) { return sysbench.Runner(), true }, Engine: engines.Find, Config: config.Default()})
}

// A plan is taken as long as its largest part is not more than a part may have, and refused from there on: each step is less than 100 KiB.
func TestAPlanAtTheBoundOfItsConfigMap(t *testing.T) {
	some, unlike := []string{}, texts(64, 512)
	var largest int
	for n := range 31 {
		some = append(some, strings.Repeat("1", n+1))
		got, err := previewOf([]v1alpha1.Axis{settingAxis("config.sort_buffer_size", some...), settingAxis("config.init_connect", unlike...)})
		if err != nil {
			if !strings.Contains(err.Error(), " bytes as compressed JSON, and a part of a plan has at most 921600. The values of config.init_connect are about ") {
				t.Error(err)
			}
			break
		}
		parts, err := journal.SplitPlan(got.Plan)
		if err != nil {
			t.Fatal(err)
		}
		largest = len(parts[0])
	}
	if largest > 900<<10 || largest < 800<<10 {
		t.Errorf("the largest part that is taken has %d bytes", largest)
	}
}
