package benchmarkrun

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/journal"
	"github.com/assay-bench/assay/internal/resources"

	"github.com/assay-bench/assay/internal/contract"
)

// readJournal reads the last part of the records from the API server, and derives
// the progress from it: the status may be older than the journal, never newer.
func (r *Reconciler) readJournal(ctx context.Context, s *scope) error {
	st := &s.run.Status
	known := int32(0)
	if st.Results != nil {
		known = st.Results.RecordConfigMapCount
	}
	if st.Placement == nil {
		s.journal.Records = journal.Records{}
		return nil
	}
	book, err := r.readPart(ctx, s, max(known-1, 0))
	if err != nil {
		return err
	}
	if book.object == nil && known > 0 {
		return refuse(v1alpha1.ReasonJournalLost,
			"ConfigMap %s with the records of this run was deleted: what was measured is not known any more; create a new run",
			contract.RecordsName(s.run.Name, known-1))
	}
	for book.Full() {
		next, err := r.readPart(ctx, s, book.Part+1)
		if err != nil {
			return err
		}
		if next.object == nil {
			break
		}
		book = next
	}
	s.journal = book
	s.showProgress()
	return nil
}

// readPart reads one part; one that does not exist has no object.
func (r *Reconciler) readPart(ctx context.Context, s *scope, part int32) (notebook, error) {
	cm := &corev1.ConfigMap{}
	key := client.ObjectKey{Namespace: s.run.Namespace, Name: contract.RecordsName(s.run.Name, part)}
	err := r.Live.Get(ctx, key, cm)
	if apierrors.IsNotFound(err) || err == nil && !metav1.IsControlledBy(cm, s.run) {
		return notebook{Records: journal.Records{}}, nil
	}
	if err != nil {
		return notebook{}, fmt.Errorf("reading ConfigMap %s: %w", key.Name, err)
	}
	records, err := journal.DecodeRecords(cm.BinaryData[contract.KeyRecords])
	if err == nil && records.Part != part {
		err = fmt.Errorf("it says that it is part %d", records.Part)
	}
	var newer *journal.TooNewError
	if errors.As(err, &newer) {
		return notebook{}, later(v1alpha1.ReasonJournalTooNew, "ConfigMap %s with the records of this run: %v", key.Name, newer)
	}
	if err != nil {
		return notebook{}, refuse(v1alpha1.ReasonJournalLost, "ConfigMap %s with the records of this run cannot be read: %v", key.Name, err)
	}
	return notebook{Records: records, object: cm}, nil
}

// showProgress puts what the journal says into the status.
func (s *scope) showProgress() {
	p := &s.run.Status.Progress
	p.Totals = v1alpha1.Totals(s.journal.Totals())
	p.Text = progressText(*p)
	if s.journal.object != nil {
		if s.run.Status.Results == nil {
			s.run.Status.Results = &v1alpha1.ResultsStatus{}
		}
		s.run.Status.Results.RecordConfigMapCount = s.journal.Part + 1
	}
	// What the last passes wrote down but could not put into the status.
	records := s.journal.Records.Records
	for _, rec := range records[max(0, len(records)-maxTrials):] {
		if !s.shown(rec) {
			s.showRecord(rec)
		}
	}
}

// shown says whether the end of an attempt stands in the status already.
func (s *scope) shown(t contract.Record) bool {
	for _, o := range s.run.Status.Trials {
		if o.Index == t.Index && o.Attempt == t.Attempt && o.State != v1alpha1.TrialRunning {
			return true
		}
	}
	return false
}

func (s *scope) showRecord(rec contract.Record) {
	s.showTrial(trialStatusOf(rec))
	for _, f := range findingsOf(rec) {
		s.find(f)
	}
	s.run.Status.Progress.CurrentTrial, s.run.Status.Progress.Current = nil, ""
}

// record writes down what became of an attempt, under the lock of the version that
// was read: of two managers only one can.
func (r *Reconciler) record(ctx context.Context, s *scope, rec contract.Record) error {
	book := s.journal
	if book.Full() {
		book = notebook{Records: book.Next()}
	}
	book.Records = book.Add(rec)
	data, err := book.Encode()
	if err != nil {
		return err
	}
	if book.object == nil {
		cm := resources.Journal(s.run, contract.RecordsName(s.run.Name, book.Part), contract.KeyRecords, data)
		created, err := r.ensure(ctx, s, cm)
		if err != nil {
			return err
		}
		if !created {
			return later(v1alpha1.ReasonProgressing, "ConfigMap %s was written meanwhile", cm.Name)
		}
		book.object = cm
	} else {
		cm := book.object.DeepCopy()
		cm.BinaryData = map[string][]byte{contract.KeyRecords: data}
		if err := r.Client.Update(ctx, cm); err != nil {
			return fmt.Errorf("recording trial %d: %w", rec.Index, err)
		}
		book.object = cm
	}
	s.journal = book
	s.showRecord(rec)
	s.showProgress()
	return nil
}

// allRecords reads every part of the records, the last one as it is known.
func (r *Reconciler) allRecords(ctx context.Context, s *scope) ([]contract.Record, error) {
	var all []contract.Record
	for part := range s.journal.Part {
		book, err := r.readPart(ctx, s, part)
		if err != nil {
			return nil, err
		}
		if book.object == nil {
			return nil, refuse(v1alpha1.ReasonJournalLost, "ConfigMap %s with records of this run was deleted", contract.RecordsName(s.run.Name, part))
		}
		all = append(all, book.Records.Records...)
	}
	return append(all, s.journal.Records.Records...), nil
}
