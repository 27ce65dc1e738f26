package baseline

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/verdict/analysis"
)

const (
	// MaxMeasurements, maxRuns, maxHistory, maxEnvironments and maxSpeeds are the bounds of the API.
	MaxMeasurements = 512
	maxRuns         = 32
	maxHistory      = 16
	maxEnvironments = 32
	maxSpeeds       = 96
	// mostEach is how many environments of one target are kept: its first ones.
	mostEach = 4
	// mostTimes of one reference loop are kept, evenly spread over the run.
	mostTimes = 100
	// digits of a number that are kept: blocks differ in the third one.
	digits = 6
)

// Source is what a baseline is made from.
type Source struct {
	// Run that has ended, and what it has recorded.
	Run      *v1alpha1.BenchmarkRun
	Recorded analysis.Run
	// Repetitions of the run: of each measurement the baseline has the medians of all of them, by which a prediction judges.
	Repetitions []Repetition
	// More measurements than the primary ones of the run.
	More []analysis.Measurement
	// Promotion says who promotes it, when and why.
	Promotion v1alpha1.Promotion
	// Before is the baseline that it replaces; nil for none.
	Before *v1alpha1.BenchmarkBaselineSpec
}

// Repetition of a run, and what it has recorded.
type Repetition struct {
	Run      *v1alpha1.BenchmarkRun
	Recorded analysis.Run
}

var (
	errNoValues = errors.New("no trial of the run counts, and so it has no number to expect")
	errTooMany  = fmt.Errorf("a baseline has at most %d measurements: declare those that matter with spec.analysis.comparisons, or use several runs", MaxMeasurements)
)

// Make the spec of a baseline from a run. Tolerances of the baseline before stay with their
// measurements, and its promotion goes into the history. It fails for a run without numbers, for one
// with too many measurements, for one whose records do not fit its plan, and for repetitions that are too few or too
// many.
func Make(s Source) (v1alpha1.BenchmarkBaselineSpec, error) {
	values, err := analysis.ValuesOf(s.Recorded)
	if err != nil {
		return v1alpha1.BenchmarkBaselineSpec{}, err
	}
	all := values.Primary(s.More...)
	switch {
	case len(all) == 0:
		return v1alpha1.BenchmarkBaselineSpec{}, errNoValues
	case len(all) > MaxMeasurements:
		return v1alpha1.BenchmarkBaselineSpec{}, errTooMany
	}
	workload, err := WorkloadOf(s.Run)
	if err != nil {
		return v1alpha1.BenchmarkBaselineSpec{}, err
	}
	st := s.Run.Status
	out := v1alpha1.BenchmarkBaselineSpec{
		Run:       v1alpha1.BaselineRun{Name: s.Run.Name, UID: string(s.Run.UID), CompletionTime: st.CompletionTime, SpecHash: st.SpecHash, Workload: workload, Headline: st.Headline},
		Promotion: s.Promotion,
	}
	tolerances := map[string]string{}
	if s.Before != nil {
		for _, m := range s.Before.Measurements {
			tolerances[Key(m.MeasurementKey)] = m.Tolerance
		}
		out.History = past(*s.Before)
	}
	for _, v := range all {
		m := v1alpha1.ExpectedMeasurement{MeasurementKey: KeyOf(v), Direction: string(v.Direction), Blocks: decimals(v.Blocks)}
		m.Tolerance = tolerances[Key(m.MeasurementKey)]
		out.Measurements = append(out.Measurements, m)
	}
	if err := addRuns(&out, s, all); err != nil {
		return v1alpha1.BenchmarkBaselineSpec{}, err
	}
	for _, target := range s.Recorded.Layout.Plan.Targets {
		if target != v1alpha1.ControlName {
			addCircumstances(&out, target, s.Recorded.Succeeded(target))
		}
	}
	return out, nil
}

// past promotions, the one that is replaced first.
func past(before v1alpha1.BenchmarkBaselineSpec) []v1alpha1.PastPromotion {
	out := []v1alpha1.PastPromotion{{Run: before.Run.Name, Promotion: before.Promotion, Headline: before.Run.Headline}}
	out = append(out, before.History...)
	return out[:min(len(out), maxHistory)]
}

// addCircumstances of the trials of a target.
func addCircumstances(to *v1alpha1.BenchmarkBaselineSpec, target string, records []contract.Record) {
	var seen []contract.Facts
	type loop struct{ side, kernel string }
	times := map[loop][]float64{}
	var loops []loop
	for _, rec := range records {
		if rec.Facts != "" && len(seen) < mostEach && len(to.Environments) < maxEnvironments && !slices.Contains(seen, rec.Facts) {
			seen = append(seen, rec.Facts)
			to.Environments = append(to.Environments, v1alpha1.BaselineEnvironment{Target: target, Facts: string(rec.Facts)})
		}
		for _, m := range rec.MachineSpeed {
			l := loop{m.Side, m.Kernel}
			if m.Seconds <= 0 {
				continue
			}
			if times[l] == nil {
				loops = append(loops, l)
			}
			times[l] = append(times[l], m.Seconds)
		}
	}
	for _, l := range loops {
		if len(to.MachineSpeed) < maxSpeeds {
			to.MachineSpeed = append(to.MachineSpeed, v1alpha1.BaselineSpeed{
				Target: target, Side: v1alpha1.SpeedSide(l.side), Kernel: v1alpha1.SpeedKernel(l.kernel), Seconds: decimals(spread(times[l])),
			})
		}
	}
}

// spread are at most mostTimes values, evenly spread over all of them.
func spread(values []float64) []float64 {
	if len(values) <= mostTimes {
		return values
	}
	out := make([]float64, mostTimes)
	for i := range out {
		out[i] = values[i*len(values)/mostTimes]
	}
	return out
}

func decimals(values []float64) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = decimal(v)
	}
	return out
}

// decimal is a number with six significant digits, as the API takes it: of at most 20 decimal places.
func decimal(v float64) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	if err != nil {
		rounded = v
	}
	text := strconv.FormatFloat(rounded, 'f', -1, 64)
	if whole, places, is := strings.Cut(text, "."); is && len(places) > 20 {
		text = whole + "." + places[:20]
	}
	return text
}
