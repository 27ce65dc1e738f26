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

// OfSecondLoad says whether a value with these labels is of a second load.
func OfSecondLoad(labels map[string]string) bool { return labels[LabelLoad] == LoadBackground }

// OfGroup says whether a value with these labels is of a tenant or of a second load, and not of the workload as a whole.
func OfGroup(labels map[string]string) bool {
	return labels[LabelTenant] != "" || OfSecondLoad(labels)
}

// Also is a copy of labels with one more.
func Also(labels map[string]string, name, value string) map[string]string {
	out := map[string]string{name: value}
	for n, v := range labels {
		if n != name {
			out[n] = v
		}
	}
	return out
}

// Selects says whether a reference with some labels means a value with these. One that names no tenant and no second load means the workload.
func Selects(some, labels map[string]string) bool {
	return HasLabels(labels, some) && (OfGroup(some) || !OfGroup(labels))
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
