package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/fullsize"
	"github.com/assay-bench/assay/test/helpers/plays"
)

// mostOfPiece is how long a piece may take, by the estimate.
const mostOfPiece = 10 * time.Minute

// What a piece takes on two cores, to divide the manifests: what is around its trials, the pods of a trial, one measurement of a driver, a row
// of one, the start of a thread with all others, and an operation of YCSB.
const (
	aroundRun      = 2 * time.Minute
	aroundTrial    = 6 * time.Second
	perMeasurement = 700 * time.Millisecond
	perRow         = 250 * time.Microsecond
	perThread      = 10 * time.Millisecond
	perOperation   = 4 * time.Millisecond
)

// piece is a run that plays some of the cells of a manifest.
type piece struct {
	// name of its run, and which part of the manifest it is, in words.
	name, part string
	spec       v1alpha1.BenchmarkRunSpec
	// places that it measures, and how long it is taken to need.
	places []place
	takes  time.Duration
}

// manifest of the run.
func (p piece) manifest() (string, error) { return fullsize.Manifest(p.name, p.spec) }

// digest of the manifest.
func (p piece) digest() (string, error) {
	text, err := p.manifest()
	return plays.Digest(text), err
}

// divide a spec into pieces that take no longer than mostOfPiece, as far as its targets, drivers and threads can be told apart. Of servers
// with a replica each has its own piece: the two nodes have room for one.
func divide(name string, spec v1alpha1.BenchmarkRunSpec) (out []piece, err error) {
	parts := []v1alpha1.BenchmarkRunSpec{spec}
	if len(spec.Targets) > 1 && slices.ContainsFunc(spec.Targets, func(t v1alpha1.Target) bool { return t.Replicas() > 0 }) {
		parts = nil
		for _, t := range spec.Targets {
			parts = append(parts, with(spec, func(s *v1alpha1.BenchmarkRunSpec) { s.Targets = []v1alpha1.Target{t} }))
		}
	}
	for _, part := range parts {
		packed, err := pack(part)
		if err != nil {
			return nil, err
		}
		for _, s := range packed {
			p := piece{name: fmt.Sprintf("%s-%d", name, len(out)+1), part: words(s, spec), spec: s}
			if p.places, err = placesOf(s); err != nil {
				return nil, err
			}
			p.takes = takes(s, p.places)
			out = append(out, p)
		}
	}
	return out, nil
}

// with is a copy of a spec that is changed.
func with(spec v1alpha1.BenchmarkRunSpec, change func(*v1alpha1.BenchmarkRunSpec)) v1alpha1.BenchmarkRunSpec {
	out := *spec.DeepCopy()
	change(&out)
	return out
}

// pack the drivers of a spec, or else its threads, into as few specs as take no longer than mostOfPiece.
func pack(spec v1alpha1.BenchmarkRunSpec) ([]v1alpha1.BenchmarkRunSpec, error) {
	axis := slices.IndexFunc(spec.Matrix, func(a v1alpha1.Axis) bool { return a.Name == "threads" })
	switch d := spec.Workload.Drivers; {
	case d != nil:
		return packed(spec, d.Drivers, func(s *v1alpha1.BenchmarkRunSpec, some []v1alpha1.Driver) { s.Workload.Drivers.Drivers = some })
	case axis >= 0:
		all := spec.Matrix[axis].Values
		return packed(spec, all, func(s *v1alpha1.BenchmarkRunSpec, some []intstr.IntOrString) { s.Matrix[axis].Values = some })
	}
	return []v1alpha1.BenchmarkRunSpec{spec}, nil
}

// packed puts items into specs in their order: a new one begins where the next item would make it too long.
func packed[T any](spec v1alpha1.BenchmarkRunSpec, items []T, set func(*v1alpha1.BenchmarkRunSpec, []T)) (out []v1alpha1.BenchmarkRunSpec, err error) {
	first := 0
	of := func(end int) v1alpha1.BenchmarkRunSpec {
		return with(spec, func(s *v1alpha1.BenchmarkRunSpec) { set(s, slices.Clone(items[first:end])) })
	}
	for end := 1; end <= len(items); end++ {
		places, err := placesOf(of(end))
		if err != nil {
			return nil, err
		}
		if end > first+1 && takes(of(end), places) > mostOfPiece {
			out = append(out, of(end-1))
			first = end - 1
		}
	}
	return append(out, of(len(items))), nil
}

// takes is how long a run of these places is taken to need.
func takes(spec v1alpha1.BenchmarkRunSpec, places []place) time.Duration {
	all := aroundRun
	trials := map[string]bool{}
	for _, p := range places {
		labels := p.labels()
		if p.within != nil {
			all += perMeasurement
			if rows, err := strconv.Atoi(labels[contract.LabelRows]); err == nil {
				all += time.Duration(rows) * perRow
			}
		}
		if trials[key(p.trial)] {
			continue
		}
		trials[key(p.trial)] = true
		all += aroundTrial
		switch w := spec.Workload; {
		case w.YCSB != nil && w.YCSB.OperationCount > 0:
			all += time.Duration(w.YCSB.OperationCount) * perOperation
		case w.YCSB != nil && spec.Design.MeasuresLoad():
			all += time.Duration(w.YCSB.RecordCount) * perOperation
		case w.Drivers == nil:
			all += spec.Design.Duration.Duration
		}
		threads, err := strconv.Atoi(labels["threads"])
		if err != nil {
			threads = int(fullsize.MostThreads(spec))
		}
		all += time.Duration(threads) * perThread
	}
	return all
}

// words for what a piece has of the whole.
func words(part, whole v1alpha1.BenchmarkRunSpec) string {
	var out []string
	if len(part.Targets) < len(whole.Targets) {
		out = append(out, "target "+part.Targets[0].Name)
	}
	if d := part.Workload.Drivers; d != nil && len(d.Drivers) < len(whole.Workload.Drivers.Drivers) {
		var names []string
		for _, driver := range d.Drivers {
			names = append(names, shown(driver))
		}
		out = append(out, strings.Join(names, ", "))
	}
	for i, axis := range part.Matrix {
		if n := len(axis.Values); n < len(whole.Matrix[i].Values) {
			text := axis.Values[0].String()
			if n > 1 {
				text += " to " + axis.Values[n-1].String()
			}
			out = append(out, axis.Name+" "+text)
		}
	}
	if len(out) == 0 {
		return "all"
	}
	return strings.Join(out, ", ")
}
