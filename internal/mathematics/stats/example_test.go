package stats

import "fmt"

// What blocks detect with a probability of 80 %, where the ratios of single blocks spread by 10 %.
func ExampleDetectableEffect() {
	for _, comparisons := range []int{1, 25, 100} {
		fmt.Printf("%d:", comparisons)
		for _, blocks := range []int{6, 10, 12, 20, 40} {
			if effect, ok := DetectableEffect(blocks, 0.1, 0.05/float64(comparisons), 0.8); ok {
				fmt.Printf(" %.1f", 100*effect)
			} else {
				fmt.Print(" -")
			}
		}
		fmt.Println()
	}
	// Output:
	// 1: 19.7 10.9 9.8 7.0 4.8
	// 25: - 22.4 17.5 10.8 7.0
	// 100: - - 23.3 12.6 7.9
}

// From pairs of values to a verdict.
func ExampleDecide() {
	subject := []float64{1520, 1490, 1555, 1531, 1502, 1544, 1518, 1539, 1497, 1526}
	baseline := []float64{1003, 992, 1011, 998, 1006, 1001, 989, 1013, 995, 1004}
	comparison, err := ComparePaired(subject, baseline)
	if err != nil {
		fmt.Println(err)
		return
	}
	decision := Decide([]Comparison{comparison}, 0.05, 0.02)[0]
	fmt.Printf("%s, %.2fx (%.2f to %.2f, p %.3f)\n", decision.Verdict(HigherIsBetter), comparison.Ratio, decision.Interval.Low, decision.Interval.High, decision.P)
	// Output: Faster, 1.52x (1.51 to 1.53, p 0.002)
}
