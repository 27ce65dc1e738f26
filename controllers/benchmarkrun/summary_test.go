package benchmarkrun

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/contract"
)

func measured(name, operation string, v float64) contract.Measurement {
	m := contract.Measurement{Name: name, Unit: "ms", Direction: contract.LowerIsBetter, Value: &v}
	if operation != "" {
		m.Labels = map[string]string{contract.LabelOperation: operation}
	}
	return m
}

func TestValuesKeepLabelsApart(t *testing.T) {
	res := contract.Result{Measurements: []contract.Measurement{
		measured("latency.avg", "read", 1), measured("latency.avg", "", 2), {Name: "latency.avg", Unit: "ms"},
		measured("throughput", "", 3), measured("latency.avg", "update", 4), measured("other", "", 5),
	}}
	want := []contract.RecordedValue{
		{Name: "throughput", Value: 3, Unit: "ms", Direction: "LowerIsBetter"},
		{Name: "latency.avg", Value: 2, Unit: "ms", Direction: "LowerIsBetter"},
		{Name: "latency.avg", Labels: map[string]string{"operation": "read"}, Value: 1, Unit: "ms", Direction: "LowerIsBetter"},
		{Name: "latency.avg", Labels: map[string]string{"operation": "update"}, Value: 4, Unit: "ms", Direction: "LowerIsBetter"},
	}
	if diff := cmp.Diff(want, values([]string{"throughput", "latency.avg"}, res)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for i := range 2 * maxValues {
		res.Measurements = append(res.Measurements, measured("latency.avg", fmt.Sprint(i), 1))
	}
	if got := values([]string{"throughput", "latency.avg"}, res); len(got) != maxValues || got[0].Name != "throughput" {
		t.Errorf("%d values, the first %+v", len(got), got[0])
	}
	if n, want := valuesOf([]string{"throughput", "latency.avg"}, res), 2*maxValues+len(want); n != want {
		t.Errorf("there are %d values, want %d: what a record has no room for is counted", n, want)
	}
}

// What sha256sum prints of two files, hashed again: printf one > a; printf two > b;
// sha256sum a b | sha256sum.
func TestDigestIsThatOfSha256sum(t *testing.T) {
	got := digest(map[string][]byte{"b": []byte("two"), "a": []byte("one")})
	if want := "d17138d96382403690482a89da33475336ab36c046a6912a86badedd62301cb8"; got != want {
		t.Errorf("digest %s, want %s", got, want)
	}
}
