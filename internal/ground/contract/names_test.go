package contract

import (
	"strings"
	"testing"
)

func TestChildName(t *testing.T) {
	long := strings.Repeat("r", 63)
	tests := map[string]struct {
		got, want string
	}{
		"a short name stays readable":            {TargetName("run", "db"), "run-db-db"},
		"a trial has its index":                  {TrialName("run", 7, 0), "run-trial-00007"},
		"a second attempt has its number":        {TrialName("run", 7, 1), "run-trial-00007-r1"},
		"a result is named after its Job":        {ResultName(TrialName("run", 7, 0), 0), "run-trial-00007-result-0"},
		"a load after the nodes were given back": {ReloadName("run", "db", 2), "run-db-load-r2"},
		"the first load":                         {ReloadName("run", "db", 0), "run-db-load"},
		"clients that look at data first":        {StandingLookName("run", "db", 0), "run-db-clients"},
		"the load of a target of a like name":    {LoadName("run", "clients-db"), "run-clients-db-load"},
		"the same after the nodes were given":    {StandingLookName("run", "db", 2), "run-db-clients-r2"},
		"a load is no target of that name":       {LoadName("run", "db"), "run-db-load"},
		"a long name is cut and marked":          {ClientName(long), strings.Repeat("r", 30) + "-c6661ef6-assay-client"},
		"a clean-up is named after its target":   {CleanupName("run", "db"), "run-db-cleanup"},
		"a request is named after its target":    {RequestName("run", "db"), "run-place-db"},
		"that of the clients after nobody":       {RequestName("run", ""), "run-place"},
		"the longest name leaves room for a pod": {TargetName(long, strings.Repeat("t", 20)), ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if tt.want != "" && tt.got != tt.want {
				t.Errorf("got %s, want %s", tt.got, tt.want)
			}
			if len(tt.got) > maxChildName && !strings.Contains(tt.got, "-result-") {
				t.Errorf("%s has %d characters, over %d", tt.got, len(tt.got), maxChildName)
			}
		})
	}
}

func TestCutNamesDiffer(t *testing.T) {
	a, b := strings.Repeat("r", 62)+"a", strings.Repeat("r", 62)+"b"
	if TargetName(a, "db") == TargetName(b, "db") {
		t.Error("two runs share a child")
	}
}

// The name of a run as kubectl prints it is a name, and the path of a bundle stays one.
func TestRunName(t *testing.T) {
	for text, want := range map[string]string{
		"demo": "demo", "benchmarkrun.assay.dev/demo": "demo", "bmr/demo": "demo", "benchmarkruns/demo": "demo",
		"bmr/demo.assay.tar": "bmr/demo.assay.tar", "./demo": "./demo", "bmr/a/b": "bmr/a/b", "pod/demo": "pod/demo",
	} {
		if got := RunName(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
