package benchmarkschedule

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/verdict/history"
)

// nights are runs of a history: the level of each, and by a letter what its gate said: p passed,
// s slower, n that it could not judge the throughput, i not valid, u that it could not decide.
func nights(gates string, levels ...float64) contract.History {
	var h contract.History
	for i, level := range levels {
		said := "p"
		if i < len(gates) {
			said = gates[i : i+1]
		}
		run := contract.PastRun{Name: fmt.Sprintf("n-%02d", i), CompletionTime: time.Unix(int64(i)*86400, 0), Valid: "True", Outcome: "GatePassed"}
		value := func(v float64) []*float64 {
			low, high := v*(1-0.01*math.Sin(float64(3*i))), v*(1+0.01*math.Sin(float64(7*i)))
			return []*float64{&low, nil, &high}
		}
		run.Series = []contract.PastSeries{
			{Target: "db", Parameters: map[string]contract.Scalar{"threads": {Int: 8, IsInt: true}}, Name: "throughput", Unit: "tx/s", Direction: contract.HigherIsBetter, Values: value(level), Slower: said == "s", NotJudged: said == "n"},
			{Target: "db", Parameters: map[string]contract.Scalar{"threads": {Int: 8, IsInt: true}}, Name: "latency.avg", Unit: "ms", Direction: contract.LowerIsBetter, Values: value(1000 / level)},
		}
		if said != "u" {
			run.Passed = new(said == "p" || said == "n")
		}
		switch said {
		case "u":
			run.Outcome, run.Reason = v1alpha1.OutcomeGateNotJudged, v1alpha1.ReasonNotJudged
		case "s":
			run.Outcome, run.Reason, run.Message = v1alpha1.OutcomeGateFailed, v1alpha1.ReasonSlower, "words of the gate"
		case "i":
			run.Valid, run.Outcome, run.Reason = "False", v1alpha1.OutcomeInvalid, "Contradictions"
		}
		h.Runs = append(h.Runs, run)
	}
	return h
}

// otherSince gives runs a spec, and others from one on another one.
func otherSince(n int, h contract.History) contract.History {
	for i := range h.Runs {
		h.Runs[i].SpecHash = fmt.Sprint("spec ", i >= n)
	}
	return h
}

// latencySince multiplies the latency of runs from one on.
func latencySince(n int, by float64, h contract.History) contract.History {
	for _, run := range h.Runs[n:] {
		for _, v := range run.Series[1].Values {
			if v != nil {
				*v *= by
			}
		}
	}
	return h
}

// errorsOf gives the runs so many errors per second. The gate allows none.
func errorsOf(h contract.History, perSecond ...float64) contract.History {
	for i := range h.Runs {
		h.Runs[i].Series = append(h.Runs[i].Series, contract.PastSeries{
			Target: "db", Name: "errors", Unit: "1/s", Direction: contract.LowerIsBetter, Values: []*float64{&perSecond[i]}, Slower: perSecond[i] > 0,
		})
	}
	return h
}

// stoppedIn makes the throughput 0 in one run, and its latency as before.
func stoppedIn(n int, h contract.History) contract.History {
	for _, v := range h.Runs[n].Series[0].Values {
		if v != nil {
			*v = 0
		}
	}
	return h
}

// unmarked runs do not say which measurement is slower.
func unmarked(h contract.History) contract.History {
	for i := range h.Runs {
		h.Runs[i].Series[0].Slower = false
	}
	return h
}

// promptedSince makes runs from one on such that confirm the one before.
func promptedSince(n int, h contract.History) contract.History {
	for i := range h.Runs[n:] {
		h.Runs[n+i].Trigger = string(v1alpha1.TriggerConfirm)
	}
	return h
}

// inCells has the first series of each run in so many cells.
func inCells(n int, h contract.History) contract.History {
	for i := range h.Runs {
		one := h.Runs[i].Series[0]
		h.Runs[i].Series = nil
		for cell := range n {
			one.Parameters = map[string]contract.Scalar{"threads": {Int: int32(cell), IsInt: true}}
			h.Runs[i].Series = append(h.Runs[i].Series, one)
		}
	}
	return h
}

func steady(n int, level float64) (out []float64) {
	for range n {
		out = append(out, level)
	}
	return out
}

// What became slower is an alarm once further runs confirm it, and it says since when. Until then a run
// that is slower leaves the schedule ready.
func TestAlarm(t *testing.T) {
	points := &v1alpha1.ChangePoints{ErrorRate: "1%", MinimumEffect: "5%"}
	both := &v1alpha1.ChangePoints{ErrorRate: "1%", MinimumEffect: "5%", Measurements: []v1alpha1.MeasurementRef{{Name: "throughput"}, {Name: "latency.avg"}}}
	tests := map[string]struct {
		alarm   *v1alpha1.Alarm
		history contract.History
		broken  string
		gated   bool
		// lost runs of histories that somebody deleted.
		lost int32
		// ready and regressed are "status/reason"; regressed is empty for a condition that is absent.
		ready, regressed string
		found            []string
	}{
		"without an alarm, a slower run stalls":     {history: nights("ps", 100, 70), ready: "False/LastRunFailed"},
		"nothing ended":                             {alarm: &v1alpha1.Alarm{}, ready: "True/Succeeded", regressed: "Unknown/NotReached"},
		"all passed":                                {alarm: &v1alpha1.Alarm{}, history: nights("ppp", 100, 100, 100), ready: "True/Succeeded", regressed: "False/Succeeded"},
		"slower for the first time":                 {alarm: &v1alpha1.Alarm{}, history: nights("pps", 100, 100, 70), ready: "True/Unconfirmed", regressed: "False/Unconfirmed", found: []string{"db threads=8 throughput: slower than the gate allows since run n-02 (1970-01-03T00:00:00Z), in 1 runs, not confirmed yet"}},
		"slower twice":                              {alarm: &v1alpha1.Alarm{}, history: nights("pss", 100, 70, 70), ready: "False/LastRunFailed", regressed: "True/Regressed", found: []string{"db threads=8 throughput: slower than the gate allows since run n-01 (1970-01-02T00:00:00Z), in 2 runs"}},
		"slower once, and no confirmation is asked": {alarm: &v1alpha1.Alarm{Confirm: new(int32(0))}, history: nights("ps", 100, 70), ready: "False/LastRunFailed", regressed: "True/Regressed", found: []string{"db threads=8 throughput: slower than the gate allows since run n-01 (1970-01-02T00:00:00Z), in 1 runs"}},
		"slower, and well again":                    {alarm: &v1alpha1.Alarm{}, history: nights("pssp", 100, 70, 70, 100), ready: "True/Succeeded", regressed: "False/Succeeded"},
		"slower around a run that is not valid":     {alarm: &v1alpha1.Alarm{}, history: nights("psis", 100, 70, 70, 70), ready: "False/LastRunFailed", regressed: "True/Regressed", found: []string{"db threads=8 throughput: slower than the gate allows since run n-01 (1970-01-02T00:00:00Z), in 2 runs"}},
		"slower around one that is undecided":       {gated: true, alarm: &v1alpha1.Alarm{}, history: nights("psus", 100, 70, 70, 70), ready: "False/LastRunFailed", regressed: "True/Regressed", found: []string{"db threads=8 throughput: slower than the gate allows since run n-01 (1970-01-02T00:00:00Z), in 2 runs"}},
		"undecided at the end":                      {gated: true, alarm: &v1alpha1.Alarm{}, history: nights("pssu", 100, 70, 70, 70), ready: "True/Succeeded", regressed: "True/Regressed", found: []string{"db threads=8 throughput: slower than the gate allows since run n-01 (1970-01-02T00:00:00Z), in 2 runs"}},
		"slower around one that is not judged":      {alarm: &v1alpha1.Alarm{}, history: nights("psns", 100, 70, 70, 70), ready: "False/LastRunFailed", regressed: "True/Regressed", found: []string{"db threads=8 throughput: slower than the gate allows since run n-01 (1970-01-02T00:00:00Z), in 2 runs"}},
		"a rate that fell to 0":                     {alarm: &v1alpha1.Alarm{}, history: stoppedIn(2, nights("pps", 100, 100, 100)), ready: "True/Unconfirmed", regressed: "False/Unconfirmed", found: []string{"db threads=8 throughput: slower than the gate allows since run n-02 (1970-01-03T00:00:00Z), in 1 runs, not confirmed yet"}},
		"and it stays there":                        {alarm: &v1alpha1.Alarm{}, history: stoppedIn(1, stoppedIn(2, nights("pss", 100, 100, 100))), ready: "False/LastRunFailed", regressed: "True/Regressed", found: []string{"db threads=8 throughput: slower than the gate allows since run n-01 (1970-01-02T00:00:00Z), in 2 runs"}},
		"errors, none, errors":                      {alarm: &v1alpha1.Alarm{}, history: errorsOf(nights("ppp", 100, 100, 100), 3, 0, 3), ready: "True/Succeeded", regressed: "False/Unconfirmed", found: []string{"db errors: slower than the gate allows since run n-02 (1970-01-03T00:00:00Z), in 1 runs, not confirmed yet"}},
		"errors that are gone":                      {alarm: &v1alpha1.Alarm{}, history: errorsOf(nights("ppp", 100, 100, 100), 3, 3, 0), ready: "True/Succeeded", regressed: "False/Succeeded"},
		"slower, and nobody knows what":             {alarm: &v1alpha1.Alarm{}, history: unmarked(nights("ps", 100, 70)), ready: "False/LastRunFailed", regressed: "Unknown/NotJudged"},
		"that was so, and is well again":            {alarm: &v1alpha1.Alarm{}, history: unmarked(nights("psp", 100, 70, 100)), ready: "True/Succeeded", regressed: "False/Succeeded"},
		"a search goes around 0": {
			alarm: &v1alpha1.Alarm{ChangePoints: points}, history: stoppedIn(5, nights("", append(steady(13, 100), steady(4, 80)...)...)), ready: "True/Succeeded", regressed: "True/Regressed",
			found: []string{"db threads=8 throughput: the level changed by -20 % since run n-13 (1970-01-14T00:00:00Z), in 4 runs (p 0.002)"},
		},
		"the level of the latency changed": {
			alarm: &v1alpha1.Alarm{ChangePoints: both}, history: latencySince(12, 1.25, nights("", steady(16, 100)...)), ready: "True/Succeeded", regressed: "True/Regressed",
			found: []string{"db threads=8 latency.avg: the level changed by 25 % since run n-12 (1970-01-13T00:00:00Z), in 4 runs (p 0.0015)"},
		},
		"it changed, and the main measurement is searched": {alarm: &v1alpha1.Alarm{ChangePoints: points}, history: latencySince(12, 1.25, nights("", steady(16, 100)...)), ready: "True/Succeeded", regressed: "False/Succeeded"},
		"one slow night, and runs that confirm it":         {alarm: &v1alpha1.Alarm{ChangePoints: points}, history: promptedSince(13, nights("", append(steady(12, 100), steady(4, 80)...)...)), ready: "True/Succeeded", regressed: "False/Succeeded"},
		"none was valid":                     {alarm: &v1alpha1.Alarm{}, history: nights("ii", 100, 100), ready: "False/LastRunFailed", regressed: "Unknown/NotReached"},
		"a run that failed otherwise stalls": {alarm: &v1alpha1.Alarm{}, history: nights("pi", 100, 100), ready: "False/LastRunFailed", regressed: "False/Succeeded"},
		"the history cannot be read":         {alarm: &v1alpha1.Alarm{}, broken: "it is torn", ready: "False/HistoryUnreadable", regressed: "Unknown/HistoryUnreadable"},
		"the level changed": {
			alarm: &v1alpha1.Alarm{ChangePoints: points}, history: nights("", append(steady(12, 100), steady(4, 80)...)...), ready: "True/Succeeded", regressed: "True/Regressed",
			found: []string{"db threads=8 throughput: the level changed by -20 % since run n-12 (1970-01-13T00:00:00Z), in 4 runs (p 0.002)"},
		},
		"no gate, and nobody looks":       {alarm: &v1alpha1.Alarm{}, history: nights("uuu", 100, 80, 60), ready: "True/Succeeded", regressed: "Unknown/NotJudged"},
		"no gate, and change points look": {alarm: &v1alpha1.Alarm{ChangePoints: points}, history: nights("uuu", 100, 100, 100), ready: "True/Succeeded", regressed: "False/Succeeded"},
		"the level changed with the spec": {
			alarm: &v1alpha1.Alarm{ChangePoints: points}, history: otherSince(12, nights("", append(steady(12, 100), steady(4, 80)...)...)), ready: "True/Succeeded", regressed: "True/Regressed",
			found: []string{"db threads=8 throughput: the level changed by -20 % since run n-12 (1970-01-13T00:00:00Z), in 4 runs (p 0.002); that run has another spec than the one before"},
		},
		"the level changed for the better": {alarm: &v1alpha1.Alarm{ChangePoints: points}, history: nights("", append(steady(12, 100), steady(4, 130)...)...), ready: "True/Succeeded", regressed: "False/Succeeded"},
		"it changed by less than that":     {alarm: &v1alpha1.Alarm{ChangePoints: points}, history: nights("", append(steady(12, 100), steady(6, 97)...)...), ready: "True/Succeeded", regressed: "False/Succeeded"},
		"it changed, and nobody looks":     {alarm: &v1alpha1.Alarm{}, history: nights("", append(steady(12, 100), steady(4, 80)...)...), ready: "True/Succeeded", regressed: "False/Succeeded"},
		"few since a history was deleted":  {alarm: &v1alpha1.Alarm{}, lost: 300, history: nights("ppp", 100, 100, 100), ready: "True/Succeeded", regressed: "Unknown/NotReached"},
		"enough since then":                {alarm: &v1alpha1.Alarm{ChangePoints: points}, lost: 300, history: nights("", steady(20, 100)...), ready: "True/Succeeded", regressed: "False/Succeeded"},
		"more than were lost":              {alarm: &v1alpha1.Alarm{}, lost: 2, history: nights("pp", 100, 100), ready: "True/Succeeded", regressed: "False/Succeeded"},
		"too many cells for a search":      {alarm: &v1alpha1.Alarm{ChangePoints: points}, history: inCells(66, nights(strings.Repeat("u", 24), append(steady(12, 100), steady(12, 50)...)...)), ready: "True/Succeeded", regressed: "Unknown/NotJudged"},
		"and a gate decides":               {alarm: &v1alpha1.Alarm{ChangePoints: points}, history: inCells(66, nights(strings.Repeat("p", 24), append(steady(12, 100), steady(12, 50)...)...)), ready: "True/Succeeded", regressed: "False/Succeeded"},
		"more runs than a search can have": {alarm: &v1alpha1.Alarm{ChangePoints: points}, history: nights("", append(steady(495, 100), steady(10, 80)...)...), ready: "True/Succeeded", regressed: "True/Regressed", found: []string{"db threads=8 throughput: the level changed by -20 % since run n-495 (1971-05-11T00:00:00Z), in 10 runs (p 0.001)"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := World{Schedule: &v1alpha1.BenchmarkSchedule{}, Now: time.Unix(1e9, 0), HistoryError: tt.broken, HistoryReason: v1alpha1.ReasonHistoryUnreadable}
			w.Schedule.Spec.Alarm = tt.alarm
			if tt.lost > 0 {
				w.Schedule.Status.History = &v1alpha1.HistoryStatus{LostRunCount: tt.lost}
			}
			if tt.gated {
				w.Schedule.Spec.RunTemplate.Spec.Gate = &v1alpha1.Gate{Baseline: "release"}
			}
			st := settled(t, w, decision{}, tt.history)
			text := func(condition string) string {
				c := apimeta.FindStatusCondition(st.Conditions, condition)
				if c == nil {
					return ""
				}
				return string(c.Status) + "/" + c.Reason
			}
			if got := text(v1alpha1.ConditionScheduleReady); got != tt.ready {
				t.Errorf("Ready is %s, want %s", got, tt.ready)
			}
			if got := text(v1alpha1.ConditionRegressed); got != tt.regressed {
				t.Errorf("Regressed is %s, want %s", got, tt.regressed)
			}
			var found []string
			for _, r := range st.Regressions {
				found = append(found, r.Text)
			}
			if diff := cmp.Diff(tt.found, found); diff != "" {
				t.Errorf("regressions (-want +got):\n%s", diff)
			}
			w.Schedule.Status = st
			if again := settled(t, w, decision{}, tt.history); !cmp.Equal(st.Regressions, again.Regressions) {
				t.Error("a second pass finds something else")
			}
		})
	}
}

// settled is the status after a pass with a history.
func settled(t *testing.T, w World, d decision, h contract.History) v1alpha1.BenchmarkScheduleStatus {
	t.Helper()
	a := done{history: h}
	if len(h.Runs) > 0 {
		data, _, err := history.Encode(h)
		if err != nil {
			t.Fatal(err)
		}
		a.historySHA256 = contract.Digest(data)
	}
	found, err := judge(t.Context(), w, a)
	if err != nil {
		t.Fatal(err)
	}
	return settle(w, d, a, found)
}

// What somebody wrote into a history has no more regressions than the status takes.
func TestAlarmsAreBounded(t *testing.T) {
	h := nights("ss", 70, 70)
	for i := range h.Runs {
		for n := range 40 {
			s := h.Runs[i].Series[0]
			s.Target = strings.Repeat("t", 200) + fmt.Sprint(n)
			h.Runs[i].Series = append(h.Runs[i].Series, s)
		}
	}
	w := World{Schedule: &v1alpha1.BenchmarkSchedule{}}
	w.Schedule.Spec.Alarm = &v1alpha1.Alarm{}
	st := settled(t, w, decision{}, h)
	if len(st.Regressions) != maxRegressions || len(apimeta.FindStatusCondition(st.Conditions, v1alpha1.ConditionRegressed).Message) > maxMessage {
		t.Errorf("%d regressions", len(st.Regressions))
	}
}

// The same history is not searched in each pass: one that is long takes seconds.
func TestTheSameHistoryIsNotLookedAtAgain(t *testing.T) {
	s := &v1alpha1.BenchmarkSchedule{Spec: v1alpha1.BenchmarkScheduleSpec{Alarm: &v1alpha1.Alarm{}}}
	h := nights("ppss", 100, 100, 80, 80)
	w := World{Schedule: s, History: h}
	s.Status = settled(t, w, decision{invalid: "x"}, h)
	if len(s.Status.Regressions) != 1 {
		t.Fatalf("%+v", s.Status.Regressions)
	}
	s.Status.Regressions[0].Text = "kept"
	text := func() string {
		st := settled(t, w, decision{invalid: "x"}, h)
		if len(st.Regressions) == 0 {
			return ""
		}
		return st.Regressions[0].Text
	}
	if got := text(); got != "kept" {
		t.Errorf("the same history: %s", got)
	}
	s.Generation++
	if got := text(); got == "kept" {
		t.Error("another spec, and nothing was looked at")
	}
	s.Generation--
	w.HistoryError = "rubbish"
	s.Status = settled(t, w, decision{invalid: "x"}, contract.History{})
	w.HistoryError = ""
	if got := text(); got != "kept" {
		t.Errorf("the same history, which can be read again: %s", got)
	}
	h = nights("ppssp", 100, 100, 80, 80, 100)
	if got := text(); got != "" {
		t.Errorf("another run: %s", got)
	}
}
