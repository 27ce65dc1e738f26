package contract

import "cmp"

// HasLabels says whether labels have all of some.
func HasLabels(labels, some map[string]string) bool {
	for name, value := range some {
		if v, has := labels[name]; !has || v != value {
			return false
		}
	}
	return true
}

// PlainerLabels orders the labels of values of one name, the one that a reference to the name means first: latencies from the intended
// start, then the fewest labels, then p: "95".
func PlainerLabels(a, b map[string]string) int {
	return cmp.Or(
		First(a[LabelTiming] == TimingIntended, b[LabelTiming] == TimingIntended),
		cmp.Compare(len(a), len(b)),
		First(a[LabelPercentile] == "95", b[LabelPercentile] == "95"),
	)
}

// First orders what is so before what is not.
func First(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}
