package target

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// A volume of an earlier run is refused before anything is written to it, where it holds no data, or that of another version.
func TestARetainedVolumeIsChecked(t *testing.T) {
	tests := map[string]struct {
		version  string
		snapshot string
		empty    bool
		want     string
	}{
		"the same version":              {version: "1.2.3-Fake-log"},
		"an unknown version":            {},
		"another version":               {version: "1.2.2-Fake", want: "was written by server version 1.2.2, and the image has 1.2.3"},
		"no data":                       {version: "1.2.3", empty: true, want: "holds no data directory"},
		"no data of a snapshot":         {snapshot: "tables", empty: true, want: "of VolumeSnapshot tables holds no data directory of Assay: use a storageClassName whose provisioner makes volumes of snapshots"},
		"a snapshot of another version": {version: "1.2.2-Fake", snapshot: "tables", want: "the data of VolumeSnapshot tables was written by server version 1.2.2, and the image has 1.2.3"},
		"no data of an unknown version": {empty: true, want: "holds no data directory"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, "init", "serve")
			r.in.target.Retained = &contract.Retained{ServerVersion: tt.version, Snapshot: tt.snapshot}
			marker := filepath.Join(r.paths().Data, "of-the-earlier-run")
			if !tt.empty {
				if err := os.MkdirAll(r.paths().Data, 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(marker, nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			r.begin(t)
			if tt.want == "" {
				await(t, "readiness", r.isReady)
				if !exists(marker) {
					t.Error("the data of the earlier run is gone")
				}
				r.stop()
				if err := r.end(t); err != nil {
					t.Error(err)
				}
				return
			}
			err := r.end(t)
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), string(contract.ReasonVolumeUnfit)) {
				t.Errorf("%v, want %s", err, tt.want)
			}
			if exists(r.paths().Data) == tt.empty || exists(r.initFile()) {
				t.Error("something was written")
			}
		})
	}
}

// A volume that another server holds is refused, whatever the manager was told.
func TestARetainedVolumeIsHeldOnce(t *testing.T) {
	r := newRig(t, "init", "serve")
	r.in.target.Retained = &contract.Retained{RunUID: "uid"}
	if err := os.MkdirAll(r.paths().Data, 0o700); err != nil {
		t.Fatal(err)
	}
	other := &agent{}
	other.Options = r.Options
	if err := other.hold(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.held.Close() })
	r.begin(t)
	if err := r.end(t); err == nil || !strings.Contains(err.Error(), "RetainedVolumeUnfit: the volume ") || !strings.Contains(err.Error(), "is used by another server") {
		t.Error(err)
	}
}

// What an earlier run asked of the volume is no answer for another one, also of the same name.
func TestOperationsAreOfOneRun(t *testing.T) {
	for name, tt := range map[string]struct {
		wrote, reads string
		known        bool
	}{
		"its own volume": {"", "", true}, "the same run": {"a", "a", true}, "the run that retained it": {"", "a", false}, "a run before": {"a", "b", false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := (&volume{dir: dir, user: tt.wrote}).saveRecord(newOperation(contract.PathRestart, contract.Operation{ID: "run-trial-00000"})); err != nil {
				t.Fatal(err)
			}
			_, err := (&volume{dir: dir, user: tt.reads}).loadRecord()
			if known := err == nil; known != tt.known || !known && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%v, want it known: %v", err, tt.known)
			}
		})
	}
}
