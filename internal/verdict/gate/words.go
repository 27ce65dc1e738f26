package gate

import (
	"fmt"
	"math"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/mathematics/stats"
)

const (
	// maxText of an entry and maxMessage of the condition, in bytes.
	maxText    = 1024
	maxMessage = 4096
	// maxNamed measurements of each outcome are named in the message.
	maxNamed = 4
)

// oneRunEach is said of every verdict by a test.
const oneRunEach = "each side is one run, and the test does not know how much runs differ"

func cut(message string) string { return contract.Cut(message, maxMessage) }

// message of a verdict: what is said of all, and of each baseline, those that the run has not passed first.
func message(in Input, all []*judgement) string {
	var parts []string
	if in.Invalid != "" {
		parts = append(parts, in.notValid())
	}
	tested := false
	for _, status := range []metav1.ConditionStatus{metav1.ConditionFalse, metav1.ConditionUnknown, metav1.ConditionTrue} {
		for _, j := range all {
			if j.counts() && j.status.Passed == status {
				parts = append(parts, contract.Cut(j.words(), maxMessage/len(all)))
			}
		}
	}
	for _, j := range all {
		if !j.counts() {
			parts = append(parts, "for information: "+contract.Cut(j.words(), maxMessage/len(all)))
		}
		tested = tested || in.Gate.Test != nil && j.unread == ""
	}
	if tested {
		parts = append(parts, oneRunEach)
	}
	return cut(strings.Join(parts, "; "))
}

// notValid says why the run is not valid.
func (in Input) notValid() string { return "the run is not valid (" + in.Invalid + ")" }

// words on one baseline: how many measurements were judged, what is not as it should be, and what else
// differs.
func (j *judgement) words() string {
	if j.unread != "" {
		return j.unread
	}
	s := j.status
	parts := []string{fmt.Sprintf("%d of %d measurements are slower than baseline %s (run %s, promoted %s)", s.SlowerCount, s.JudgedCount,
		s.Name, s.Pin.Run, s.Pin.PromotionTime.UTC().Format("2006-01-02"))}
	if s.JudgedCount == 0 {
		parts[0] = fmt.Sprintf("no measurement of baseline %s (run %s) can be compared", s.Name, s.Pin.Run)
	}
	for _, part := range []struct {
		outcome v1alpha1.GateOutcome
		what    string
	}{
		{v1alpha1.OutcomeSlower, "slower"}, {v1alpha1.OutcomeMissing, "missing"}, {v1alpha1.OutcomeNew, "new"}, {v1alpha1.OutcomeNotJudged, "not judged"},
	} {
		if text := j.named(part.outcome); text != "" {
			parts = append(parts, part.what+": "+text)
		}
	}
	if j.most > 0 {
		parts = append(parts, fmt.Sprintf("%s worse or more would have been found in each that passed, in four of five such runs", figure.Share(j.most)))
	}
	if j.unmet != "" {
		parts = append(parts, "the run and the baseline are not alike, as requireLike wants them: "+j.unmet)
	} else if len(s.Differences) > 0 {
		parts = append(parts, "the circumstances differ: "+strings.Join(s.Differences[:min(len(s.Differences), maxNamed)], ", "))
	}
	if other := j.otherWorkload(); other != "" {
		parts = append(parts, "the run has another workload than that of the baseline: "+other)
	} else if before := j.Baseline.Spec.Run.SpecHash; before != "" && j.SpecHash != "" && before != j.SpecHash {
		parts = append(parts, "the run has another spec than that of the baseline (design, targets, or what they name)")
	}
	return strings.Join(parts, "; ")
}

// named are the first measurements of an outcome; empty without any.
func (j *judgement) named(outcome v1alpha1.GateOutcome) string {
	var texts []string
	for _, one := range j.all {
		if one.outcome == outcome {
			texts = append(texts, one.text)
		}
	}
	return firstOf(texts, ", ")
}

// firstOf some texts, and how many more there are; empty without any.
func firstOf(texts []string, separator string) string {
	var out []string
	for _, text := range texts[:min(len(texts), maxNamed)] {
		out = append(out, contract.Cut(text, maxText/2))
	}
	if more := len(texts) - len(out); more > 0 {
		out = append(out, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(out, separator)
}

// change of a median in words, such as "31 % worse"; as a factor such as "34.7x, worse".
func change(d contract.Direction, ratio float64, factor bool) string {
	switch w := worse(d, ratio); {
	case math.IsInf(w, 1):
		return "worse than none"
	case factor && w > 0 && ratio > 0:
		return figure.Factor(ratio) + "x, worse"
	case factor && w < 0:
		return figure.Factor(ratio) + "x, better"
	case w > 0:
		return figure.Share(w) + " worse"
	case w < 0:
		return figure.Share(-w) + " better"
	}
	return "equal"
}

func withUnit(v float64, unit string) string {
	return strings.TrimSpace(figure.Number(v) + " " + unit)
}

// medianOf values, of which there is at least one; 0 for values that have none.
func medianOf(values []float64) float64 {
	s, err := stats.Summarize(values)
	if err != nil {
		return 0
	}
	return s.Median
}
