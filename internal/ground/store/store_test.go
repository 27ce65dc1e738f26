package store

import (
	"strings"
	"testing"

	"github.com/assay-bench/assay/internal/ground/contract"
)

func TestKeys(t *testing.T) {
	l := Layout{Prefix: "assay/prod", Cluster: "eu-1", Namespace: "team", Run: "sweep"}
	digest := strings.Repeat("ab", 32)
	object := contract.Object{Name: contract.KeyRaw, SHA256: digest, Bytes: 5}
	trial := contract.TrialRef{RunUID: "u-1", Phase: string(contract.PhaseRun), Index: new(7), Target: "db", Client: 2}
	retry := trial
	retry.Attempt = 1
	for name, tt := range map[string]struct {
		layout Layout
		ref    contract.TrialRef
		want   string
	}{
		"a trial":                    {l, trial, "assay/prod/eu-1/team/sweep/u-1/trial-00007-attempt-0/client-2/" + digest + "-raw.tar.gz"},
		"another attempt":            {l, retry, "assay/prod/eu-1/team/sweep/u-1/trial-00007-attempt-1/client-2/" + digest + "-raw.tar.gz"},
		"loading, without a prefix":  {Layout{Cluster: "c", Namespace: "n", Run: "r"}, contract.TrialRef{RunUID: "u", Phase: string(contract.PhasePrepare), Target: "db"}, "c/n/r/u/load-db/client-0/" + digest + "-raw.tar.gz"},
		"cleaning up another target": {Layout{Cluster: "c", Namespace: "n", Run: "r"}, contract.TrialRef{RunUID: "u", Phase: string(contract.PhaseCleanup), Target: "x"}, "c/n/r/u/cleanup-x/client-0/" + digest + "-raw.tar.gz"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tt.layout.Key(tt.ref, object); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if !strings.HasPrefix(tt.want, tt.layout.Folder(tt.ref.RunUID)) {
				t.Errorf("%s is not in the folder of its run, %s", tt.want, tt.layout.Folder(tt.ref.RunUID))
			}
		})
	}
}

func TestComplaint(t *testing.T) {
	for body, want := range map[string]string{
		"<Error><Code>BadDigest</Code><Message>no</Message></Error>": "BadDigest: no", "plain": "plain", "": "",
		strings.Repeat("x", 400): strings.Repeat("x", 300) + "...",
	} {
		if got := Complaint(strings.NewReader(body)); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Runs that make one data set at the same time write to folders of their own: the first manifest decides whose parts are its archive.
func TestPartsOfTwoRunsWithOneKey(t *testing.T) {
	l, ref := Layout{Prefix: "assay", Cluster: "prod", Namespace: "team-a", Run: "r"}, contract.DataSetRef{Name: "sbtest", Key: "k"}
	if a, b := l.DataKey(ref), (Layout{Prefix: "assay", Cluster: "prod", Namespace: "team-a", Run: "other"}).DataKey(ref); a != b || a != "assay/prod/team-a/_data/sbtest/k/manifest.json" {
		t.Errorf("manifests at %s and %s", a, b)
	}
	seen := map[string]bool{}
	for _, uid := range []string{"u1", "u2"} {
		for _, target := range []string{"a", "b"} {
			seen[l.DataPartKey(ref, uid, target, 0)] = true
		}
	}
	if len(seen) != 4 || !seen["assay/prod/team-a/_data/sbtest/k/u1-a/part-000"] {
		t.Errorf("the parts are at %v", seen)
	}
}
