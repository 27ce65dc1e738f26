package report

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fullSamples are the published experiments at full size.
const fullSamples = "../../../config/samples/published/"

// quotedBy a published target: its numbers by phase, measurement, unit and labels.
func quotedBy(t *testing.T, in Input, target string) map[string]float64 {
	t.Helper()
	out := map[string]float64{}
	for _, numbers := range in.Quoted {
		if numbers.Target != target {
			continue
		}
		for _, phase := range numbers.Phases {
			for _, m := range phase.Measurements {
				key := quotedKey(phase.Phase, m.Name, m.Unit, m.Labels)
				if _, has := out[key]; has {
					t.Errorf("%s has %s twice", target, key)
				}
				out[key] = *m.Value
			}
		}
	}
	if len(out) == 0 {
		t.Errorf("nothing is quoted as %s", target)
	}
	return out
}

func quotedKey(phase, name, unit string, labels map[string]string) string {
	return fmt.Sprintf("%s %s %s %v", phase, name, unit, labels)
}

// nearly: a number of other units has another last digit.
var nearly = cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Max(math.Abs(a), math.Abs(b)) })

// sourceText is what a publication says, from its page.
func sourceText(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile("../../trial/quoted/testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// numberIn a text of a publication, such as 5.5M, ~31,000 or 2.87.
func numberIn(t *testing.T, text string) float64 {
	t.Helper()
	times := 1.0
	for suffix, n := range map[string]float64{"K": 1e3, "M": 1e6} {
		if rest, has := strings.CutSuffix(text, suffix); has {
			text, times = rest, n
		}
	}
	v, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimPrefix(text, "~"), ",", ""), 64)
	if err != nil {
		t.Fatal(err)
	}
	return v * times
}

// found are the groups of the only place of a text that a pattern matches.
func found(t *testing.T, text, pattern string) []string {
	t.Helper()
	all := regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1)
	if len(all) != 1 {
		t.Fatalf("%s is there %d times, want once", pattern, len(all))
	}
	return all[0][1:]
}

// belowOf a published number, as it is printed, in tables whose caption has a text.
func belowOf(t *testing.T, in Input, caption, number string) (below []string) {
	t.Helper()
	tables, _ := tablesOf(sectionOf(t, in, "quoted"), caption)
	times := 0
	for _, one := range tables {
		for _, row := range one.Rows {
			for _, c := range row[1:] {
				if c.Text == number {
					below, times = c.Below, times+1
				}
			}
		}
	}
	if times != 1 {
		t.Fatalf("%s is %d times in %d tables, want once", number, times, len(tables))
	}
	return below
}
