package gate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// pasts are runs by letters: s slower, p passed, n not judged, - without the measurement.
func pasts(letters string) (out []Past) {
	for i, l := range letters {
		p := Past{Run: fmt.Sprint("r", i), Time: time.Unix(int64(i), 0)}
		if l != '-' {
			p.Values = []Value{{Measurement: v1alpha1.MeasurementKey{Target: "db", Name: "throughput"}, Direction: contract.HigherIsBetter, Median: 100, Slower: l == 's', NotJudged: l == 'n'}}
		}
		out = append(out, p)
	}
	return out
}

func TestAlarm(t *testing.T) {
	tests := map[string]struct {
		series  string
		confirm int
		// want is empty for no regression.
		want string
	}{
		"no run":                                  {"", 1, ""},
		"all passed":                              {"ppp", 1, ""},
		"slower for the first time":               {"ppps", 1, "since r3, 1 runs, not confirmed"},
		"slower for the first time, at once":      {"ppps", 0, "since r3, 1 runs, confirmed"},
		"slower twice":                            {"ppss", 1, "since r2, 2 runs, confirmed"},
		"slower for long":                         {"psss", 1, "since r1, 3 runs, confirmed"},
		"slower twice, and three are asked for":   {"ppss", 2, "since r2, 2 runs, not confirmed"},
		"slower, and well again":                  {"pssp", 1, ""},
		"an earlier one does not confirm":         {"pssps", 1, "since r4, 1 runs, not confirmed"},
		"a run without it does not confirm":       {"pps-s", 1, "since r2, 2 runs, confirmed"},
		"the last run does not have it":           {"ppss-", 1, ""},
		"one that was not judged does not end it": {"ppsns", 1, "since r2, 2 runs, confirmed"},
		"and it does not confirm it":              {"ppsn", 1, "since r2, 1 runs, not confirmed"},
		"what is confirmed stays so":              {"ppssn", 1, "since r2, 2 runs, confirmed"},
		"well before one that was not judged":     {"ppspn", 1, ""},
		"nothing was ever judged":                 {"nn", 1, ""},
		"it has been slower since it is watched":  {"ss", 1, "since r0, 2 runs, confirmed"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var texts []string
			for _, r := range Alarm(pasts(tt.series), tt.confirm) {
				confirmed := "confirmed"
				if !r.Confirmed {
					confirmed = "not confirmed"
				}
				texts = append(texts, fmt.Sprintf("since %s, %d runs, %s", r.Since, r.Runs, confirmed))
				if last := strings.LastIndex(tt.series, "s"); r.Last != fmt.Sprint("r", last) {
					t.Errorf("last seen in %s, and that is run %d", r.Last, last)
				}
				if want := fmt.Sprint("r", r.At.Unix()); r.Since != want {
					t.Errorf("since %s at the time of %s", r.Since, want)
				}
			}
			if got := strings.Join(texts, "; "); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// nightly runs: throughput and latency with noise, by the level of each night.
func nightly(seed uint64, levels ...float64) (out []Past) {
	random := rand.New(rand.NewPCG(seed, 1))
	for i, level := range levels {
		v := level * math.Exp(0.02*random.NormFloat64())
		out = append(out, Past{Run: fmt.Sprint("r", i), Time: time.Unix(int64(i), 0), Values: []Value{
			{Measurement: v1alpha1.MeasurementKey{Target: "db", Name: "throughput"}, Direction: contract.HigherIsBetter, Median: v},
			{Measurement: v1alpha1.MeasurementKey{Target: "db", Name: "latency"}, Direction: contract.LowerIsBetter, Median: 1000 / v},
			{Measurement: v1alpha1.MeasurementKey{Target: "db", Name: "memory"}, Median: 1000 / v},
		}})
	}
	return out
}

func levels(of ...any) (out []float64) {
	for i := 0; i < len(of); i += 2 {
		for range of[i].(int) {
			out = append(out, of[i+1].(float64))
		}
	}
	return out
}

func TestChanges(t *testing.T) {
	options := ChangeOptions{ErrorRate: 0.05, MinimumEffect: 0.05, Confirm: 1}
	tests := map[string]struct {
		levels []float64
		// want are the measurements, since when.
		want []string
	}{
		"steady":                    {levels(20, 100.), nil},
		"slower from one night on":  {levels(15, 100., 5, 80.), []string{"throughput since r15 (0.8) true", "latency since r15 (1.3) true"}},
		"faster":                    {levels(15, 100., 5, 130.), nil},
		"slower, and mended":        {levels(10, 100., 6, 80., 6, 100.), nil},
		"slower by less than that":  {levels(15, 100., 15, 97.), nil},
		"one slow night":            {levels(15, 100., 1, 80.), nil},
		"one slow night in between": {levels(10, 100., 1, 70., 8, 100.), nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			found, err := Changes(t.Context(), nightly(7, tt.levels...), options)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range found {
				got = append(got, fmt.Sprintf("%s since %s (%.1f) %t", r.Measurement.Name, r.Since, r.Ratio, r.Confirmed))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	// Of a series that is very long, the latest runs are searched.
	if found, err := Changes(t.Context(), nightly(7, append(levels(1, 1.), levels(501, 100.)...)...), options); err != nil || len(found) > 0 {
		t.Errorf("a series that is very long: %+v, %v", found, err)
	}
}

// What a search costs is bounded, whatever the number of measurements.
func TestWindow(t *testing.T) {
	for _, tt := range []struct {
		rate         float64
		measurements int
		want         int
	}{{0.01, 1, 500}, {0.01, 4, 500}, {0.01, 16, 165}, {0.01, 64, 17}, {0.001, 1, 500}, {0.001, 512, 16}} {
		if got := window(tt.rate, tt.measurements); got != tt.want {
			t.Errorf("%d measurements at %g: the latest %d, want %d", tt.measurements, tt.rate, got, tt.want)
		}
	}
}

// Of too many measurements none can have a change, so that none is searched.
func TestSearchable(t *testing.T) {
	for _, tt := range []struct {
		rate         float64
		measurements int
		want         bool
	}{{0.01, 1, true}, {0.01, 65, true}, {0.01, 66, false}, {0.001, 20, true}, {0.001, 21, false}, {0.05, 321, true}, {0.05, 322, false}} {
		if got := Searchable(tt.rate, tt.measurements); got != tt.want {
			t.Errorf("%d measurements at %g: %v", tt.measurements, tt.rate, got)
		}
	}
	var past []Past
	for n := range 24 {
		run := Past{Run: fmt.Sprint(n)}
		for m := range 66 {
			level := 100.
			if n > 11 {
				level = 10
			}
			run.Values = append(run.Values, Value{Measurement: v1alpha1.MeasurementKey{Target: "db", Name: fmt.Sprint("m", m), Unit: "tx/s"}, Direction: "HigherIsBetter", Median: level + float64(n)/100})
		}
		past = append(past, run)
	}
	for _, tt := range []struct{ measurements, want int }{{66, 0}, {20, 20}} {
		some := slices.Clone(past)
		for i := range some {
			some[i].Values = some[i].Values[:tt.measurements]
		}
		found, err := Changes(t.Context(), some, ChangeOptions{ErrorRate: 0.01, MinimumEffect: 0.05, Confirm: 1})
		if err != nil || len(found) != tt.want || Searched(some) != tt.measurements {
			t.Errorf("of %d measurements %d became slower, %v", tt.measurements, len(found), err)
		}
	}
}
