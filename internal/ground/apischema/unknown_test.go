package apischema

import (
	"encoding/json"
	"strings"
	"testing"
)

// An unknown field is named with the one that was meant, where one is near.
func TestUnknownFieldsSuggest(t *testing.T) {
	spec, err := ForSpec()
	if err != nil {
		t.Fatal(err)
	}
	for what, tt := range map[string]struct{ spec, want string }{
		"a misspelt field":              {`{"desing":{}}`, "spec: unknown field: desing (did you mean design?)"},
		"one inside of an object":       {`{"design":{"block":3}}`, "spec: unknown field: design.block (did you mean blocks?)"},
		"one of a part of a list":       {`{"targets":[{"name":"a"},{"name":"b","mysql":{"verion":"9.7"}}]}`, "spec: unknown field: targets[1].mysql.verion (did you mean version?)"},
		"a field in another place":      {`{"blocks":3}`, "spec: unknown field: blocks (did you mean spec.design.blocks?)"},
		"one of a list in its place":    {`{"storage":{}}`, "spec: unknown field: storage (did you mean spec.targets[].mysql.storage?)"},
		"a name that several have":      {`{"threads":3}`, "spec: unknown field: threads"},
		"nothing like it":               {`{"zzz":3}`, "spec: unknown field: zzz"},
		"below a field that is unknown": {`{"foo":{"bar":3}}`, "spec: unknown field: foo"},
		"two":                           {`{"workloads":{},"desing":{}}`, "spec: unknown field: desing (did you mean design?), workloads (did you mean workload?)"},
		"one that was removed":          {`{"design":{"maxThrottledPercent":5}}`, "spec: unknown field: design.maxThrottledPercent (it was removed: leave it out. No trial is left out for throttling any more. One whose server or client reached its CPU limit counts, and status.trials[].limitedBy says so)"},
	} {
		if _, err := spec.Complete(json.RawMessage(tt.spec)); err == nil || err.Error() != tt.want {
			t.Errorf("%s: %v, want %q", what, err, tt.want)
		}
	}
	for path, want := range map[string]string{
		"design.block":               "did you mean blocks? It has blocks, clientPods, cooldown",
		"design.maxThrottledPercent": "it was removed",
		"design.zzz":                 `spec.design has no field "zzz": it has blocks`,
	} {
		if _, err := FieldOf(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}
