package validity

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/trial/merge"
)

// unsure says how far the times of a skew are known.
func unsure(s merge.Skew, seconds float64) merge.Skew {
	s.SpreadUncertaintySeconds, s.OverlapUncertainty = &seconds, &seconds
	return s
}

func TestCheckClients(t *testing.T) {
	skew := func(spread, overlap float64) merge.Skew {
		return merge.Skew{Clients: []merge.ClientSkew{{Client: 0}, {Client: 1}}, SpreadSeconds: &spread, Overlap: &overlap}
	}
	tests := map[string]struct {
		skew merge.Skew
		want []Finding
	}{
		"one client":                     {merge.Skew{Clients: []merge.ClientSkew{{Client: 0}}}, nil},
		"clients that measured together": {skew(1, 0.95), nil},
		"a client that began late":       {skew(1.001, 0.99), []Finding{{"clients-skew", Warning, "the last of 2 clients began to measure 1.001 s after the first"}}},
		"clients that hardly measured together": {skew(0.5, 0.949), []Finding{{"clients-overlap", Warning,
			"all 2 clients measured in only 94.9 % of the longest window (at least 95 % expected, by the tools' clocks): the load was lower in the rest of the time"}}},
		"clients whose clocks do not prove it": {unsure(skew(1.001, 0.949), 0.002), nil},
		"a skew beyond what clocks explain": {unsure(skew(1.5, 0.99), 0.002), []Finding{{"clients-skew", Warning,
			"the last of 2 clients began to measure 1.500 s after the first (give or take 0.0020 s)"}}},
		"clocks that nobody compared": {merge.Skew{Clients: make([]merge.ClientSkew, 2), ClocksUnknown: true}, []Finding{{"clients-clocks", Warning,
			"the offsets between the clocks of the 2 clients are unknown, so it is unknown whether they measured at the same time: " +
				"use a target with an agent or with the MySQL protocol, which has a reference clock"}}},
		"clients that never measured together": {skew(0.5, 0), []Finding{{"clients-overlap", Invalid,
			"the measured windows of the 2 clients have no common time: they did not work at once, and their rates cannot be added up"}}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, CheckClients(tc.skew)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestClockOffsetIsANoteOrAWarning(t *testing.T) {
	for seconds, want := range map[float64]Severity{0.05: Note, -0.05: Note, 0.15: Warning, -3600: Warning} {
		r, f := run(t), expected
		clockBeside(seconds, 0.0002)(&r, &f)
		if got := Check(r, f); len(got) != 1 || got[0].Severity != want {
			t.Errorf("%g s: got %+v, want one finding that is a %s", seconds, got, want)
		}
	}
}
