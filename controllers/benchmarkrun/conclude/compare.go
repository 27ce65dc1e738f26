package conclude

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/controllers/benchmarkrun/logbook"
	"github.com/assay-bench/assay/internal/record/integrity"
)

const (
	// perPass is how many results are read in one pass, one after the other. Each has at most
	// 1 MiB, of which only the digests are kept.
	perPass = 50
	// breath is the pause between two such passes: other runs are looked at meanwhile.
	breath = 200 * time.Millisecond
	// maxNamed objects are named in a message.
	maxNamed = 3
)

// Checked is how far the results of a run were compared with its records, and what was found.
// The zero value is that of a run of which nothing was compared.
type Checked struct {
	// part is the one that is compared, and record how many of its records were.
	part   int32
	record int
	// tampered and lost objects.
	tampered, lost tally
}

// tally of findings, of which the first ones are named.
type tally struct {
	named []string
	count int
}

func (t tally) with(f integrity.Finding) tally {
	if t.count++; t.count <= maxNamed {
		t.named = append(slices.Clip(t.named), f.String())
	}
	return t
}

// String is empty when there are none.
func (t tally) String() string {
	text := strings.Join(t.named, "; ")
	if more := t.count - len(t.named); more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}

// Begun says whether any result was compared.
func (c Checked) Begun() bool { return c.part > 0 || c.record > 0 }

// With more findings. The receiver is unchanged.
func (c Checked) With(found []integrity.Finding) Checked {
	for _, f := range found {
		if f.Kind == integrity.Lost {
			c.lost = c.lost.with(f)
		} else {
			c.tampered = c.tampered.with(f)
		}
	}
	return c
}

// Evidence is what the results of a run are compared from.
type Evidence struct {
	Run *v1alpha1.BenchmarkRun
	Now time.Time
	// Book is the last part of the records.
	Book logbook.Book
	// Checked by earlier passes.
	Checked Checked
}

// Compare some more results with their records, in their order. The state is Done when all
// were. Neither means anything while questions are open.
func Compare(in Evidence, ask *decision.Asking) (Checked, decision.State) {
	c := in.Checked
	for asked := 0; asked < perPass; {
		records := in.Book.Records.Records
		if c.part < in.Book.Part {
			records = logbook.RecordsOf(in.Run, c.part, ask)
		}
		if c.record >= len(records) {
			if c.part >= in.Book.Part || !ask.Complete() {
				return c, decision.Done{}
			}
			c.part, c.record = c.part+1, 0
			continue
		}
		for _, d := range records[c.record].Delivered {
			asked++
			if stored := ask.Stored(d.ConfigMap); stored.Known {
				c = c.With(integrity.Delivery(d, stored.Value))
			}
		}
		c.record++
	}
	return c, decision.WaitFor(v1alpha1.ReasonProgressing, "comparing the stored results with the records").At(in.Now.Add(breath))
}

// verdict on the results, once what is stored was compared: what was changed cannot be trusted.
func (c Checked) verdict(v Verdict) Verdict {
	if c.tampered.count == 0 {
		return v
	}
	return Verdict{Known: true, Reason: v1alpha1.ReasonTampered, Message: c.tampered.String()}
}

// findings are what is gone: the numbers in the records stay.
func (c Checked) findings() []v1alpha1.Finding {
	if c.lost.count == 0 {
		return nil
	}
	return []v1alpha1.Finding{{
		Check: "evidence-lost", Severity: v1alpha1.SeverityWarning,
		Message: c.lost.String() + ". The numbers in the records stay, without the results behind them",
	}}
}
