package drivers

import (
	"encoding/json"
	"testing"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"id":1,"state":"ok","protocol":"assay.dev/driver/v2"}`), []byte(`{"id":9,"state":"ok","operations":1,"histogram":[[1,1]]}`), "10", "7")
	f.Add([]byte(`{"id":1,"state":"ok","protocol":"assay.dev/driver/v2"}`),
		[]byte(`{"id":9,"state":"ok","operations":1,"nanoseconds":1,"cpuNanoseconds":9223372036854775807,"histogram":[[1,1]]}`), "10", "7")
	f.Add([]byte(`"x"`), []byte(`{"id":9,"state":"failed","reason":"r"}`), "", "-1")
	f.Fuzz(func(t *testing.T, hello, other []byte, rows, sum string) {
		p, err := decode([]byte(spec))
		if err != nil {
			t.Fatal(err)
		}
		var out runner.Output
		for i := range converse(p, trial(spec)).turns {
			x := runner.Exchange{Turn: i, Answer: other, Rows: [][]*string{{&rows, &sum}}, Counters: map[string]int64{"questions": 1}}
			if i == 0 {
				x.Answer = hello
			}
			out.Exchanges = append(out.Exchanges, x)
		}
		for _, m := range parse(trial(spec), contract.PhaseRun, out).Measurements {
			if m.Value == nil && m.Absent == nil {
				t.Errorf("%s %v is absent without a reason", m.Name, m.Labels)
			}
			if m.Name == contract.NameCPUTime && !(*m.Value > 0) {
				t.Errorf("a CPU time of %v s", *m.Value)
			}
		}
	})
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(spec))
	f.Fuzz(func(t *testing.T, workload []byte) {
		p, err := decode(workload)
		if err != nil {
			return
		}
		if again, err := json.Marshal(p); err != nil {
			t.Fatal(err)
		} else if _, err := decode(again); err != nil {
			t.Errorf("%s: %v", again, err)
		}
	})
}
