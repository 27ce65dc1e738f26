package e2e

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/internal/cli/exit"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

// storeAway: the object store is away while a trial ends, in four ways, and comes back: its archives are late, and there. Then
// it stays away: the archives are lost, which every trial says, and the numbers stay.
func storeAway(t *testing.T, c *tally) {
	s := startObjectStore(t)
	// Long enough for a store that comes back, and short enough for two trials without one.
	s.use(t, "timeouts: {upload: 40s}\n")
	folder := t.TempDir()
	away := func(name string, do func()) *fault {
		return &fault{name: name, do: func(*testing.T, *fault) { do() }}
	}
	cut := func() { cutNetwork(t, s.pod(t), 20*time.Second) }
	const window = 8 * time.Second
	back := c.create(t, "back", 5, window, "")
	c.suffer(t, back, limitOfRow, []*fault{
		away("network of the store", cut),
		away("process of the store", func() { onNodeOf(t, s.pod(t).Spec.NodeName, "pkill", "-KILL", "-x", "versitygw") }),
		away("pod of the store", func() {
			s.copyTo(t, folder) // its disk goes with it
			s.scale(t, 0)
			time.Sleep(15 * time.Second)
			s.scale(t, 1)
		}),
		away("network of the store again", cut),
	}, nil)
	c.refresh(t, back)
	for _, rec := range cluster.Records(t, back) {
		if why := hasArchives(rec); why != "" {
			c.Wrong++
			t.Errorf("trial %d: %s: %+v", rec.Index, why, rec.Findings)
		}
	}
	s.copyTo(t, folder)
	verifyObjects(t, back, filepath.Join(folder, strings.TrimPrefix(back.Status.Results.Store, "s3://"+bucket+"/")), exit.OK, "verified")

	gone := c.create(t, "gone", 2, window, "")
	c.suffer(t, gone, limitOfRow, []*fault{{name: "store for good", shows: lostArchives, do: func(t *testing.T, _ *fault) { s.scale(t, 0) }}}, nil)
	c.refresh(t, gone)
	lost, after := 0, 0
	for _, rec := range cluster.Records(t, gone) {
		if why := lostArchives(rec); why == "" {
			lost++
		} else if lost > 0 {
			c.Wrong++
			t.Errorf("trial %d: %s, and the store is away: %+v", rec.Index, why, rec.Findings)
		}
		if lost > 0 {
			after++
		}
	}
	if lost == 0 {
		t.Error("no trial lost its archive: the store was not away")
	}
	c.Note = fmt.Sprintf("a store that is cut off for 20 s (twice), killed, and scaled to 0 for 15 s while a trial ends: no archive is lost, and all are verified; "+
		"one that stays away: %d of %d trials from then on have the finding archive-lost, and their numbers", lost, after)
}

// refresh reads a run that has ended.
func (c *tally) refresh(t *testing.T, run client.Object) {
	t.Helper()
	if err := cluster.API.Get(t.Context(), client.ObjectKeyFromObject(run), run); err != nil {
		t.Fatal(err)
	}
}

// hasArchives: the attempt went well, and nothing of it is lost.
func hasArchives(r contract.Record) string {
	if r.State == contract.Failed || lostArchives(r) == "" {
		return "the attempt failed, or its archives are lost"
	}
	return ""
}

// lostArchives: the attempt went well, and says that its archives are lost.
func lostArchives(r contract.Record) string {
	lost := slices.ContainsFunc(r.Findings, func(f contract.RecordedFinding) bool { return f.Check == "archive-lost" })
	if r.State == contract.Failed || !lost {
		return "the attempt failed, or does not say that its archives are lost"
	}
	return ""
}
