package logbook

import (
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/budget"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
	"github.com/assay-bench/assay/internal/trial/journal"
)

// Book is the last part of the records of a run.
type Book struct {
	journal.Records
	// Exists: the part is written. One that is not is the empty first part.
	Exists bool
	// SHA256 of the part as it is stored, when it exists.
	SHA256 string
	// object that holds the part, when it exists.
	object *corev1.ConfigMap
}

// Empty is the book of a run that has recorded nothing.
func Empty() Book { return Book{Records: journal.Records{}} }

// Read the last part, and compare it with the anchor: what the status says of the chain, nil
// for a run without one. The state is Done, or says why the records are of no use. Both have no
// meaning while questions are open.
func Read(run *v1alpha1.BenchmarkRun, anchor *v1alpha1.IntegrityStatus, ask *decision.Asking) (Book, decision.State) {
	known := int32(0)
	if run.Status.Results != nil {
		known = run.Status.Results.RecordConfigMapCount
	}
	// One that gave its nodes back has records, and may end before it gets others.
	if run.Status.Placement == nil && run.Status.Releases == 0 {
		return Empty(), decision.Done{}
	}
	book, state := part(run, max(known-1, 0), ask.Records)
	if !ask.Complete() || !decision.IsDone(state) {
		return Empty(), state
	}
	if !book.Exists && known > 0 {
		return Empty(), decision.FailWith(v1alpha1.ReasonJournalLost,
			"ConfigMap %s with the records of this run was deleted, and the measured values with it; create a new run",
			contract.RecordsName(run.Name, known-1))
	}
	for book.Full() {
		next, state := part(run, book.Part+1, ask.Records)
		if !ask.Complete() || !decision.IsDone(state) {
			return Empty(), state
		}
		if !next.Exists {
			break
		}
		book = next
	}
	if !book.Exists && anchor != nil {
		book.Records = journal.BeginChain(anchor.PlanSHA256)
	}
	if state := vouched(run, anchor, book, ask); !decision.IsDone(state) {
		return Empty(), state
	}
	return book, decision.Done{}
}

// part of the records; one that does not exist is the empty first part.
func part(run *v1alpha1.BenchmarkRun, number int32, records func(name string) decision.Fact[decision.Part]) (Book, decision.State) {
	name := contract.RecordsName(run.Name, number)
	fact := records(name)
	if !fact.Exists || !metav1.IsControlledBy(fact.Value.Object, run) {
		return Empty(), decision.Done{}
	}
	read, err := fact.Value.Records, fact.Value.Err
	if err == nil && read.Part != number {
		err = fmt.Errorf("it says that it is part %d", read.Part)
	}
	if err == nil {
		err = fits(run.Status.Plan, read)
	}
	var newer *journal.TooNewError
	if errors.As(err, &newer) {
		return Empty(), decision.WaitFor(v1alpha1.ReasonJournalTooNew, "ConfigMap %s with the records of this run: %v", name, newer)
	}
	if err != nil {
		return Empty(), tampered(run, number, fmt.Errorf("it cannot be read: %w", err))
	}
	return Book{Records: read, Exists: true, SHA256: read.Stored(), object: fact.Value.Object}, decision.Done{}
}

// fits says why records are not those of a plan: its trials are looked up by their indexes.
func fits(p *v1alpha1.PlanStatus, records journal.Records) error {
	if len(records.Records) == 0 {
		return errors.New("it has no record")
	}
	trials := int32(0)
	if p != nil {
		trials = p.TrialCount
	}
	for _, rec := range records.Records {
		if rec.Decision != nil {
			if err := rec.Decision.Check(rec, trials); err != nil {
				return err
			}
		}
		if rec.Index < 0 || rec.Attempt < 0 || p != nil && rec.Index >= p.TrialCount {
			return fmt.Errorf("it has a record of attempt %d at trial %d, which the plan does not have", rec.Attempt, rec.Index)
		}
	}
	return nil
}

// Add a record, by an action under the lock of the version that was read. It fails when the part
// cannot be encoded. To the book that it returns nothing can be added: it is not written
// yet.
func (b Book) Add(run *v1alpha1.BenchmarkRun, rec contract.Record) (Book, decision.Action, error) {
	exists, part := b.Exists, b.Records
	if part.Full() {
		exists, part = false, part.Next()
	}
	part = part.Add(rec)
	data, err := part.Encode()
	if err != nil {
		return Book{}, nil, err
	}
	book := Book{Records: part, Exists: true, SHA256: contract.Digest(data)}
	if !exists {
		cm := resources.Journal(run, contract.RecordsName(run.Name, part.Part), contract.KeyRecords, data)
		return book, decision.Create{Object: cm, Existing: decision.Stop}, nil
	}
	cm := b.object.DeepCopy()
	cm.BinaryData = map[string][]byte{contract.KeyRecords: data}
	return book, decision.Replace{Object: cm}, nil
}

// RecordsOf a part; none while it is not known, and of one that is of no use, which All says.
func RecordsOf(run *v1alpha1.BenchmarkRun, number int32, ask *decision.Asking) []contract.Record {
	book, _ := part(run, number, ask.Records)
	return book.Records.Records
}

// earlier part of the records, which has to be there.
func earlier(run *v1alpha1.BenchmarkRun, number int32, ask *decision.Asking) (Book, decision.State) {
	book, state := part(run, number, ask.EarlierRecords)
	if decision.IsDone(state) && !book.Exists {
		state = decision.FailWith(v1alpha1.ReasonJournalLost, "ConfigMap %s with records of this run was deleted", contract.RecordsName(run.Name, number))
	}
	return book, state
}

// askFor the earlier parts from a number on, below an end, at once: each round of questions decides anew.
func askFor(run *v1alpha1.BenchmarkRun, from, end int32, ask *decision.Asking) {
	for number := max(from, 0); number < end; number++ {
		ask.EarlierRecords(contract.RecordsName(run.Name, number))
	}
}

// All records of the run, in the order in which the attempts ended. The state is Done, or
// says which part is gone.
func All(run *v1alpha1.BenchmarkRun, last Book, ask *decision.Asking) ([]contract.Record, decision.State) {
	askFor(run, 0, last.Part, ask)
	if !ask.Complete() {
		return nil, decision.WaitFor(v1alpha1.ReasonProgressing, "reading the records")
	}
	var all []contract.Record
	for number := range last.Part {
		book, state := earlier(run, number, ask)
		if !decision.IsDone(state) {
			return nil, state
		}
		all = append(all, book.Records.Records...)
	}
	return append(all, last.Records.Records...), decision.Done{}
}

// First records of the run: those of the first part. The state is Done, or says that it is gone.
func First(run *v1alpha1.BenchmarkRun, last Book, ask *decision.Asking) ([]contract.Record, decision.State) {
	if last.Part == 0 {
		return last.Records.Records, decision.Done{}
	}
	book, state := earlier(run, 0, ask)
	return book.Records.Records, state
}

// partsAhead are asked for at once, where a block has more than two parts.
const partsAhead = 4

// OfBlock are the records of the block that is measured now, and maybe some before it, in the order in
// which the attempts ended. The state is Done, or says which part is gone.
func OfBlock(run *v1alpha1.BenchmarkRun, last Book, block int32, ask *decision.Asking) ([]contract.Record, decision.State) {
	out := last.Records.Records
	for number := last.Part - 1; number >= 0 && (len(out) == 0 || out[0].Block == block); number-- {
		// Most blocks are in one part, or begin in the one before.
		if (last.Part-number)%partsAhead == 2 {
			askFor(run, number+1-partsAhead, number+1, ask)
		}
		book, state := earlier(run, number, ask)
		if !decision.IsDone(state) {
			return nil, state
		}
		out = slices.Concat(book.Records.Records, out)
	}
	return out, decision.Done{}
}

// Bytes that the parts of the records take, after All has read them. The last one counts as it was read.
func Bytes(run *v1alpha1.BenchmarkRun, last Book, ask *decision.Asking) (bytes int64) {
	for number := range last.Part {
		book, _ := part(run, number, ask.EarlierRecords)
		bytes += budget.OfResult(book.Bytes())
	}
	if last.Exists {
		bytes += budget.OfResult(last.Bytes())
	}
	return bytes
}
