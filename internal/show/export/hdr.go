package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/record/stored"
	"github.com/assay-bench/assay/internal/show/readout"
)

// Bounds of a histogram: nanoseconds with three digits, up to a day. The library divides by 1e6 for the log's column
// Interval_Max, which so is in milliseconds, as readers expect.
const (
	hdrDigits  = 3
	hdrHighest = 24 * int64(time.Hour/time.Nanosecond)
)

// writeHDR writes a line for each histogram of each trial that counts, of all its clients together. The
// tag has target, cell and measurement; begin and length are those of the measured window.
func writeHDR(ctx context.Context, out io.Writer, run *stored.Run) error {
	w := hdrhistogram.NewHistogramLogWriter(out)
	title := fmt.Sprintf("[%s, latencies in nanoseconds]", contract.Line(run.String()))
	if err := errors.Join(w.OutputLogFormatVersion(), w.OutputComment(title), w.OutputLegend()); err != nil {
		return err
	}
	for _, text := range readout.Caveats(run.Object) {
		if err := w.OutputComment("[" + text + "]"); err != nil {
			return err
		}
	}
	left, elsewhere := leftOut(run), 0
	for _, rec := range run.Records {
		if leftOutReason(rec, left) != "" {
			continue
		}
		merged, whole, err := histogramsOf(ctx, run, rec)
		if err != nil {
			return err
		}
		if !whole {
			elsewhere++
		}
		for _, m := range merged {
			if err := writeInterval(w, rec, m); err != nil {
				return err
			}
		}
	}
	if elsewhere > 0 {
		return w.OutputComment(fmt.Sprintf("[%d trials are left out: their histograms are in the object store]", elsewhere))
	}
	return nil
}

// namedHistogram is the histogram of a measurement.
type namedHistogram struct {
	name string
	contract.Histogram
}

// histogramsOf the clients of an attempt, merged by measurement; whole is false where they are in the
// object store. Histograms that cannot be added up exactly are an error.
func histogramsOf(ctx context.Context, run *stored.Run, rec contract.Record) (merged []namedHistogram, whole bool, err error) {
	parts := map[string][]contract.Histogram{}
	var names []string
	for res, err := range run.Results(ctx, rec) {
		if err != nil {
			return nil, false, err
		}
		if res.Result.Whole != nil {
			return nil, false, nil
		}
		for _, m := range res.Result.Measurements {
			if m.Histogram == nil || perSecond[m.Histogram.Unit] == 0 {
				continue
			}
			labels := m.Labels
			if !run.Object.Spec.Measures(res.Result.Trial.Client) {
				labels = contract.Also(labels, contract.LabelLoad, contract.LoadBackground)
			}
			name := labelled(m.Name, labels)
			if parts[name] == nil {
				names = append(names, name)
			}
			parts[name] = append(parts[name], *m.Histogram)
		}
	}
	for _, name := range names {
		h, ok := contract.MergeHistograms(parts[name]...)
		if !ok {
			return nil, false, fmt.Errorf("trial %d: the histograms of %s of its clients have different units", rec.Index, contract.Line(name))
		}
		merged = append(merged, namedHistogram{name, h})
	}
	return merged, true, nil
}

func writeInterval(w *hdrhistogram.HistogramLogWriter, rec contract.Record, m namedHistogram) error {
	h := hdrhistogram.New(1, hdrHighest, hdrDigits)
	h.SetTag(tagOf(rec.Target + ";" + pairs(rec.Parameters, " ") + ";" + m.name))
	if start, end := windowOf(rec); end.After(start) {
		h.SetStartTimeMs(start.UnixMilli())
		h.SetEndTimeMs(end.UnixMilli())
	}
	nanoseconds := float64(time.Second) / perSecond[m.Unit]
	for _, b := range m.Buckets {
		if err := h.RecordValues(int64(math.Round(b.Value*nanoseconds)), b.Count); err != nil {
			return fmt.Errorf("trial %d: %w", rec.Index, err)
		}
	}
	return w.OutputIntervalHistogram(h)
}

// windowOf a trial; zero where it is not known.
func windowOf(rec contract.Record) (start, end time.Time) {
	if rec.WindowStartTime == nil || rec.WindowEndTime == nil {
		return time.Time{}, time.Time{}
	}
	return *rec.WindowStartTime, *rec.WindowEndTime
}

// tagOf a text: it has no comma, space or line break, which would end the tag.
func tagOf(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._;=-{}", r) {
			return r
		}
		return '_'
	}, text)
}
