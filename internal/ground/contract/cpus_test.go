package contract

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCPUList(t *testing.T) {
	tests := map[string]struct {
		text string
		want []int
	}{
		"one":                      {"3", []int{3}},
		"ranges":                   {"0-2,8,10-11", []int{0, 1, 2, 8, 10, 11}},
		"nothing":                  {"", nil},
		"words":                    {"all", nil},
		"a range that goes back":   {"3-1", nil},
		"a CPU twice":              {"0-2,2", nil},
		"descending":               {"4,1", nil},
		"negative":                 {"-1", nil},
		"more than there can be":   {"0-4294967295", nil},
		"the same range for ever":  {strings.Repeat("0-65535,", 2000) + "0", nil},
		"an end that has no begin": {"0,", nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := CPUList(tc.text)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("CPUs (-want +got):\n%s", diff)
			}
			if again := FormatCPUs(got); tc.want != nil && again != tc.text {
				t.Errorf("written again: %q, want %q", again, tc.text)
			}
		})
	}
}

// What is read can be written and read again.
func FuzzCPUList(f *testing.F) {
	f.Add("0-3,8")
	f.Add("0")
	f.Fuzz(func(t *testing.T, text string) {
		cpus := CPUList(text)
		if len(cpus) > mostCPUs {
			t.Fatalf("%d CPUs", len(cpus))
		}
		if diff := cmp.Diff(cpus, CPUList(FormatCPUs(cpus))); diff != "" {
			t.Errorf("(-read +read again):\n%s", diff)
		}
	})
}

func TestMostCPUs(t *testing.T) {
	tests := map[string]struct {
		limits Limits
		want   string
	}{
		"no limit":                {Limits{}, "none"},
		"a quota":                 {Limits{CPUs: new(1.5)}, "1.5"},
		"a part of the machine":   {Limits{CPUSet: "0-1"}, "2"},
		"a quota within the part": {Limits{CPUs: new(1.5), CPUSet: "0-1"}, "1.5"},
		"a quota beyond the part": {Limits{CPUs: new(3.0), CPUSet: "0-1"}, "2"},
		"a set that is none":      {Limits{CPUs: new(3.0), CPUSet: "x"}, "3"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := "none"
			if most := tc.limits.MostCPUs(); most != nil {
				got = fmt.Sprint(*most)
			}
			if got != tc.want {
				t.Errorf("%s, want %s", got, tc.want)
			}
		})
	}
}
