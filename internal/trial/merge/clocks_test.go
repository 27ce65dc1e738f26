package merge

import (
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// onNode is a client on a machine of its own, whose clock is behind the reference by some
// seconds; it begins so late by the reference. Without an uncertainty nobody measured it.
func onNode(client int, boot string, behind, uncertainty, late float64) contract.Result {
	r := clientResult(client, late-behind, func(r *contract.Result) {
		lasting(10, nil)(r)
		r.Client.Machine.BootID = boot
		*r.Times.Planned = noon.Add(time.Duration(-behind * float64(time.Second)))
		if uncertainty > 0 {
			r.Client.Clock = &contract.ClockOffset{
				Reference: contract.ReferenceAgent, OffsetSeconds: behind, UncertaintySeconds: uncertainty, Exchanges: 8, At: *r.Times.MeasureStarted,
			}
		}
	})
	// As of a tool that tells its window itself.
	from, to, _ := contract.MeasuredWindow(r)
	r.Times.WindowStarted, r.Times.WindowEnded, r.Times.MeasureEnded = &from, &to, new(to.Add(time.Millisecond))
	return r
}

func TestSkewBetweenClocks(t *testing.T) {
	other := onNode(1, "b", 0.3, 0.001, 0.010)
	other.Client.Clock.Reference = contract.ReferenceServer
	earlier := onNode(1, "b", 0.3, 0.001, 0.010)
	earlier.Client.Clock.At = noon.Add(-100 * time.Second)
	none := math.NaN()
	tests := map[string]struct {
		results                      []contract.Result
		spread, uncertainty, overlap float64
	}{
		"offsets are taken out": {
			[]contract.Result{onNode(0, "a", 0, 0.001, 0), onNode(1, "b", 0.3, 0.002, 0.010)}, 0.010, 0.003, 0.999},
		"starts that look together are not": {
			[]contract.Result{onNode(0, "a", 0, 0.001, 0), onNode(1, "b", 5, 0.001, 5)}, 5, 0.002, 0.5},
		"the two clocks that are known least": {
			[]contract.Result{onNode(0, "a", 0, 0.001, 0), onNode(1, "b", 0.3, 0.004, 0.010), onNode(2, "c", -0.2, 0.002, 0.020)}, 0.020, 0.006, 0.998},
		"one boot has one clock": {
			[]contract.Result{onNode(0, "a", 0.3, 0.001, 0), onNode(1, "a", 0.3, 0.004, 0.010)}, 0.010, 0, 0.999},
		"one boot has one clock, measured or not": {
			[]contract.Result{onNode(0, "a", 0.3, 0, 0), onNode(1, "a", 0.3, 0, 0.010)}, 0.010, 0, 0.999},
		"what one client measured counts for all of its boot": {
			[]contract.Result{onNode(0, "a", 0, 0.001, 0), onNode(1, "b", 0.3, 0, 0.010), onNode(2, "b", 0.3, 0.002, 0.010)}, 0.010, 0.003, 0.999},
		"clocks drift between the exchange and the start": {
			[]contract.Result{onNode(0, "a", 0, 0.001, 0), earlier}, 0.010, 0.002 + 15e-6*99.71, 0.999},
		"clocks that nobody compared": {
			[]contract.Result{onNode(0, "a", 0, 0, 0), onNode(1, "b", 0.3, 0, 0.010)}, none, none, none},
		"a clock that nobody compared": {
			[]contract.Result{onNode(0, "a", 0, 0.001, 0), onNode(1, "b", 0.3, 0, 0.010)}, none, none, none},
		"machines that nobody knows": {
			[]contract.Result{onNode(0, "", 0, 0, 0), onNode(1, "", 0, 0, 0.010)}, none, none, none},
		"clocks that were compared with different ones": {
			[]contract.Result{onNode(0, "a", 0, 0.001, 0), other}, none, none, none},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			merged, got := merge(t, tc.results...)
			for field, pair := range map[string]struct {
				got  *float64
				want float64
			}{
				"spread": {got.SpreadSeconds, tc.spread}, "its uncertainty": {got.SpreadUncertaintySeconds, tc.uncertainty}, "overlap": {got.Overlap, tc.overlap},
			} {
				if (pair.got == nil) != math.IsNaN(pair.want) || pair.got != nil && math.Abs(*pair.got-pair.want) > 1e-5 {
					t.Errorf("%s: got %v, want %g", field, value(pair.got), pair.want)
				}
			}
			if got.ClocksUnknown != math.IsNaN(tc.spread) {
				t.Errorf("clocks unknown: %v", got.ClocksUnknown)
			}
			for i, c := range got.Clients {
				began, _, _ := contract.MeasuredWindow(tc.results[i])
				late := began.Sub(*tc.results[i].Times.Planned).Seconds()
				if c.Seconds == nil || math.Abs(*c.Seconds-late) > 1e-6 {
					t.Errorf("client %d began %v s late, want %g by its own clock", i, value(c.Seconds), late)
				}
			}
			if !got.ClocksUnknown && !merged.Times.MeasureStarted.Equal(*tc.results[0].Times.MeasureStarted) {
				t.Errorf("the first start is %s, want %s, on the clock of the first client", merged.Times.MeasureStarted, tc.results[0].Times.MeasureStarted)
			}
		})
	}
}

// Every instant of a client's own clock moves; only the published start is of another one.
func TestAlignMovesEveryInstant(t *testing.T) {
	r := contract.Result{}
	times := reflect.ValueOf(&r.Times).Elem()
	for i := range times.NumField() {
		times.Field(i).Set(reflect.ValueOf(&noon))
	}
	moved := clocks{known: true, shifts: []time.Duration{time.Second}}.align([]contract.Result{r})[0]
	for i := range times.NumField() {
		name, at := times.Type().Field(i).Name, reflect.ValueOf(moved.Times).Field(i).Interface().(*time.Time)
		if got := at.Sub(noon); (got == time.Second) != (name != "Start") {
			t.Errorf("%s moved by %s", name, got)
		}
	}
}

func value(v *float64) any {
	if v == nil {
		return nil
	}
	return *v
}

// Rates of clients whose clocks nobody compared are those of their whole windows, however far
// apart the clocks are.
func TestRatesBetweenClocksThatNobodyKnows(t *testing.T) {
	for name, late := range map[string]float64{"clocks that seem to agree": 0, "clocks that are 2 s apart": 2, "clocks that are 12 s apart": 12} {
		t.Run(name, func(t *testing.T) {
			results := []contract.Result{onNode(0, "a", 0, 0, 0), onNode(1, "b", 0, 0, late)}
			want := 0.0
			for _, r := range results {
				m, _ := r.Find(contract.NameThroughput, nil)
				want += *m.Value
			}
			merged, skew := merge(t, results...)
			m, ok := merged.Find(contract.NameThroughput, nil)
			if !ok || m.Value == nil || math.Abs(*m.Value-want) > 1e-9 || len(m.Intervals) != 0 || !skew.ClocksUnknown {
				t.Errorf("throughput %+v, want %g without a series; skew %+v", m, want, skew)
			}
		})
	}
}
