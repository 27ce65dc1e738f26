package cli

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/accept"
	"github.com/assay-bench/assay/internal/analysis"
	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/internal/journal"
	"github.com/assay-bench/assay/runners"
)

// mostCompared is the number of comparisons of a family that the command makes.
const mostCompared = 10000

// storedRun reads what a run has stored.
type storedRun struct {
	api    client.Reader
	run    *v1alpha1.BenchmarkRun
	shared *journal.Shared
}

// read the run for its analysis.
func (s storedRun) read(ctx context.Context) (analysis.Run, error) {
	st := s.run.Status
	out := analysis.Run{Name: s.run.Name, Spec: s.run.Spec}
	if st.Plan == nil || st.Results == nil {
		return out, errors.New("it has ended without a plan or without results: there is nothing to compare")
	}
	if st.StartTime != nil && st.CompletionTime != nil {
		out.Seconds = st.CompletionTime.Sub(st.StartTime.Time).Seconds()
	}
	if st.Resolved != nil && st.Resolved.Inputs != nil {
		out.FilesSHA256 = st.Resolved.Inputs.SHA256
	}
	var parts [][]byte
	for i := range st.Plan.ConfigMapCount {
		data, err := s.part(ctx, contract.PlanName(s.run.Name, i), contract.KeyPlan)
		if err != nil {
			return out, err
		}
		parts = append(parts, data)
	}
	plan, err := journal.JoinPlan(parts)
	if err != nil {
		return out, err
	}
	for i := range st.Results.RecordConfigMapCount {
		data, err := s.part(ctx, contract.RecordsName(s.run.Name, i), contract.KeyRecords)
		if err != nil {
			return out, err
		}
		records, err := journal.DecodeRecords(data)
		if err != nil {
			return out, err
		}
		out.Records = append(out.Records, s.shared.Compact(records).Records...)
	}
	spec := *s.run.Spec.DeepCopy()
	spec.SetDefaults()
	work, err := accept.WorkOf(spec, accept.Catalogue{Tool: runners.Find})
	if err != nil {
		return out, err
	}
	out.Names, out.Limit = accept.Compared(work), mostCompared
	ran := journal.Ran(plan, out.Records)
	if work.Search != nil { // what is compared are the rates that it found
		answers, err := work.Search.Answers(plan, out.Records)
		if err != nil {
			return out, err
		}
		ran, out.Records = work.Search.Reduce(plan, answers)
	}
	out.Layout, out.Declaration, err = work.Experiment(ran)
	return out, err
}

// part of the journal.
func (s storedRun) part(ctx context.Context, name, key string) ([]byte, error) {
	cm := &corev1.ConfigMap{}
	if err := s.api.Get(ctx, client.ObjectKey{Namespace: s.run.Namespace, Name: name}, cm); err != nil {
		return nil, fmt.Errorf("reading ConfigMap %s: %w", name, err)
	}
	if !metav1.IsControlledBy(cm, s.run) {
		return nil, fmt.Errorf("ConfigMap %s belongs to another object", name)
	}
	return cm.BinaryData[key], nil
}
