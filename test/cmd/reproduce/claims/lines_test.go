package claims

import (
	"strings"
	"testing"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/quoted"
)

// lined is a source with one form of two rows, and what is quoted of it.
func lined(lines ...string) (Source, []quoted.Numbers) {
	number := func(name, unit, driver string, value float64) contract.Measurement {
		return contract.Measurement{Name: name, Unit: unit, Value: &value, Labels: map[string]string{"driver": driver}}
	}
	s := Source{Runs: 2, Forms: []Form{{
		Heading: "bench", Corner: []string{"driver"}, Lines: lines,
		Part:    Part{Quoted: "published", Name: "throughput", Here: map[string]string{"operation": "Do"}},
		Rows:    []Part{{Labels: map[string]string{"driver": "mysql"}, Here: map[string]string{"driver": "mysql"}}, {Labels: map[string]string{"driver": "mysql2"}, Here: map[string]string{"driver": "mysql2"}}},
		Columns: []Part{{Heads: []string{"ops/sec"}, Unit: "ops/s", Here: map[string]string{}}, {Heads: []string{"±"}, Name: "margin", Unit: "%", Statistic: Margin, Here: map[string]string{}}, {Heads: []string{"sampled"}, Name: "samples", Unit: "1", Statistic: Count, Here: map[string]string{}}},
	}}}
	return s, []quoted.Numbers{{Target: "published", Phases: []quoted.Phase{{Phase: contract.KeyQuotedRun, Measurements: []contract.Measurement{
		number("throughput", "ops/s", "mysql", 4826.5), number("margin", "%", "mysql", 1.061), number("samples", "1", "mysql", 280),
		number("throughput", "ops/s", "mysql2", 47.1), number("margin", "%", "mysql2", 0.463), number("samples", "1", "mysql2", 1),
	}}}}}
}

const (
	first  = "do <n> - mysql x 4,826 ops/sec ±1.06% (280 runs sampled)"
	second = "do <n> - mysql2 x 47.09 ops/sec ±0.46% (1 run sampled)"
)

// The lines of Benchmark.js stand as they were printed, and below them those of the blocks that were measured.
func TestLinesOfBenchmarkJS(t *testing.T) {
	s, numbers := lined(first, second)
	forms, err := s.Lay(numbers)
	if err != nil {
		t.Fatal(err)
	}
	side := func(driver string, values map[int32]float64) Side {
		return Side{Measurement: "throughput", Labels: map[string]string{"operation": "Do", "driver": driver}, Unit: "ops/s", Values: values}
	}
	runs := []Run{
		{Sides: []Side{side("mysql", map[int32]float64{0: 9000, 1: 9100, 2: 9000, 3: 9100, 4: 9000, 5: 9100}), side("mysql2", map[int32]float64{0: 90})}},
		{Sides: []Side{side("mysql", map[int32]float64{0: 9200, 1: 9300, 2: 9200, 3: 9300, 4: 9200, 5: 9300})}},
	}
	got, err := s.Written(forms, runs)
	if err != nil {
		t.Fatal(err)
	}
	// The mean is 9,150 with a standard deviation of 116.8 and 11 degrees of freedom, whose quantile is 2.201.
	for _, want := range []string{"```text\n" + first + "\n" + second + "\n```\n", "```text\ndo <n> - mysql x 9,150 ops/sec ±0.81% (12 blocks sampled)\n```\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %q:\n%s", want, got)
		}
	}
	none, err := s.Written(forms, nil)
	if err != nil || !strings.Contains(none, first) || strings.Contains(none, "Measured here, a block") {
		t.Errorf("%v:\n%s", err, none)
	}
}

// A line that is not that of its row is found before anything is written.
func TestLinesAreThoseOfTheirRows(t *testing.T) {
	for name, tc := range map[string]struct {
		lines []string
		want  string
	}{
		"too few":          {[]string{first}, "want one for each of 2 rows"},
		"another rate":     {[]string{strings.Replace(first, "4,826", "4,825", 1), second}, "lines[0]: got 4,825, and column ops/sec of its row has 4,826.5 ops/s"},
		"another margin":   {[]string{strings.Replace(first, "1.06", "1.07", 1), second}, "lines[0]: got 1.07, and column ±"},
		"another count":    {[]string{first, strings.Replace(second, "(1 run", "(2 runs", 1)}, "lines[1]: got 2, and column sampled"},
		"in another order": {[]string{second, first}, "lines[0]: got 47.09"},
		"no line":          {[]string{first, "mysql2: 47"}, "lines[1]: mysql2: 47 is none of Benchmark.js"},
	} {
		s, numbers := lined(tc.lines...)
		if _, err := s.Lay(numbers); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
}
