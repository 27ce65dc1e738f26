package likeness

import (
	"fmt"
	"testing"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// A tool that sets a variable of an external server before each trial makes thousands of values.
func TestValuesThatDifferInEachTrial(t *testing.T) {
	var sides [2][]contract.Record
	for side := range sides {
		for i := range 250 {
			sides[side] = append(sides[side], contract.Record{Facts: contract.NewFacts(map[string]string{
				"server/version": "9.7.0", "sync_binlog": fmt.Sprint(1000*side + i), "server/image": fmt.Sprint("i", side, i), "client/image": fmt.Sprint("c", side, i),
			})})
		}
	}
	c := Compare(Input{First: Side{Name: "a", Records: sides[0]}, Second: Side{Name: "b", Records: sides[1]}, Factor: OfParameters})
	for _, d := range c.Differences {
		if len(d.First) > 200 || len(d.Second) > 200 {
			t.Errorf("%s: %d and %d bytes, want a few values: %.300s", d.Name, len(d.First), len(d.Second), d.First)
		}
	}
	if text := c.Unlike(Classes()); len(text) > maxUnlike || len(text) < 100 {
		t.Errorf("unlike: %d bytes: %.300s", len(text), text)
	}
}
