package integrity

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// What is in the object store is compared with what the result of its client says.
func TestObjects(t *testing.T) {
	const key = "trial-00003-attempt-0/client-1/"
	archive, whole := contract.Digest([]byte("archive")), contract.Digest([]byte("whole"))
	good := map[string]string{key + archive + "-raw.tar.gz": archive, key + whole + "-result.json.gz": whole}
	ref := contract.TrialRef{RunUID: "1", Phase: string(contract.PhaseRun), Index: new(3), Target: "db", Client: 1}
	load := contract.TrialRef{RunUID: "1", Phase: string(contract.PhasePrepare), Target: "db"}
	inStore := contract.Result{Version: contract.ResultVersion, State: contract.Succeeded, Trial: ref, RawSHA256: archive,
		Whole: &contract.Object{Name: contract.KeyResult, SHA256: whole, Bytes: 5}}
	loaded := contract.Result{Version: contract.ResultVersion, State: contract.Succeeded, Trial: load, RawSHA256: archive}
	inMap := inStore
	inMap.Whole, inMap.RawSHA256 = nil, contract.Digest(nil)
	lostBy := func(client int32) contract.Record {
		return contract.Record{State: contract.Succeeded, Findings: []contract.RecordedFinding{{Client: new(client), Check: checkArchive}}}
	}
	ofLoad := []v1alpha1.Finding{{Client: new(int32(0)), Check: checkArchive, Target: "db"}}
	ofTrial := []v1alpha1.Finding{{Trial: new(int32(2)), Client: new(int32(0)), Check: checkArchive, Target: "db"}}
	tests := map[string]struct {
		res            contract.Result
		rec            contract.Record
		status         []v1alpha1.Finding
		there          map[string]string
		objects, gone  int
		tampered, lost int
	}{
		"both are there":                                   {res: inStore, there: good, objects: 2},
		"all is in the ConfigMap":                          {res: inMap},
		"the archive is another one":                       {res: inStore, there: map[string]string{key + archive + "-raw.tar.gz": whole, key + whole + "-result.json.gz": whole}, objects: 2, tampered: 1},
		"none is there":                                    {res: inStore, rec: contract.Record{State: contract.Succeeded}, objects: 2, lost: 2},
		"none is there, and the record says so":            {res: inStore, rec: lostBy(1), gone: 2},
		"none is there, and the record says so of another": {res: inStore, rec: lostBy(0), objects: 2, lost: 2},
		"none is there of an attempt that failed":          {res: inStore, rec: contract.Record{State: contract.Failed}, gone: 2},
		"lost, and there after all, but changed":           {res: inStore, rec: lostBy(1), there: map[string]string{key + archive + "-raw.tar.gz": whole}, objects: 1, gone: 1, tampered: 1},
		"a load lost its archive":                          {res: loaded, status: ofLoad, gone: 1},
		"a load lost its archive, and nobody says so":      {res: loaded, rec: lostBy(0), objects: 1, lost: 1},
		"a load lost its archive, and a trial says so":     {res: loaded, status: ofTrial, objects: 1, lost: 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			encoded, err := contract.Encode(tt.res)
			if err != nil {
				t.Fatal(err)
			}
			run := &v1alpha1.BenchmarkRun{Status: v1alpha1.BenchmarkRunStatus{Findings: tt.status}}
			c := comparison{run: run, scope: Scope{Object: func(key string) (string, error) { return tt.there[key], nil }}}
			if err := c.objects(tt.rec, &corev1.ConfigMap{BinaryData: map[string][]byte{contract.KeyResult: encoded}}); err != nil {
				t.Fatal(err)
			}
			got := map[Kind]int{}
			for _, f := range c.report.Findings {
				got[f.Kind]++
			}
			want := map[Kind]int{}
			if tt.tampered > 0 {
				want[Tampered] = tt.tampered
			}
			if tt.lost > 0 {
				want[Lost] = tt.lost
			}
			if diff := cmp.Diff(want, got); diff != "" || c.report.Objects != tt.objects || c.report.Absent != tt.gone {
				t.Errorf("%d objects, %d absent, want %d and %d; findings (-want +got):\n%s", c.report.Objects, c.report.Absent, tt.objects, tt.gone, diff)
			}
		})
	}
}
