package ycsb

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
)

func TestMix(t *testing.T) {
	own := func(name, value string) map[string]string {
		p := Params{Workload: "a", Properties: map[string]string{name: value}}
		return p.effective()
	}
	mix := func(read, update, insert, scan, composed float64) map[string]float64 {
		return map[string]float64{"read": read, "update": update, "insert": insert, "scan": scan, "read-modify-write": composed}
	}
	tests := map[string]struct {
		properties map[string]string
		want       map[string]float64
	}{
		"a":                          {presets["a"], mix(0.5, 0.5, 0, 0, 0)},
		"c":                          {presets["c"], mix(1, 0, 0, 0, 0)},
		"e":                          {presets["e"], mix(0, 0, 0.05, 0.95, 0)},
		"f counts the parts as well": {presets["f"], mix(1, 0.5, 0, 0, 0.5)},
		"shares are scaled to 1":     {own("readproportion", "1.5"), mix(0.75, 0.25, 0, 0, 0)},
		"a share that is no number":  {own("readproportion", "half"), nil},
		"no share at all":            {own("updateproportion", "-1"), nil},
	}
	for name, tc := range tests {
		if diff := cmp.Diff(tc.want, mixOf(tc.properties)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestOnExisting(t *testing.T) {
	inserts := "it inserts rows, whose keys an earlier run may have inserted"
	for workload, want := range map[string]string{
		`{"workload": "c", "recordCount": 10, "threads": 1}`:                                                                 "reads",
		`{"workload": "a", "recordCount": 10, "threads": 1}`:                                                                 "writes",
		`{"workload": "f", "recordCount": 10, "threads": 1}`:                                                                 "writes",
		`{"workload": "d", "recordCount": 10, "threads": 1}`:                                                                 inserts,
		`{"workload": "e", "recordCount": 10, "threads": 1}`:                                                                 inserts,
		`{"workload": "c", "recordCount": 10, "threads": 1, "properties": {"insertproportion": "0.1"}}`:                      inserts,
		`{"workload": "e", "recordCount": 10, "threads": 1, "properties": {"insertproportion": "0", "scanproportion": "1"}}`: "reads",
	} {
		if got := answerOf(Runner().OnExisting(contract.Trial{Clients: 1, Workload: json.RawMessage(workload)})); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s", workload, got, want)
		}
	}
}

func answerOf(readsOnly bool, err error) string {
	switch {
	case err != nil:
		return err.Error()
	case readsOnly:
		return "reads"
	}
	return "writes"
}
