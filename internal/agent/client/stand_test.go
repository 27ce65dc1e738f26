package client

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-bench/assay/internal/agent/supervisor"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/hang"
)

// trialsAPI has the ConfigMaps of many trials, and a manager that tells a client of the next one when it is done with one.
type trialsAPI struct {
	mu      sync.Mutex
	maps    map[string]ConfigMap
	changed chan struct{}
	// trials in their order.
	trials []string
	// told are those of which the client has been told.
	told int
}

// newTrials trials on these targets, of which the client knows the first.
func newTrials(t *testing.T, targets ...string) *trialsAPI {
	t.Helper()
	s := &trialsAPI{maps: map[string]ConfigMap{}, changed: make(chan struct{})}
	for i, target := range targets {
		name := fmt.Sprintf("trial-%d", i)
		text, err := json.Marshal(contract.Trial{
			Version: contract.TrialVersion, Runner: "fake", Ref: contract.TrialRef{RunUID: "u", Phase: string(contract.PhaseRun), Target: target, Index: &i},
			Clients: 1, DurationSeconds: 1, Deadline: time.Now().Add(hang.Limit),
		})
		if err != nil {
			t.Fatal(err)
		}
		s.trials = append(s.trials, name)
		s.maps[name] = ConfigMap{Data: map[string]string{contract.KeyTrial: string(text)}}
		s.maps[contract.ResultName(name, 0)] = ConfigMap{Annotations: map[string]string{}, BinaryData: map[string][]byte{}}
	}
	s.trials = append(s.trials, contract.NoTrial)
	s.maps["standing"] = ConfigMap{Annotations: map[string]string{contract.AnnotationNext: s.trials[0]}}
	return s
}

func (s *trialsAPI) Get(_ context.Context, name string) (ConfigMap, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	cm, is := s.maps[name]
	if !is {
		return cm, errors.New("not found")
	}
	return copyOf(cm), nil
}

// copyOf a ConfigMap, which the client may keep while another version is written.
func copyOf(cm ConfigMap) ConfigMap {
	cm.Annotations, cm.Data, cm.BinaryData = maps.Clone(cm.Annotations), maps.Clone(cm.Data), maps.Clone(cm.BinaryData)
	return cm
}

func (s *trialsAPI) Follow(ctx context.Context, name, _ string, show func(ConfigMap) bool) error {
	for {
		s.mu.Lock()
		cm, changed := copyOf(s.maps[name]), s.changed
		s.mu.Unlock()
		if show(cm) {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}

func (s *trialsAPI) Secret(context.Context, string) (map[string][]byte, error) {
	return nil, errors.New("not found")
}

// Patch does what the client writes, and what the manager answers to that.
func (s *trialsAPI) Patch(_ context.Context, name string, patch []byte) error {
	var p struct {
		Metadata struct {
			Annotations map[string]string
		}
		BinaryData map[string]string
	}
	if err := json.Unmarshal(patch, &p); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	cm := copyOf(s.maps[name])
	maps.Copy(cm.Annotations, p.Metadata.Annotations)
	for k, v := range p.BinaryData {
		data, err := base64.StdEncoding.DecodeString(v)
		if err != nil {
			return err
		}
		cm.BinaryData[k] = data
	}
	version, _ := strconv.Atoi(cm.ResourceVersion)
	cm.ResourceVersion = strconv.Itoa(version + 1)
	s.maps[name] = cm
	if p.Metadata.Annotations[annotationReady] != "" {
		s.maps[strings.TrimSuffix(name, "-result-0")].Data[contract.KeyStart] = time.Now().UTC().Format(time.RFC3339Nano)
	}
	if p.Metadata.Annotations[contract.AnnotationTold] != "" {
		s.told++
		s.maps["standing"].Annotations[contract.AnnotationNext] = s.trials[s.told]
	}
	close(s.changed)
	s.changed = make(chan struct{})
	return nil
}

// told of a trial by its client.
func (s *trialsAPI) toldOf(t *testing.T, trial string) (contract.Termination, ConfigMap) {
	t.Helper()
	cm, err := s.Get(t.Context(), contract.ResultName(trial, 0))
	if err != nil {
		t.Fatal(err)
	}
	told, err := contract.ParseTermination([]byte(cm.Annotations[contract.AnnotationTold]))
	if err != nil {
		t.Fatalf("%s: %v", trial, err)
	}
	return told, cm
}

// newStanding is a client that stands, with the credentials of two targets.
func newStanding(t *testing.T, tool string, s *trialsAPI) *Agent {
	t.Helper()
	a := newRig(t, tool, contract.PhaseRun, nil).agent
	a.API, a.Trial, a.Result, a.Standing, a.Socket = s, "", "", "standing", supervisedBy(t, supervisor.Stand)
	a.Credentials = t.TempDir()
	for _, target := range []string{"a", "b"} {
		dir := filepath.Join(a.Credentials, target)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		for name, data := range map[string]string{contract.KeyUsername: "assay", contract.KeyPassword: "of " + target} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return a
}

// Each trial has a result of its own, of its own target, and nothing of the one before it.
func TestAClientThatStands(t *testing.T) {
	s := newTrials(t, "a", "b", "a")
	a := newStanding(t, "files", s)
	if err := Stand(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	for i, target := range []string{"a", "b", "a"} {
		told, cm := s.toldOf(t, s.trials[i])
		if told.At == nil || told.SHA256 != contract.Digest(cm.BinaryData[contract.KeyResult]) {
			t.Errorf("trial %d: told %+v", i, told)
		}
		res, err := contract.Decode(cm.BinaryData[contract.KeyResult])
		if err != nil {
			t.Fatal(err)
		}
		if res.State != contract.Succeeded || res.Trial.Target != target || *res.Trial.Index != i {
			t.Errorf("trial %d: %+v", i, res.Trial)
		}
		if peak := res.Client.After.MemoryPeakBytes; peak != nil {
			t.Errorf("trial %d has the peak of all trials so far: %d", i, *peak)
		}
		raw := unpack(t, cm.BinaryData[contract.KeyRaw])
		if want := "before [] option \n"; raw["run/stdout.txt"] != want { // files of its directory
			t.Errorf("trial %d: the tool says %q, want %q", i, raw["run/stdout.txt"], want)
		}
	}
	if left, err := os.ReadDir(a.Work); err != nil || len(left) > 0 {
		t.Errorf("left in the agent's directory: %v, %v", left, err)
	}
	if _, err := os.Stat(a.TerminationLog); !os.IsNotExist(err) {
		t.Errorf("a client without a trial wrote a termination message: %v", err)
	}
}

// A client that stands may look at data that exists first. It starts no tool for that, and measures then.
func TestAClientThatStandsLooksAtData(t *testing.T) {
	s := newTrials(t, "a", "b")
	look, err := json.Marshal(contract.Trial{
		Version: contract.TrialVersion, Runner: "fake", Ref: contract.TrialRef{RunUID: "u", Phase: string(contract.PhasePrepare), Target: "a"}, Existing: true,
		Clients: 1, Deadline: time.Now().Add(hang.Limit),
	})
	if err != nil {
		t.Fatal(err)
	}
	s.maps[s.trials[0]].Data[contract.KeyTrial] = string(look)
	if err := Stand(t.Context(), newStanding(t, "files", s)); err != nil {
		t.Fatal(err)
	}
	for i, phase := range []contract.Phase{contract.PhasePrepare, contract.PhaseRun} {
		told, cm := s.toldOf(t, s.trials[i])
		res, err := contract.Decode(cm.BinaryData[contract.KeyResult])
		if err != nil {
			t.Fatal(err)
		}
		if told.State != contract.Succeeded || res.State != contract.Succeeded || res.Trial.Phase != string(phase) {
			t.Errorf("trial %d: told %+v of %+v", i, told, res.Trial)
		}
		if looks := phase == contract.PhasePrepare; looks != (res.Data != nil) || looks != (res.Tool.ExitCode == nil) {
			t.Errorf("trial %d: data %+v, the tool %+v", i, res.Data, res.Tool)
		}
	}
}

// A trial that fails is the last one, and is told in both ways.
func TestAClientThatStandsEndsWithAFailure(t *testing.T) {
	s := newTrials(t, "a", "b")
	a := newStanding(t, "bad", s)
	if err := Stand(t.Context(), a); err == nil {
		t.Error("it goes on after a failure")
	}
	told, _ := s.toldOf(t, s.trials[0])
	text, err := os.ReadFile(a.TerminationLog)
	if err != nil {
		t.Fatal(err)
	}
	last, err := contract.ParseTermination(text)
	if err != nil || last.SHA256 != told.SHA256 || last.Reason != contract.ReasonToolFailed || told.Reason != contract.ReasonToolFailed {
		t.Errorf("told %+v, and at the end %+v, %v", told, last, err)
	}
}

// A result that another client claimed is left alone.
func TestAClientThatStandsRefusesWhatIsClaimed(t *testing.T) {
	s := newTrials(t, "a")
	s.maps["trial-0-result-0"].Annotations[annotationClaimedBy] = "another/1"
	a := newStanding(t, "good", s)
	if err := Stand(t.Context(), a); err == nil || !strings.Contains(err.Error(), string(contract.ReasonAlreadyBegun)) {
		t.Errorf("it says %v", err)
	}
	if cm, err := s.Get(t.Context(), "trial-0-result-0"); err != nil || len(cm.Annotations) != 1 || len(cm.BinaryData) > 0 {
		t.Errorf("it wrote %+v, %v", cm, err)
	}
}

func TestCredentialsOfATargetStayInTheirFolder(t *testing.T) {
	a := newStanding(t, "good", newTrials(t, "../a"))
	if err := Stand(t.Context(), a); err == nil || !strings.Contains(err.Error(), "no name of a target") {
		t.Errorf("it says %v", err)
	}
}
