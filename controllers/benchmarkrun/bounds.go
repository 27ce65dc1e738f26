package benchmarkrun

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/apischema"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/validity"
)

const (
	// maxObject is the JSON of a whole run, in bytes: etcd stores at most 1.5 MiB for one object.
	// The rest is for what the API server adds (metadata.managedFields).
	maxObject = 1280 << 10
	// maxAdded are labels and annotations that a run may get after it was accepted: the API server
	// takes 256 KiB of annotations.
	maxAdded = 320 << 10
)

// shed is a part of the status that is left out when the whole run would be too large for the API
// server. It decides nothing, and stands elsewhere as well.
type shed struct {
	what string
	drop func(*v1alpha1.BenchmarkRunStatus)
}

// sheds in their order: first what is the least loss.
var sheds = []shed{
	{"values of earlier trials", func(st *v1alpha1.BenchmarkRunStatus) {
		for i := range st.Trials[:max(len(st.Trials)-1, 0)] {
			st.Trials[i].Values = nil
		}
	}},
	{"quoted numbers, settings and figures of targets", func(st *v1alpha1.BenchmarkRunStatus) {
		for i := range st.Targets {
			t := &st.Targets[i]
			t.Quoted, t.NonDefault, t.Differences, t.Load = nil, nil, nil, nil
		}
	}},
	{"entries of the summary after the 16th", func(st *v1alpha1.BenchmarkRunStatus) {
		st.Summary = st.Summary[:min(len(st.Summary), 16)]
		if st.Results != nil && st.Results.ShownEntryCount > 0 {
			st.Results.ShownEntryCount = max(int32(len(st.Summary)), 1)
		}
	}},
	{"entries and differences of the gate", func(st *v1alpha1.BenchmarkRunStatus) {
		if st.Gate != nil {
			st.Gate.Entries = nil
			for i := range st.Gate.Baselines {
				st.Gate.Baselines[i].Differences = nil
			}
		}
	}},
	{"differences of two targets after the 8th", func(st *v1alpha1.BenchmarkRunStatus) {
		for i := range st.Differences {
			d := &st.Differences[i]
			d.Differences = d.Differences[:min(len(d.Differences), 8)]
		}
	}},
	{"comparisons after the 16th, and sweeps after the 4th", func(st *v1alpha1.BenchmarkRunStatus) {
		keepComparisons(st, 16)
		st.Sweeps = st.Sweeps[:min(len(st.Sweeps), 4)]
	}},
	{"answers of searches after the 16th", func(st *v1alpha1.BenchmarkRunStatus) { st.Searches = st.Searches[:min(len(st.Searches), 16)] }},
	{"texts after 256 bytes", func(st *v1alpha1.BenchmarkRunStatus) {
		for i := range st.Conditions {
			st.Conditions[i].Message = contract.Cut(st.Conditions[i].Message, 256)
		}
		for i := range st.Findings {
			st.Findings[i].Message = contract.Cut(st.Findings[i].Message, 256)
		}
		for i := range st.Trials {
			st.Trials[i].Message = contract.Cut(st.Trials[i].Message, 256)
		}
		for i := range st.Targets {
			shortenTarget(&st.Targets[i])
		}
		for i := range st.Searches {
			st.Searches[i].Reason, st.Searches[i].Text = contract.Cut(st.Searches[i].Reason, 256), contract.Cut(st.Searches[i].Text, 256)
		}
		st.Headline, st.Progress.Current = contract.Cut(st.Headline, 256), contract.Cut(st.Progress.Current, 256)
	}},
	{"the trials, nodes and machine speeds", func(st *v1alpha1.BenchmarkRunStatus) {
		st.Trials, st.Nodes, st.MachineSpeed = nil, nil, nil
	}},
	{"the summary", func(st *v1alpha1.BenchmarkRunStatus) { st.Summary = nil }},
	{"the comparisons, what their targets differ in, and the sweeps", func(st *v1alpha1.BenchmarkRunStatus) {
		keepComparisons(st, 0)
		st.Sweeps, st.Differences = nil, nil
	}},
	{"the answers of searches", func(st *v1alpha1.BenchmarkRunStatus) { st.Searches = nil }},
}

// keepComparisons keeps the first ones, and their number.
func keepComparisons(st *v1alpha1.BenchmarkRunStatus, most int) {
	st.Comparisons = st.Comparisons[:min(len(st.Comparisons), most)]
	if st.Results != nil && st.Results.ShownComparisonCount > 0 {
		st.Results.ShownComparisonCount = max(int32(len(st.Comparisons)), 1)
	}
}

// shortenTarget keeps of what invalidates a target as much as decides.
func shortenTarget(t *v1alpha1.TargetStatus) {
	t.InvalidatedBy = t.InvalidatedBy[:min(len(t.InvalidatedBy), 8)]
	for i := range t.InvalidatedBy {
		t.InvalidatedBy[i].Message = contract.Cut(t.InvalidatedBy[i].Message, 256)
	}
	for i := range t.Durability {
		t.Durability[i].Value = contract.Cut(t.Durability[i].Value, 256)
	}
	t.SnapshotMessage = contract.Cut(t.SnapshotMessage, 256)
}

// checkStatusCut is the check of a status that lacks something.
const checkStatusCut = "status-cut"

// bounded is a status that the API server takes beside the rest of the run: each text has its
// length, and the whole its size.
func bounded(run *v1alpha1.BenchmarkRun) (v1alpha1.BenchmarkRunStatus, error) {
	whole := run.DeepCopy()
	st := &whole.Status
	if err := apischema.FitStatus(st); err != nil {
		return *st, err
	}
	var left []string
	for _, s := range sheds {
		data, err := json.Marshal(whole)
		if err != nil {
			return *st, fmt.Errorf("the size of the status: %w", err)
		}
		if len(data) <= maxObject {
			break
		}
		s.drop(st)
		left = append(left, s.what)
	}
	if len(left) > 0 {
		st.Findings = slices.DeleteFunc(st.Findings, func(f v1alpha1.Finding) bool { return f.Check == checkStatusCut })
		st.Findings = withFindings(st.Findings, v1alpha1.Finding{
			Check: checkStatusCut, Severity: string(validity.Warning),
			Message: fmt.Sprintf("the run would have more than %d bytes: left out of the status: %s; the ConfigMaps of the run have all of it", maxObject, strings.Join(left, "; ")),
		})
	}
	return *st, nil
}

// outgrown fails a run whose labels and annotations grew until nothing more can be written beside
// them. The state is nil for any other.
func outgrown(w World) decision.State {
	size := 0
	for _, texts := range []map[string]string{w.Run.Labels, w.Run.Annotations} {
		for key, value := range texts {
			size += len(key) + len(value)
		}
	}
	switch {
	case size > maxAdded:
	case w.Outgrew:
		return decision.FailWith(v1alpha1.ReasonSpecTooLarge, "the run was too large for a status, and its nodes were given back: create a new run")
	default:
		return nil
	}
	return decision.FailWith(v1alpha1.ReasonSpecTooLarge,
		"metadata: %d bytes of labels and annotations, and a run has at most %d: there is no room for the status: remove some", size, maxAdded)
}

// isTooLarge says whether an error is that of an object that the API server or etcd cannot hold.
func isTooLarge(err error) bool {
	return err != nil && (apierrors.IsRequestEntityTooLargeError(err) ||
		strings.Contains(err.Error(), "Request entity too large") || strings.Contains(err.Error(), "request is too large") ||
		strings.Contains(err.Error(), "trying to send message larger than max"))
}
