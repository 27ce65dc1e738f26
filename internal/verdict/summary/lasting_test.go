package summary

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/validity"
)

// outsideBy is a disturbance that these checks found.
func outsideBy(checks ...string) change {
	return func(r *contract.Record) {
		r.Disturbed = true
		for _, check := range checks {
			r.Findings = append(r.Findings, contract.RecordedFinding{Check: check, Severity: string(validity.Disturbed)})
		}
	}
}

// resizedTo is a disturbance by a container that was resized to so many CPUs since the data was loaded.
func resizedTo(cpus string) change {
	return func(r *contract.Record) {
		outsideBy("resized")(r)
		r.Findings[len(r.Findings)-1].Message = "the target was resized since the data was loaded: 2 CPUs became " + cpus
	}
}

// Five blocks of two targets: the trials of block b are 2b and 2b+1.
func TestInterferenceThatLasts(t *testing.T) {
	tests := map[string]struct {
		changes map[int]change
		// last is how many records there are; 0 for all.
		last int
		want string
		// shown are the reasons by trial, one word each; "." for a trial that is shown.
		shown string
	}{
		"nothing was disturbed":                            {want: "", shown: ". . . . . . . . . ."},
		"two of five blocks":                               {map[int]change{0: outsideBy("neighbours"), 3: outsideBy("neighbours")}, 0, "", "Disturbed BlockDisturbed BlockDisturbed Disturbed . . . . . ."},
		"three of five blocks":                             {map[int]change{0: outsideBy("neighbours"), 3: outsideBy("neighbours"), 4: outsideBy("neighbours")}, 0, "neighbours", ". . . . . . . . . ."},
		"one target of every block":                        {map[int]change{0: outsideBy("steal"), 2: outsideBy("steal"), 4: outsideBy("steal"), 6: outsideBy("steal"), 8: outsideBy("steal")}, 0, "steal", ". . . . . . . . . ."},
		"three trials of two blocks":                       {map[int]change{0: outsideBy("steal"), 1: outsideBy("steal"), 2: outsideBy("steal")}, 0, "", "Disturbed Disturbed Disturbed BlockDisturbed . . . . . ."},
		"a server that was resized before the first trial": {map[int]change{0: resizedTo("4"), 2: resizedTo("4"), 4: resizedTo("4"), 6: resizedTo("4"), 8: resizedTo("4")}, 0, "resized", ". . . . . . . . . ."},
		"a server that was resized before the third block": {map[int]change{4: resizedTo("4"), 6: resizedTo("4"), 8: resizedTo("4")}, 0, "", ". . . . Disturbed BlockDisturbed Disturbed BlockDisturbed Disturbed BlockDisturbed"},
		"a server that was resized twice": {map[int]change{0: resizedTo("4"), 2: resizedTo("4"), 4: resizedTo("4"), 6: resizedTo("4"), 8: resizedTo("8")}, 0, "",
			"Disturbed BlockDisturbed Disturbed BlockDisturbed Disturbed BlockDisturbed Disturbed BlockDisturbed Disturbed BlockDisturbed"},
		"one server after the other, in all blocks": {map[int]change{0: resizedTo("4"), 2: resizedTo("4"), 5: resizedTo("4"), 7: resizedTo("4"), 9: resizedTo("4")}, 0, "",
			"Disturbed BlockDisturbed Disturbed BlockDisturbed BlockDisturbed Disturbed BlockDisturbed Disturbed BlockDisturbed Disturbed"},
		"different checks, none often":  {map[int]change{0: outsideBy("steal"), 2: outsideBy("neighbours"), 4: outsideBy("node-memory-pressure")}, 0, "", "Disturbed BlockDisturbed Disturbed BlockDisturbed Disturbed BlockDisturbed . . . ."},
		"a step beside what lasts":      {map[int]change{0: outsideBy("steal"), 2: outsideBy("steal", "clock-step"), 4: outsideBy("steal")}, 0, "steal", ". . Disturbed BlockDisturbed . . . . . ."},
		"restarts in most blocks":       {map[int]change{0: outsideBy("target-restarted"), 2: outsideBy("target-restarted"), 4: outsideBy("target-restarted")}, 0, "", "Disturbed BlockDisturbed Disturbed BlockDisturbed Disturbed BlockDisturbed . . . ."},
		"a disturbance without a check": {map[int]change{0: outsideBy(), 2: outsideBy(), 4: outsideBy()}, 0, "", "Disturbed BlockDisturbed Disturbed BlockDisturbed Disturbed BlockDisturbed . . . ."},
		"of what was measured so far":   {map[int]change{0: outsideBy("steal"), 2: outsideBy("steal")}, 6, "steal", ". . . . . . NotRun NotRun NotRun NotRun"},
		"failed and invalid trials are no blocks": {map[int]change{0: outsideBy("steal"), 2: outsideBy("steal"), 4: hasFailed, 5: hasFailed, 6: isInvalid, 7: func(r *contract.Record) {
			isInvalid(r)
			outsideBy("steal")(r)
		}}, 0, "steal", ". . . . Failed Failed Invalid Invalid . ."},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			p := planOf(5, 1, "a", "b")
			records := recordsOf(p, tc.changes)
			if tc.last > 0 {
				records = records[:tc.last]
			}
			if got := strings.Join(Lasting(p, records), " "); got != tc.want {
				t.Errorf("%q lasts, want %q", got, tc.want)
			}
			// No value decides.
			for i := range records {
				for k := range records[i].Values {
					records[i].Values[k].Value = float64(1000 - i)
				}
			}
			var shown []string
			for _, why := range LeftOutShown(p, records) {
				if shown = append(shown, string(why)); why == "" {
					shown[len(shown)-1] = "."
				}
			}
			if diff := cmp.Diff(tc.shown, strings.Join(shown, " ")); diff != "" {
				t.Errorf("left out (-want +got):\n%s", diff)
			}
			for i, why := range LeftOut(p, records) { // what decides is without any of them
				if rec := LastRecords(records)[int32(i)]; rec != nil && rec.State == contract.Succeeded && rec.Disturbed && why == "" {
					t.Errorf("trial %d was disturbed, and may decide", i)
				}
			}
		})
	}
}

// Every median with disturbed trials behind it says so, and what it is the number of.
func TestMediansOfADisturbedRun(t *testing.T) {
	tests := map[string]struct {
		changes map[int]change
		trials  int32
		want    string
	}{
		"work of neighbours": {map[int]change{0: outsideBy("neighbours"), 2: outsideBy("neighbours", "steal")}, 2,
			"1 of 2 trials were disturbed (neighbours), as most of the run was: the number is that of a server beside other work"},
		"another size": {map[int]change{0: resizedTo("4"), 1: resizedTo("4"), 2: resizedTo("4")}, 3,
			"3 of 3 trials were disturbed (resized), as most of the run was: the number is that of containers of another size than when the data was loaded"},
		"both": {map[int]change{0: func(r *contract.Record) { resizedTo("4")(r); outsideBy("steal")(r) }, 1: resizedTo("4"), 2: func(r *contract.Record) { resizedTo("4")(r); outsideBy("steal")(r) }}, 3,
			"3 of 3 trials were disturbed (resized, steal), as most of the run was: the number is that of a server beside other work, and of containers of another size than when the data was loaded"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			p := planOf(3, 1, "a")
			got, _ := Of(Input{Plan: p, Names: names, Records: recordsOf(p, tc.changes)})
			if len(got) != 1 || got[0].TrialCount != tc.trials || got[0].Caveat != tc.want {
				t.Errorf("entries %+v, want %q", got, tc.want)
			}
		})
	}
}
