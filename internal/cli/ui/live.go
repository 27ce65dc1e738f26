package ui

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/record/stored"
	"github.com/assay-bench/assay/internal/show/readout"
	"github.com/assay-bench/assay/internal/show/report/chart"
)

const (
	// mostSeries are drawn in a picture, mostPoints of each, the last ones.
	mostSeries, mostPoints = 8, 400
	// mostSeen runs are kept between two looks.
	mostSeen = 4
)

// seen are the pictures of runs that go on, as they were when the last trial ended: a look in between reads nothing again.
type seen struct {
	mu   sync.Mutex
	runs []sight
}

type sight struct {
	uid     types.UID
	done    int32
	figures []*picture
}

// pictures of a run that goes on: the trials so far, and the last one of each target over time.
func (s *site) pictures(ctx context.Context, run *v1alpha1.BenchmarkRun) ([]*picture, error) {
	p := run.Status.Progress
	attempts := p.Done + p.Retries
	if attempts == 0 {
		return nil, nil
	}
	s.seen.mu.Lock()
	defer s.seen.mu.Unlock() // of several windows one reads, and the others see the same
	for _, before := range s.seen.runs {
		if before.uid == run.UID && before.done == attempts {
			return before.figures, nil
		}
	}
	read, err := stored.Read(ctx, stored.InCluster(s.api, client.ObjectKeyFromObject(run)))
	if err != nil {
		return nil, err
	}
	trials, err := trialsOf(read)
	if err != nil {
		return nil, err
	}
	over, err := overTime(ctx, read)
	if err != nil {
		return nil, err
	}
	figures := slices.DeleteFunc([]*picture{trials, over}, func(f *picture) bool { return f == nil })
	s.seen.runs = slices.DeleteFunc(s.seen.runs, func(v sight) bool { return v.uid == run.UID })
	s.seen.runs = append(s.seen.runs, sight{run.UID, attempts, figures})
	s.seen.runs = s.seen.runs[max(len(s.seen.runs)-mostSeen, 0):]
	return figures, nil
}

// targetsOf records, in the order in which they ended, at most mostSeries.
func targetsOf(records []contract.Record) (out []string) {
	for _, rec := range records {
		if !slices.Contains(out, rec.Target) && len(out) < mostSeries {
			out = append(out, rec.Target)
		}
	}
	return out
}

// trialsOf a run, each as a point, by the main measurement of the tool.
func trialsOf(run *stored.Run) (*picture, error) {
	targets := targetsOf(run.Records)
	lines := make([]chart.Line, len(targets))
	for i := range lines {
		lines[i].Series = i
	}
	name, unit := "", ""
	behind := &table{Caption: "Trials so far, the last ones", Head: []column{{Name: "Trial"}, {Name: "Target"}, {Name: "Where"}, {"Value", true}, {Name: "Counts"}}}
	from := max(len(run.Records)-mostPoints, 0)
	for _, rec := range run.Records[from:] {
		i := slices.Index(targets, rec.Target)
		if i < 0 || len(rec.Values) == 0 {
			continue
		}
		v := rec.Values[0]
		if name == "" {
			name, unit = v.Name, v.Unit
		}
		if v.Name != name || v.Unit != unit {
			continue
		}
		counts := "yes"
		switch {
		case rec.State != contract.Succeeded:
			counts = "no: failed"
		case rec.Valid != nil && !*rec.Valid:
			counts = "no: invalid"
		case rec.Disturbed:
			counts = "no: disturbed"
		}
		value := figure.Number(v.Value) + " " + unit
		where := whereOf(rec)
		title := fmt.Sprintf("trial %d, %s, %s, block %d: %s", rec.Index, rec.Target, where, rec.Block, value)
		if counts != "yes" {
			title += ", counts: " + counts
		}
		lines[i].Dots = append(lines[i].Dots, chart.Dot{X: float64(rec.Index), Y: v.Value, Title: cut(title), Open: counts != "yes"})
		if len(behind.Rows) < mostRows {
			behind.Rows = append(behind.Rows, []cell{{Text: strconv.Itoa(int(rec.Index)), Heading: true}, {Text: cut(rec.Target)}, {Text: cut(where)}, {Text: cut(value), Number: true}, {Text: counts}})
		}
	}
	f := picture{ID: "trials", Caption: cut("Trials so far: " + name + ", " + unit), Note: "Each point is a trial. Open ones do not count.", Behind: behind}
	return f.draw(chart.Lines{Label: f.Caption + ". The table behind it has the numbers.", XUnit: "trial", Lines: lines, Height: 240}, targets)
}

// whereOf a trial: the values of its cell.
func whereOf(rec contract.Record) string {
	values := map[string]string{}
	for name, value := range rec.Parameters {
		values[name] = value.String()
	}
	return readout.PlaceOf(values)
}

// overTime is the last trial of each target, interval by interval.
func overTime(ctx context.Context, run *stored.Run) (*picture, error) {
	targets := targetsOf(run.Records)
	var lines []chart.Line
	var drawn []string
	unit, note := "", ""
	behind := &table{Caption: "Intervals", Head: []column{{Name: "Target"}, {"Second", true}, {"Value", true}}}
	for _, target := range targets {
		at := len(run.Records) - 1
		for at >= 0 && (run.Records[at].Target != target || run.Records[at].State != contract.Succeeded) {
			at--
		}
		if at < 0 {
			continue
		}
		rec := run.Records[at]
		res, ok, err := run.Result(ctx, rec.Result)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		m, ok := res.Result.Find(contract.NameThroughput, nil)
		if !ok || len(m.Intervals) < 2 || unit != "" && unit != m.Unit {
			continue
		}
		unit = m.Unit
		lines = append(lines, chart.Line{Series: len(drawn), Plain: true, Points: pointsOf(m.Intervals, target)})
		drawn = append(drawn, target)
		note += fmt.Sprintf("%s: trial %d, %s, in block %d. ", target, rec.Index, whereOf(rec), rec.Block)
		for _, p := range m.Intervals {
			if p.Value != nil && len(behind.Rows) < mostRows {
				behind.Rows = append(behind.Rows, []cell{{Text: cut(target), Heading: true}, {Text: figure.Number(p.AtSeconds), Number: true}, {Text: figure.Number(*p.Value), Number: true}})
			}
		}
	}
	switch varied := slices.ContainsFunc(run.Object.Spec.Matrix, func(a v1alpha1.Axis) bool { return a.Name == v1alpha1.AxisClients }); {
	case varied:
		note += "It is the first one of the clients that work. "
	case run.Clients() > 1:
		note += fmt.Sprintf("It is the first one of %d clients. ", run.Clients())
	}
	f := picture{ID: "intervals", Caption: cut("The last trial of each target: " + contract.NameThroughput + ", " + unit), Note: cut(note), Behind: behind}
	return f.draw(chart.Lines{Label: f.Caption + ". The table behind it has the numbers.", XUnit: "seconds since the measured window began", Zero: true, Lines: lines, Height: 240}, drawn)
}

// pointsOf intervals, each the mean of as many as it takes to have few.
func pointsOf(all []contract.Interval, title string) (out []chart.Point) {
	per := max((len(all)+mostPoints-1)/mostPoints, 1)
	for part := range slices.Chunk(all, per) {
		sum, n := 0.0, 0
		for _, p := range part {
			if p.Value != nil {
				sum, n = sum+*p.Value, n+1
			}
		}
		if n > 0 {
			out = append(out, chart.Point{X: part[len(part)-1].AtSeconds, Y: sum / float64(n), Title: cut(title)})
		}
	}
	return out
}
