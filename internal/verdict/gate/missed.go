package gate

import (
	"fmt"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/mathematics/figure"
)

// finds so large a change for the worse, by one of the rules.
func (one *judged) finds(change float64) {
	if one.detectable == 0 || change < one.detectable {
		one.detectable = change
	}
}

// missed says of each measurement that passed what the rules would have found.
func (j *judgement) missed() {
	for i := range j.all {
		if one := &j.all[i]; one.outcome == v1alpha1.OutcomePassed && one.detectable > 0 {
			one.entry.DetectableEffect = v1alpha1.FourDigits(one.detectable)
			one.text += fmt.Sprintf("; %s worse or more would have been found in four of five such runs", figure.Share(one.detectable))
			j.most = max(j.most, one.detectable)
		}
	}
}
