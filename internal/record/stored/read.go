package stored

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/journal"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/internal/trial/quoted"
)

// MaxMemory bounds what a Run takes, in bytes. The records of 20,000 trials with 40 measurements each
// take about a quarter of it.
const MaxMemory = 256 << 20

// ErrTooLarge is what the errors are for a run that takes more memory than is allowed.
var ErrTooLarge = errors.New("what the run has stored is too large to be read here")

// Limits of what is read of a run.
type Limits struct {
	// Memory of all that the Run holds, in bytes, up to MaxMemory.
	Memory int
	// Results bound the result of one client.
	Results contract.Bounds
}

// Run is what a run has stored. Its lists are for reading only.
type Run struct {
	// Object with spec and status: conditions, verdict, findings, nodes, and the targets with their
	// settings and environment.
	Object *v1alpha1.BenchmarkRun
	// Plan of all trials; nil for a run that has none, because it was refused or has only begun.
	Plan *plan.Plan
	// Records of all attempts, in the order in which they ended. Their texts are shared, and they
	// have no digests of what was delivered (journal.Shared.Compact).
	Records []contract.Record
	// Summary has the entries, comparisons with their verdicts, sweeps and searches over all cells. Of
	// a run without a stored summary it is what the status shows.
	Summary journal.Summary
	// Quoted are the numbers of published targets, in the order of the spec.
	Quoted []quoted.Numbers

	from   Source
	limits Limits
	memory int
	shared journal.Shared
}

// Read the journal of a run and its quoted numbers. A run that goes on is read as far as it has got.
// It fails when an object is gone, belongs to somebody else or cannot be decoded, and when all of it
// takes more than MaxMemory.
func Read(ctx context.Context, from Source) (*Run, error) {
	return ReadWithin(ctx, from, Limits{Memory: MaxMemory, Results: contract.DefaultBounds()})
}

// ReadWithin reads as Read does, within limits. It fails with ErrTooLarge for a run that takes more memory.
func ReadWithin(ctx context.Context, from Source, limits Limits) (*Run, error) {
	return read(ctx, from, limits, (*Run).readPlan, (*Run).readRecords, (*Run).readSummary, (*Run).readQuoted)
}

// ReadTables reads what the tables of a run need: the object, the summary and the quoted numbers. The
// Run has no plan and no records. It fails as ReadWithin does.
func ReadTables(ctx context.Context, from Source, limits Limits) (*Run, error) {
	return read(ctx, from, limits, (*Run).readSummary, (*Run).readQuoted)
}

// ReadRecords reads only the object and the records. It fails as Read does.
func ReadRecords(ctx context.Context, from Source) (*Run, error) {
	return read(ctx, from, Limits{Memory: MaxMemory}, (*Run).readRecords)
}

// read some parts of a run.
func read(ctx context.Context, from Source, limits Limits, parts ...func(*Run, context.Context) error) (*Run, error) {
	object, err := from.Run(ctx)
	if err != nil {
		return nil, err
	}
	r := &Run{Object: object, from: from, limits: limits}
	for _, part := range parts {
		if err := part(r, ctx); err != nil {
			return nil, fmt.Errorf("%s: %w", from, err)
		}
	}
	return r, nil
}

// OfStatus is a run with what its status shows: the first entries of the summary, and no plan, no
// records and no quoted numbers beyond it.
func OfStatus(from Source, object *v1alpha1.BenchmarkRun) *Run {
	return &Run{Object: object, from: from, Summary: shown(object.Status)}
}

// shown is what a status shows of the summary.
func shown(st v1alpha1.BenchmarkRunStatus) journal.Summary {
	return journal.Summary{Entries: st.Summary, Comparisons: st.Comparisons, Sweeps: st.Sweeps, Searches: st.Searches}
}

// String names the run for people.
func (r *Run) String() string { return r.from.String() }

// Ran is the plan without the trials that decisions of the run leave out; nil without a plan.
func (r *Run) Ran() *plan.Plan {
	if r.Plan == nil {
		return nil
	}
	return journal.Ran(r.Plan, r.Records)
}

// ConfigMap that the run controls, such as the copy of its inputs. It fails for one that is gone.
func (r *Run) ConfigMap(ctx context.Context, name string) (*corev1.ConfigMap, error) {
	cm, err := r.from.ConfigMap(ctx, name)
	switch {
	case err != nil:
		return nil, err
	case cm == nil:
		return nil, fmt.Errorf("ConfigMap %s is gone", name)
	case !metav1.IsControlledBy(cm, r.Object):
		return nil, fmt.Errorf("ConfigMap %s belongs to another object", name)
	}
	return cm, nil
}

// take so much of the memory that is allowed.
func (r *Run) take(bytes int) error {
	if most := min(r.limits.Memory, MaxMemory); r.memory+bytes > most {
		return fmt.Errorf("%w: it takes more than %d MiB of memory", ErrTooLarge, most>>20)
	}
	r.memory += bytes
	return nil
}
