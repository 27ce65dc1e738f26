package design

import (
	"bytes"
	"fmt"
	"sort"
	"strings"
	"testing"

	"github.com/assay-bench/assay/test/helpers/bounds"
)

// largestOf is a manifest with so many targets, and a matrix of eight axes: settings, with so many values of the first one.
func largestOf(targets, values int) string {
	var b strings.Builder
	b.WriteString("apiVersion: assay.dev/v1alpha1\nkind: BenchmarkRun\nmetadata: {name: largest}\nspec:\n  targets:\n")
	for i := range targets {
		fmt.Fprintf(&b, "  - {name: t%d, mysql: {flavor: MariaDB, version: \"10.11\", config: {innodb_buffer_pool_size: %dM}, storage: {size: 1Gi}}}\n", i, 128+i)
	}
	b.WriteString("  workload: {sysbench: {test: oltp_read_only, threads: 4, tables: 2, tableSize: 10000}}\n  matrix:\n")
	axis := func(name string, n int) {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprint(4096*(i+1)))
		}
		fmt.Fprintf(&b, "  - {name: config.%s, values: [%s]}\n", name, strings.Join(list, ", "))
	}
	axis("sort_buffer_size", values)
	axis("join_buffer_size", 8)
	for _, name := range []string{"read_buffer_size", "tmp_table_size", "innodb_io_capacity", "lock_wait_timeout", "net_read_timeout"} {
		axis(name, 1)
	}
	fmt.Fprintf(&b, "  - {name: config.init_connect, values: [\"SET @a = '%s'\"]}\n", strings.Repeat("x", 501))
	b.WriteString("  analysis: {comparisons: [{factor: target, baseline: t0, measurements: [{name: throughput}]}]}\n")
	b.WriteString("  design: {blocks: 1, warmup: 0s, duration: 1s}\n  deadline: 720h\n")
	return b.String()
}

// The largest matrix of settings on the most targets that the limits of the operator admit is planned and printed, and the next larger one is
// refused with what is too much.
func TestPlanOfTheLargestMatrix(t *testing.T) {
	targets := bounds.Most(t, "spec.targets")
	tell := func(values int) (string, error) {
		cmd := NewPlan()
		var out bytes.Buffer
		cmd.SetIn(strings.NewReader(largestOf(targets, values)))
		cmd.SetOut(&out)
		cmd.SetErr(&out)
		cmd.SilenceUsage, cmd.SilenceErrors = true, true
		cmd.SetArgs([]string{"-f", "-"})
		err := cmd.Execute()
		return out.String(), err
	}
	most := sort.Search(64, func(i int) bool { _, err := tell(i + 1); return err != nil })
	if most == 0 || most == 64 {
		_, err := tell(1)
		t.Fatalf("%d values are planned, want some and not all: %v", most, err)
	}
	text, err := tell(most)
	if err != nil {
		t.Fatal(err)
	}
	trials := most * 8 * targets
	for _, want := range []string{
		" trials planned: ", fmt.Sprintf("and %d more (--trials %d)", trials-10, trials), "config.init_connect=SET @a = 'xxx", "results", "t7",
		"whether servers take all values of",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it lacks %q:\n%.3000s", want, text)
		}
	}
	if trials < 2000 || len(text) > 32<<10 {
		t.Errorf("%d trials are told in %d bytes", trials, len(text))
	}
	if _, err := tell(most + 1); err == nil || !strings.Contains(err.Error(), "the manager would refuse it (ResultBudgetExceeded): spec.design, spec.matrix: ") {
		t.Errorf("one more value: %v", err)
	}
}
