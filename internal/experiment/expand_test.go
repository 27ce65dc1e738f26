package experiment

import (
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/runners/custom"
	"github.com/assay-bench/assay/runners/runner"
	"github.com/assay-bench/assay/runners/sysbench"
)

// BenchmarkExpandPass is what one pass of a plan costs that takes several.
func BenchmarkExpandPass(b *testing.B) {
	d := &metav1.Duration{Duration: time.Second}
	workloads := map[string]v1alpha1.Workload{
		"sysbench": {Sysbench: &v1alpha1.SysbenchWorkload{Test: "oltp_read_write", Threads: 4, Tables: 2, TableSize: 5000, Percentile: 95}},
		"32KiB":    {Custom: &v1alpha1.CustomWorkload{Image: "tool", Format: "Result", Run: v1alpha1.CustomPhase{Command: []string{"tool"}}, Parameters: map[string]string{"threads": "1"}}},
	}
	for i := range 8 {
		workloads["32KiB"].Custom.Parameters[fmt.Sprint("big", i)] = strings.Repeat("x", 4000)
	}
	for name, workload := range workloads {
		b.Run(name, func(b *testing.B) {
			tool := sysbench.Runner()
			if workload.Custom != nil {
				tool = custom.Runner(nil)
			}
			axis := v1alpha1.Axis{Name: "threads"}
			for i := range 300 {
				axis.Values = append(axis.Values, intstr.FromInt(i+1))
			}
			spec := v1alpha1.BenchmarkRunSpec{
				Targets: []v1alpha1.Target{{Name: "db", MySQL: &v1alpha1.MySQLTarget{Flavor: "MariaDB", StorageEngine: "InnoDB"}}}, Workload: workload, Matrix: []v1alpha1.Axis{axis},
				Design: v1alpha1.Design{Blocks: 1, Order: v1alpha1.OrderSequential, DataReset: v1alpha1.ResetPerRun, Warmup: d, Duration: d},
			}
			w, err := WorkOf(spec, Catalogue{Tool: func(string) (runner.Runner, bool) { return tool, true }})
			if err != nil {
				b.Fatal(err)
			}
			p, err := plan.New(spec, nil, plan.Largest())
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				got, err := w.Expand(Planned{Plan: p, checks: checks{wanted: true}})
				if err != nil || len(got.Lengths) != w.PerPass() {
					b.Fatal(len(got.Lengths), err)
				}
			}
			b.ReportMetric(float64(w.PerPass()), "cells/pass")
		})
	}
}
