package claims

import "testing"

// Of 1 to 8 the mean is 4.5, the deviation 2.449, and t with seven degrees of freedom 2.365: 100*2.365*2.449/sqrt(8)/4.5. The halves are 1 to 4 and
// 5 to 8. Of 1 to 5 both halves have the 3.
func TestStatistics(t *testing.T) {
	eight := []float64{3, 1, 2, 4, 8, 7, 6, 5}
	tests := map[string]struct {
		statistic Statistic
		values    []float64
		form      Form
		unit      string
		want      string
	}{
		"a margin of error":                {Margin, eight, Form{}, "ops/s", "±45.51 %"},
		"a range of quartiles":             {IQR, eight, Form{}, "ops/s", "4 ops/s"},
		"of an odd number":                 {IQR, []float64{5, 4, 3, 2, 1}, Form{}, "ops/s", "2 ops/s"},
		"of times":                         {IQR, []float64{0.001, 0.002, 0.003, 0.004}, Form{Prefixes: true}, "s", "2 ms"},
		"of times without prefixes":        {IQR, []float64{0.001, 0.002, 0.003, 0.004}, Form{}, "s", "0.002 s"},
		"of times that do not differ":      {IQR, []float64{0.001, 0.001}, Form{Prefixes: true}, "s", "0 ns"},
		"outliers by the deviation":        {Outliers, eight, Form{}, "ops/s", "4;0"},
		"an outlier by the quartiles, too": {Outliers, []float64{1, 1, 1, 1, 2, 2, 2, 9}, Form{}, "ops/s", "1;1"},
		"how many":                         {Count, eight, Form{}, "ops/s", "8"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := tt.statistic.of(tt.values, tt.form, tt.unit); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}
