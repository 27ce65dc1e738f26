package export

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/perf/benchfmt"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/record/stored"
	"github.com/assay-bench/assay/internal/show/readout"
)

// writeBenchstat writes a line for each trial that counts, in the names of which target and cell are
// keys: benchstat -col /target. Names and units are the same for each run of an experiment, so that
// two files are compared. Times are in seconds, and each unit says which direction is better.
func writeBenchstat(out io.Writer, run *stored.Run) error {
	// A line of configuration: benchstat prints it above its table, and keeps such a run apart from a sound one.
	if all := readout.Caveats(run.Object); len(all) > 0 {
		if _, err := fmt.Fprintf(out, "caveat: %s\n", strings.Join(all, "; ")); err != nil {
			return err
		}
	}
	all := seriesOf(run)
	w := benchfmt.NewWriter(out)
	told := map[string]bool{}
	for _, s := range all {
		unit, _ := s.goUnit()
		better := readout.Better(string(s.direction))
		if better == "" || told[unit] {
			continue
		}
		told[unit] = true
		if err := w.Write(&benchfmt.UnitMetadata{UnitMetadataKey: benchfmt.UnitMetadataKey{Unit: unit, Key: "better"}, OrigUnit: unit, Value: better}); err != nil {
			return err
		}
	}
	type trial struct {
		index int32
		name  string
	}
	results := map[trial]*benchfmt.Result{}
	var order []*benchfmt.Result
	for _, s := range all {
		name := goName(run, s)
		unit, values := s.goUnit()
		for i, v := range values {
			key := trial{s.trials[i].Index, name}
			r := results[key]
			if r == nil {
				r = &benchfmt.Result{Name: benchfmt.Name(name), Iters: 1}
				results[key], order = r, append(order, r)
			}
			r.Values = append(r.Values, benchfmt.Value{Value: v, Unit: unit})
		}
	}
	for _, r := range order {
		if err := w.Write(r); err != nil {
			return err
		}
	}
	return nil
}

// goName such as Sysbench/target=mysql/threads=64; the writer adds "Benchmark".
func goName(run *stored.Run, s *series) string {
	tool := []rune(toolOf(run))
	tool[0] = unicode.ToUpper(tool[0]) // or it would be no benchmark
	name := string(tool) + "/target=" + goWord(s.target)
	for _, axis := range slices.Sorted(maps.Keys(s.parameters)) {
		name += fmt.Sprintf("/%s=%s", goWord(axis), goWord(s.parameters[axis].String()))
	}
	return name
}

// goWord is a text without what separates the parts of a name.
func goWord(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '/' || r == '=' || unicode.IsSpace(r) || !unicode.IsPrint(r) {
			return '_'
		}
		return r
	}, contract.Line(text))
}

// goUnit is the measurement with its unit, such as throughput-tx/s or latency.percentile{p=95}-sec.
func (s *series) goUnit() (unit string, values []float64) {
	name := strings.Join(strings.Fields(contract.Line(s.measurement())), "_")
	per, isTime := perSecond[s.unit]
	if !isTime {
		return name + "-" + strings.Join(strings.Fields(contract.Line(s.unit)), "_"), s.values
	}
	for _, v := range s.values {
		values = append(values, v/per)
	}
	return name + "-sec", values
}
