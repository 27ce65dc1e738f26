package integrity

import (
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
)

// Read returns a ConfigMap in the namespace of the run; nil for one that is not there.
type Read func(name string) (*corev1.ConfigMap, error)

// Report is what was compared of a run, and what differs.
type Report struct {
	// Chained: the status has the head of the chain. Without it nothing was compared: the run ended before its plan was
	// stored, or the status was edited.
	Chained bool
	// Plan, Records and Summary are numbers of ConfigMaps; Results are those of clients, and
	// Trials the records of attempts.
	Plan, Records, Summary, Results, Trials int
	// Objects of the object store that were compared, and Absent ones whose absence the run has
	// recorded.
	Objects, Absent int
	// LeftOut counts what clients delivered and the source leaves out on purpose, by key.
	LeftOut map[string]int
	// Findings in the order of the objects.
	Findings []Finding
}

// Scope of a comparison. Each part is optional.
type Scope struct {
	// Object reads what the clients brought to the object store. Without it no object is compared.
	Object ObjectDigest
	// LeavesOut says which keys of results the source leaves out on purpose: these are counted, and not compared.
	LeavesOut func(configMap, key string) bool
}

// Run compares all that a run has stored with the anchor in its status, within a scope. It reads one ConfigMap after the other,
// and holds one at a time. It fails only when one cannot be read.
func Run(run *v1alpha1.BenchmarkRun, read Read, scope Scope) (Report, error) {
	c := comparison{run: run, read: read, scope: scope, report: Report{LeftOut: map[string]int{}}}
	anchor := run.Status.Integrity
	if anchor == nil {
		return c.report, nil
	}
	c.report.Chained = true
	for _, compare := range []func(v1alpha1.IntegrityStatus) error{c.plan, c.records, c.summary, c.inputs} {
		if err := compare(*anchor); err != nil {
			return c.report, err
		}
	}
	return c.report, nil
}

type comparison struct {
	run    *v1alpha1.BenchmarkRun
	read   Read
	scope  Scope
	report Report
}

func (c *comparison) found(f ...Finding) { c.report.Findings = append(c.report.Findings, f...) }

// stored in a ConfigMap of the run.
func (c *comparison) stored(name string) (Stored, *corev1.ConfigMap, error) {
	cm, err := c.read(name)
	if err != nil {
		return Stored{}, nil, fmt.Errorf("reading ConfigMap %s: %w", name, err)
	}
	return StoredIn(cm, c.run), cm, nil
}

// mostLost is how many parts of a row may be missing before the rest is not looked for. The number of parts stands in the
// status, which whoever makes a bundle writes: what is looked at is bounded by what is there.
const mostLost = 100

// row of ConfigMaps, by their names, of which there are n by the status. Each one is visited.
func (c *comparison) row(n int32, name func(string, int32) string, visit func(string, Stored, *corev1.ConfigMap) error) error {
	lost := 0
	for i := range n {
		at := name(c.run.Name, i)
		stored, cm, err := c.stored(at)
		if err == nil {
			err = visit(at, stored, cm)
		}
		if err != nil {
			return err
		}
		if !stored.Exists {
			lost++
		}
		if lost == mostLost {
			message := "with it %d parts were deleted of the %d that the status counts: those behind it are not looked for"
			c.found(Finding{Lost, at, fmt.Sprintf(message, mostLost, n)})
			break
		}
	}
	return nil
}

// parts of a row, by their key. The bytes of each that exists are given to see.
func (c *comparison) parts(n int32, key string, name func(string, int32) string, see func([]byte)) (parts []Part, err error) {
	err = c.row(n, name, func(at string, stored Stored, cm *corev1.ConfigMap) error {
		parts = append(parts, Part{Name: at, Key: key, Stored: stored})
		if stored.Exists {
			see(cm.BinaryData[key])
		}
		return nil
	})
	return parts, err
}

func (c *comparison) plan(anchor v1alpha1.IntegrityStatus) error {
	if c.run.Status.Plan == nil {
		return nil
	}
	parts, err := c.parts(c.run.Status.Plan.ConfigMapCount, contract.KeyPlan, contract.PlanName, func([]byte) {})
	c.report.Plan = len(parts)
	c.found(Parts(parts, anchor.PlanSHA256)...)
	return err
}

func (c *comparison) summary(anchor v1alpha1.IntegrityStatus) error {
	if c.run.Status.Results == nil {
		return nil
	}
	shown := newShown(c.run.Status)
	parts, err := c.parts(c.run.Status.Results.SummaryConfigMapCount, contract.KeySummary, contract.SummaryName, shown.strike)
	c.report.Summary = len(parts)
	c.found(Parts(parts, anchor.SummarySHA256)...)
	for _, list := range []struct {
		name     string
		left, of int
	}{
		{"summary", shown.entries.left(), len(c.run.Status.Summary)},
		{"comparisons", shown.comparisons.left(), len(c.run.Status.Comparisons)},
		{"sweeps", shown.sweeps.left(), len(c.run.Status.Sweeps)},
	} {
		if list.left > 0 && len(c.report.Findings) == 0 {
			c.found(tampered(statusOf, "%d of %d entries of status.%s are not in the stored summary", list.left, list.of, list.name))
		}
	}
	return err
}

// inputs are compared with the digest that they had when the run was accepted.
func (c *comparison) inputs(v1alpha1.IntegrityStatus) error {
	if c.run.Status.Resolved == nil || c.run.Status.Resolved.Inputs == nil {
		return nil
	}
	want := c.run.Status.Resolved.Inputs
	stored, cm, err := c.stored(want.ConfigMap)
	switch {
	case err != nil:
		return err
	case !stored.Exists:
		c.found(Finding{Lost, want.ConfigMap, "it was deleted"})
	case resources.FilesDigest(cm) != want.SHA256:
		c.found(tampered(want.ConfigMap, "its files have the SHA-256 %.12s, and the status says %.12s", resources.FilesDigest(cm), want.SHA256))
	}
	return nil
}

// records, each with the results of its attempt. A part is decoded and dropped before the next
// one is read.
func (c *comparison) records(anchor v1alpha1.IntegrityStatus) error {
	reading := NewReading(c.run, anchor)
	if results := c.run.Status.Results; results != nil {
		err := c.row(results.RecordConfigMapCount, contract.RecordsName, func(name string, _ Stored, cm *corev1.ConfigMap) error {
			records, found := reading.Part(name, cm)
			c.found(found...)
			c.report.Records++
			return c.results(records)
		})
		if err != nil {
			return err
		}
	}
	c.found(reading.End()...)
	return nil
}

// results of the attempts of a part.
func (c *comparison) results(records []contract.Record) error {
	for _, rec := range records {
		c.report.Trials++
		for _, want := range rec.Delivered {
			got, cm, err := c.stored(want.ConfigMap)
			if err != nil {
				return err
			}
			c.report.Results++
			want, leftOut := c.without(want)
			differs := Delivery(want, got)
			c.found(differs...)
			if len(differs) > 0 || leftOut || c.scope.Object == nil {
				continue
			}
			if err := c.objects(rec, cm); err != nil {
				return err
			}
		}
	}
	return nil
}

// without what the source leaves out on purpose.
func (c *comparison) without(of contract.RecordedDelivery) (rest contract.RecordedDelivery, leftOut bool) {
	rest = of
	rest.Digests = maps.Clone(of.Digests)
	for key := range of.Digests {
		if c.scope.LeavesOut != nil && c.scope.LeavesOut(of.ConfigMap, key) {
			delete(rest.Digests, key)
			c.report.LeftOut[key]++
			leftOut = true
		}
	}
	return rest, leftOut
}
