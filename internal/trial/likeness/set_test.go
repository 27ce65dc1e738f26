package likeness

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// A server does not list what is its default, and to another server the same value is none. It is recorded of both, and
// compared; where it is not recorded, it is not known to differ.
func TestADefaultOfOneSideIsNoDifference(t *testing.T) {
	side := func(name, version string, variables, nonDefault map[string]string, set ...string) Side {
		facts := FactsOf(Source{Set: set, Result: contract.Result{Server: &contract.Server{Version: version, Variables: variables, NonDefault: nonDefault}}})
		return Side{Name: name, Records: []contract.Record{{Facts: facts}}}
	}
	set := map[string]string{"max_connections": "151"}
	type words []string
	for name, tt := range map[string]struct {
		first, second Side
		differ        words
		notKnown      words
	}{
		"the same value in force": {
			side("a", "9.7.0", set, set, "max_connections"), side("b", "11.8.1-MariaDB", set, nil, "max_connections"), nil, nil,
		},
		"another value in force": {
			side("a", "9.7.0", set, set, "max_connections"), side("b", "11.8.1-MariaDB", map[string]string{"max_connections": "200"}, nil, "max_connections"),
			words{"max_connections: 151 | 200 (not known to matter)"}, nil,
		},
		"the value in force is not recorded": {
			side("a", "9.7.0", set, set), side("b", "11.8.1-MariaDB", set, nil), nil, words{"max_connections"},
		},
		"MySQL lists what was set to the default": {
			side("a", "9.7.0", set, set), side("b", "9.7.0", set, nil), nil, words{"max_connections"},
		},
		"one version of MariaDB has one default": {
			side("a", "11.8.1-MariaDB", set, nil), side("b", "11.8.1-MariaDB", set, map[string]string{"max_connections": "200"}),
			words{"max_connections: its default | 200 (not known to matter)"}, nil,
		},
		"two versions of MariaDB may have two": {
			side("a", "10.11.1-MariaDB", set, set), side("b", "11.8.1-MariaDB", set, nil), nil, words{"max_connections"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := Compare(Input{First: tt.first, Second: tt.second, Factor: OfTargets})
			var about words
			for _, d := range differences(got) {
				if d[:1] == "m" {
					about = append(about, d)
				}
			}
			if diff := cmp.Diff(tt.differ, about); diff != "" {
				t.Errorf("differences (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.notKnown, words(got.NotKnown)); diff != "" {
				t.Errorf("not known (-want +got):\n%s", diff)
			}
		})
	}
}
