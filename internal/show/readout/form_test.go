package readout

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// A list has one form: one ratio or interval that is far from 1 makes all of them factors. The line of a comparison keeps its own.
func TestOneFormInAList(t *testing.T) {
	of := func(ratios ...[3]string) (shown []string) {
		var all []Verdict
		for _, r := range ratios {
			all = append(all, about{errorRate: 0.05}.verdict(comparison(func(e *v1alpha1.ComparisonEntry) { e.Ratio, e.IntervalLow, e.IntervalHigh = r[0], r[1], r[2] })))
		}
		line := all[0].Text
		for _, v := range InOneForm(all) {
			shown = append(shown, v.Effect+" "+v.Interval)
		}
		if all[0].Text != line {
			t.Errorf("the line is another one: %q", all[0].Text)
		}
		return shown
	}
	small := [3]string{"1.163", "1.017", "1.2634"}
	for name, tt := range map[string]struct{ got, want []string }{
		"all are near":    {of(small, [3]string{"0.9", "0.8", "1.7"}), []string{"+16 % +1.7 to +26 %", "-10 % -20 to +70 %"}},
		"a far ratio":     {of(small, [3]string{"1.52", "1.43", "1.61"}), []string{"1.16x 1.02 to 1.26", "1.52x 1.43 to 1.61"}},
		"a far end":       {of(small, [3]string{"1.02", "0.95", "6.99"}), []string{"1.16x 1.02 to 1.26", "1.02x 0.950 to 6.99"}},
		"one that is not": {of(small, [3]string{"3", "2", "4"}, [3]string{}), []string{"1.16x 1.02 to 1.26", "3.00x 2.00 to 4.00", " "}},
	} {
		if diff := cmp.Diff(tt.want, tt.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
