package trial

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/store"
)

// What the object store says of a client's objects, at a time after the client has ended.
func TestInStore(t *testing.T) {
	ended := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	digest := strings.Repeat("0f", 32)
	objects := []contract.Object{{Name: contract.KeyResult, SHA256: digest, Bytes: 9}, {Name: contract.KeyRaw, SHA256: digest, Bytes: 5}}
	ref := contract.TrialRef{RunUID: "u", Phase: string(contract.PhaseRun), Index: new(3), Target: "db"}
	numbers := contract.Result{Trial: ref, State: contract.Succeeded, RawSHA256: digest, Whole: &objects[0]}
	whole := contract.Result{Trial: ref, State: contract.Succeeded, RawSHA256: digest, Problems: []contract.Problem{{Text: "whole"}}}
	other := whole
	other.Trial.Target = "another"
	there, away := decision.StoredItem{State: store.Present}, decision.StoredItem{State: store.Unreachable, Problem: "connection refused"}
	tests := map[string]struct {
		notUploaded string
		after       time.Duration
		unset       bool
		result, raw decision.StoredItem
		waits       bool
		whole       bool
		// lost is in the findings, each once.
		lost []string
	}{
		"both are there":                               {result: decision.StoredItem{State: store.Present, Result: &whole}, raw: there, whole: true},
		"the store is away for a moment":               {after: time.Minute, result: away, raw: away, waits: true},
		"the store came back for the numbers":          {after: time.Minute, result: decision.StoredItem{State: store.Present, Result: &whole}, raw: away, waits: true, whole: true},
		"the store stays away":                         {after: 11 * time.Minute, result: away, raw: away, lost: []string{"result.json.gz: connection refused", "raw.tar.gz: connection refused"}},
		"the archive is not there":                     {result: decision.StoredItem{State: store.Present, Result: &whole}, raw: decision.StoredItem{State: store.Absent, Problem: "no such object"}, whole: true, lost: []string{"raw.tar.gz: no such object"}},
		"the archive is another one":                   {result: decision.StoredItem{State: store.Present, Result: &whole}, raw: decision.StoredItem{State: store.Different, Problem: "SHA-256"}, whole: true, lost: []string{"raw.tar.gz: SHA-256"}},
		"the result cannot be read":                    {result: decision.StoredItem{State: store.Present, Problem: "unknown field"}, raw: there, lost: []string{"unknown field"}},
		"the result is of another trial":               {result: decision.StoredItem{State: store.Present, Result: &other}, raw: there, lost: []string{"of another trial"}},
		"the client could not upload":                  {notUploaded: "403 Forbidden", lost: []string{"403 Forbidden"}},
		"the store was taken out of the configuration": {unset: true, lost: []string{"no object store any more"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			in := Input{
				Run: &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "run", UID: "u"}}, Now: ended.Add(tt.after),
				Config: config.Default(),
			}
			if !tt.unset {
				in.Results.Store.Endpoint = "https://s3.example.com"
			}
			end := End{Results: []contract.Result{numbers}, last: ended, uploads: []upload{{ref: ref, objects: objects, notUploaded: tt.notUploaded}}}
			items := in.items(ref, objects)
			known := decision.Known{}.With(decision.GetItem{Item: items[0], Read: true}, tt.result).With(decision.GetItem{Item: items[1]}, tt.raw)
			ask := known.Ask()
			got, wait := inStore(in, Execution{Name: "run-trial-00003"}, end, ask)
			if !ask.Complete() {
				t.Fatalf("asks for %+v", ask.Missing())
			}
			if (wait != nil) != tt.waits {
				t.Errorf("waits: %v", wait)
			}
			if !tt.waits && (len(got.Results[0].Problems) > 0) != tt.whole {
				t.Errorf("result %+v", got.Results[0])
			}
			if len(got.Lost) != len(tt.lost) {
				t.Fatalf("findings %+v, want %q", got.Lost, tt.lost)
			}
			for i, want := range tt.lost {
				if f := got.Lost[i]; !strings.Contains(f.Message, want) || f.Severity != "Warning" || f.Check != "archive-lost" {
					t.Errorf("finding %+v, want %q", f, want)
				}
			}
			if len(end.Results[0].Problems) > 0 || len(end.Lost) > 0 {
				t.Error("the input was changed")
			}
		})
	}
}

// Objects that the result does not name are not looked for.
func TestCheckUploads(t *testing.T) {
	a, b := strings.Repeat("0a", 32), strings.Repeat("0b", 32)
	raw, whole := contract.Object{Name: contract.KeyRaw, SHA256: a, Bytes: 1}, contract.Object{Name: contract.KeyResult, SHA256: b, Bytes: 1}
	for name, tt := range map[string]struct {
		uploads []contract.Object
		res     contract.Result
		wrong   bool
	}{
		"nothing":                              {},
		"the raw output":                       {uploads: []contract.Object{raw}, res: contract.Result{RawSHA256: a}},
		"both":                                 {uploads: []contract.Object{whole, raw}, res: contract.Result{RawSHA256: a, Whole: &whole}},
		"another raw output":                   {uploads: []contract.Object{raw}, res: contract.Result{RawSHA256: b}, wrong: true},
		"another whole result":                 {uploads: []contract.Object{whole, raw}, res: contract.Result{RawSHA256: a, Whole: &raw}, wrong: true},
		"a whole result that nobody names":     {uploads: []contract.Object{whole, raw}, res: contract.Result{RawSHA256: a}, wrong: true},
		"a whole result that is not announced": {uploads: []contract.Object{raw}, res: contract.Result{RawSHA256: a, Whole: &whole}, wrong: true},
		"no raw output":                        {uploads: []contract.Object{whole}, res: contract.Result{RawSHA256: a, Whole: &whole}, wrong: true},
	} {
		t.Run(name, func(t *testing.T) {
			if err := checkUploads(tt.uploads, tt.res); (err != nil) != tt.wrong {
				t.Errorf("got %v", err)
			}
		})
	}
}
