package report

import (
	"fmt"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/show/readout"
)

// maxCells of which single trials are shown.
const maxCells = 4

// maxBuckets of a histogram to which those of further trials are added: where trials have no buckets in common, each
// one makes it longer.
const maxBuckets = 100_000

// detail is what the results of some trials say about one target in one cell.
type detail struct {
	target, cell string
	// trial and block of the time series; the other ones are in the histograms only.
	trial, block int32
	series       *timeSeries
	// operations of the histograms, in their order, and what was merged of each.
	operations []string
	histograms map[string]contract.Histogram
	// merged is the number of trials in the histograms, of counted ones.
	merged, counted int
	// missing are trials whose intervals and histograms are not in the cluster.
	missing int
}

// details is what all results say, by cell.
type details struct {
	cells  []string
	byCell map[string][]*detail
	// left is how many cells are not shown.
	left int
}

// detailsOf the results of some trials that count: those of up to four cells, of each target and cell the same number,
// at most MaxResults of clients together. Where one trial of each target has more, they are those of one cell.
func detailsOf(in Input, all trials) (details, error) {
	out := details{byCell: map[string][]*detail{}}
	if in.Result == nil || in.Plan == nil {
		return out, nil
	}
	clients := in.Run.ClientCount()
	fit := MaxResults / max(len(in.Plan.Targets)*clients, 1)
	cells := spread(len(in.Plan.Cells), min(max(fit, 1), maxCells))
	out.left = len(in.Plan.Cells) - len(cells)
	each := max(MaxResults/max(len(cells)*len(in.Plan.Targets)*clients, 1), 1)
	for _, cell := range cells {
		name := axesOf(in.Plan.Cells[cell])
		for _, target := range in.Plan.Targets {
			s := &detail{target: target, cell: name, histograms: map[string]contract.Histogram{}}
			for _, rec := range all.counted {
				if int(rec.Cell) != cell || rec.Target != target {
					continue
				}
				if s.counted++; s.counted > each {
					continue
				}
				if err := s.see(in, rec); err != nil {
					return out, fmt.Errorf("the result of trial %d: %w", rec.Index, err)
				}
			}
			if s.series == nil && len(s.operations) == 0 && s.missing == 0 {
				continue
			}
			if out.byCell[name] == nil {
				out.cells = append(out.cells, name)
			}
			out.byCell[name] = append(out.byCell[name], s)
		}
	}
	return out, nil
}

// spread are at most so many of n indices, with the first one, and with the last one where there are two.
func spread(n, most int) (out []int) {
	if n <= most {
		for i := range n {
			out = append(out, i)
		}
		return out
	}
	for i := range most {
		out = append(out, i*(n-1)/max(most-1, 1))
	}
	return out
}

// see one more result.
func (s *detail) see(in Input, rec contract.Record) error {
	res, ok, err := in.Result(rec)
	if err != nil {
		return err
	}
	if !ok || res.Whole != nil {
		s.missing++
		return nil
	}
	if series := seriesOfResult(res); s.series == nil && series != nil {
		s.series, s.trial, s.block = series, rec.Index, rec.Block
	}
	s.merge(res)
	return nil
}

// merge the histograms of a result: those of all operations, or of each kind where the tool has no other. Where one of them
// is full, nothing of the result is: a picture says of how many trials all its curves are.
func (s *detail) merge(res contract.Result) {
	for _, h := range s.histograms {
		if len(h.Buckets) > maxBuckets {
			return
		}
	}
	merged := false
	for _, m := range res.Measurements {
		if m.Histogram == nil || len(m.Histogram.Buckets) == 0 || m.Name != contract.NameLatencyAvg {
			continue
		}
		name := readout.MeasurementName("", m.Labels)
		have, known := s.histograms[name]
		switch {
		case !known && len(s.operations) >= maxPanels:
			continue
		case !known:
			s.operations, s.histograms[name], merged = append(s.operations, name), *m.Histogram, true
			continue
		}
		if sum, ok := contract.MergeHistograms(have, *m.Histogram); ok {
			s.histograms[name], merged = sum, true
		}
	}
	if merged {
		s.merged++
	}
}
