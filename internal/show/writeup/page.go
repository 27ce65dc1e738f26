package writeup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/record/stored"
	"github.com/assay-bench/assay/internal/show/report"
	"github.com/assay-bench/assay/internal/trial/merge"
)

// Writer of the reports of the runs of a cluster.
type Writer struct {
	// API is read, and not a cache: ConfigMaps have no data there.
	API client.Reader
	// Memory that what is read of a run may take, in bytes, and as much again the results of its trials: what the page keeps
	// of all of them, together with those of the clients of the trial that is read.
	Memory int
	// Measurements of one result.
	Measurements int
}

// source is a run as it was read, and its ConfigMaps. The run has nothing that changes after its end.
type source struct {
	stored.Source
	run *v1alpha1.BenchmarkRun
}

// Run is a copy of the object.
func (s source) Run(context.Context) (*v1alpha1.BenchmarkRun, error) { return s.run.DeepCopy(), nil }

// of a run.
func (w Writer) of(run *v1alpha1.BenchmarkRun) source {
	kept := run.DeepCopy()
	kept.Status.Report, kept.Status.Notifications = nil, nil
	return source{stored.InCluster(w.API, client.ObjectKeyFromObject(run)), kept}
}

func (w Writer) limits() stored.Limits {
	bounds := contract.DefaultBounds()
	bounds.Measurements = w.Measurements
	return stored.Limits{Memory: w.Memory, Results: bounds}
}

// Page is the report as HTML. An error that is contract.ErrTooLarge is one of a run that takes more memory than the
// writer may use.
func (w Writer) Page(ctx context.Context, run *v1alpha1.BenchmarkRun) ([]byte, error) {
	read, err := stored.ReadWithin(ctx, w.of(run), w.limits())
	if errors.Is(err, stored.ErrTooLarge) {
		return nil, &contract.TooLargeError{What: "bytes of memory for what the report reads (limits.resultMemory of the operator)", Most: w.Memory}
	}
	if err != nil {
		return nil, err
	}
	in, err := input(ctx, read, w.Memory)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", read, err)
	}
	var page bytes.Buffer
	if err := report.Write(&page, in); err != nil {
		return nil, fmt.Errorf("%s: %w", read, err)
	}
	return page.Bytes(), nil
}

// Input of the page: what a run has stored. The context is that of the page. It fails when the results of loading cannot
// be read.
func Input(ctx context.Context, run *stored.Run) (report.Input, error) {
	return input(ctx, run, math.MaxInt)
}

// input with at most so many bytes of memory for the results: what the page keeps of those that it has seen, and the
// clients of one more trial. The page has none of the trials that come when it is full.
func input(ctx context.Context, run *stored.Run, most int) (report.Input, error) {
	variables, err := run.Variables(ctx)
	kept, full := 0, false
	return report.Input{
		Run: run.Object, Plan: run.Ran(), Records: run.Records,
		Entries: run.Summary.Entries, Comparisons: run.Summary.Comparisons, Sweeps: run.Summary.Sweeps, Searches: run.Summary.Searches,
		Quoted: run.Quoted, Variables: variables,
		Result: func(rec contract.Record) (contract.Result, bool, error) {
			if full {
				return contract.Result{}, false, nil
			}
			var clients []contract.Result
			memory := kept
			for client, err := range run.Results(ctx, rec) {
				if errors.Is(err, stored.ErrNoResult) {
					return contract.Result{}, false, nil // the page says of how many trials it has none
				}
				if err != nil {
					return contract.Result{}, false, err
				}
				if memory += client.Result.Memory(); memory > most {
					if full = kept > 0; full {
						return contract.Result{}, false, nil
					}
					return contract.Result{}, false, &contract.TooLargeError{What: "bytes of memory for the results of all clients", Most: most}
				}
				// A client that did nothing in this trial has a result without measurements.
				if run.Object.Spec.Measures(client.Result.Trial.Client) && len(client.Result.Measurements) > 0 {
					clients = append(clients, client.Result)
				}
			}
			if len(clients) == 0 {
				return contract.Result{}, false, nil
			}
			whole, _, err := merge.Results(clients)
			kept += drawn(whole)
			return whole, err == nil, err
		},
	}, err
}

// drawn is about how much memory the intervals and histograms of a result take, in bytes: the page keeps them until it is
// written.
func drawn(res contract.Result) (n int) {
	const interval, bucket = 24, 16
	for _, ms := range [][]contract.Measurement{res.Measurements, res.Warmup} {
		for _, m := range ms {
			n += interval * len(m.Intervals)
			if m.Histogram != nil {
				n += bucket * len(m.Histogram.Buckets)
			}
		}
	}
	return n
}
