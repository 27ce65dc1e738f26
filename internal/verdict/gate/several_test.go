package gate

import (
	"strings"
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// A run passes when it passes each baseline that counts, and the message says first which it does not pass.
func TestSeveralBaselines(t *testing.T) {
	at := func(level float64) experiment { return experiment{blocks: 8, level: level, spread: 0.005, seed: 2} }
	week := []v1alpha1.FurtherBaseline{{Name: "last-week"}}
	informs := []v1alpha1.FurtherBaseline{{Name: "last-week", Effect: v1alpha1.EffectInform}}
	const slowerThan, asFastAs = "2 of 2 measurements are slower than baseline ", "0 of 2 measurements are slower than baseline "
	tests := map[string]struct {
		also []v1alpha1.FurtherBaseline
		// release and week are the levels of the baselines, 0 for none; the run is at 100.
		release, week float64
		want          string
		// parts of the message, in this order, and what each baseline says.
		message []string
		each    string
	}{
		"as fast as both":             {week, 100, 101, "True/Succeeded", []string{asFastAs + "release", asFastAs + "last-week"}, "True/Succeeded True/Succeeded"},
		"slower than last week":       {week, 100, 150, "False/Slower", []string{slowerThan + "last-week", "slower: db threads=8 throughput", asFastAs + "release"}, "True/Succeeded False/Slower"},
		"slower than both":            {week, 150, 150, "False/Slower", []string{slowerThan + "release", slowerThan + "last-week"}, "False/Slower False/Slower"},
		"there is none of last week":  {week, 100, 0, "Unknown/BaselineNotFound", []string{"the namespace has no BenchmarkBaseline last-week", asFastAs + "release"}, "True/Succeeded Unknown/BaselineNotFound"},
		"there is none, and it fails": {week, 150, 0, "False/Slower", []string{slowerThan + "release", "the namespace has no BenchmarkBaseline last-week"}, "False/Slower Unknown/BaselineNotFound"},
		"last week only informs":      {informs, 100, 150, "True/Succeeded", []string{asFastAs + "release", "for information: " + slowerThan + "last-week"}, "True/Succeeded False/Slower"},
		"nothing informs":             {informs, 100, 0, "True/Succeeded", []string{asFastAs + "release", "for information: the namespace has no BenchmarkBaseline last-week"}, "True/Succeeded Unknown/BaselineNotFound"},
		"information does not help":   {informs, 150, 100, "False/Slower", []string{slowerThan + "release", "for information: " + asFastAs + "last-week"}, "False/Slower True/Succeeded"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			in := Input{Gate: v1alpha1.Gate{Baseline: "release", Also: tt.also, Threshold: "25%"}, Run: at(100).run(t, "now")}
			for _, level := range []float64{tt.release, tt.week} {
				one := Read{}
				if level > 0 {
					one.Baseline = promoted(t, at(level).run(t, "before"))
				}
				in.Baselines = append(in.Baselines, one)
			}
			got := Judge(in)
			if text := string(got.Status) + "/" + got.Reason; text != tt.want {
				t.Errorf("got %s, want %s: %s", text, tt.want, got.Message)
			}
			var each []string
			for _, b := range got.Gate.Baselines {
				each = append(each, string(b.Passed)+"/"+b.Reason)
			}
			if text := strings.Join(each, " "); text != tt.each {
				t.Errorf("each: %s, want %s", text, tt.each)
			}
			rest := got.Message
			for _, part := range tt.message {
				_, after, is := strings.Cut(rest, part)
				if !is {
					t.Errorf("no %q after the parts before it: %s", part, got.Message)
				}
				rest = after
			}
		})
	}
}

// The measurements of all baselines that count are one family: p-values grow with their number. Those that
// inform take nothing from it.
func TestTheFamilyOfAllBaselines(t *testing.T) {
	was, is := experiment{blocks: 8}, experiment{blocks: 8, level: 50}
	for name, tt := range map[string]struct {
		also []v1alpha1.FurtherBaseline
		want string
	}{
		"one":                       {nil, "0.0001554"},
		"two":                       {[]v1alpha1.FurtherBaseline{{Name: "b"}}, "0.0003108"},
		"one, and one that informs": {[]v1alpha1.FurtherBaseline{{Name: "b", Effect: v1alpha1.EffectInform}}, "0.0001554"},
	} {
		t.Run(name, func(t *testing.T) {
			in := Input{Gate: v1alpha1.Gate{Baseline: "release", Also: tt.also, Test: &v1alpha1.GateTest{ErrorRate: "5%", MinimumEffect: "5%"}}, Run: is.run(t, "now")}
			for range 1 + len(tt.also) {
				in.Baselines = append(in.Baselines, Read{Baseline: promoted(t, was.run(t, "before"))})
			}
			got := Judge(in)
			for _, e := range got.Gate.Entries {
				if e.AdjustedP != tt.want {
					t.Errorf("%s: p %s, want %s", e.Baseline, e.AdjustedP, tt.want)
				}
			}
			if want := 2 * (1 + len(tt.also)); len(got.Gate.Entries) != want || strings.Count(got.Message, oneRunEach) != 1 {
				t.Errorf("%d entries, want %d: %s", len(got.Gate.Entries), want, got.Message)
			}
		})
	}
}
