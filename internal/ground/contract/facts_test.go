package contract

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFacts(t *testing.T) {
	long := strings.Repeat("x", 300)
	got := NewFacts(map[string]string{"b": "two  words\nand a line", "a": "1=2", "": "x", "c=d": "1", "e": "", "f": long})
	want := map[string]string{"a": "1=2", "b": "two words and a line", "f": cutFact(long)}
	if diff := cmp.Diff(want, got.Map()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for name, value := range got.Map() {
		if got.Get(name) != value {
			t.Errorf("%s: %q, want %q", name, got.Get(name), value)
		}
	}
	for _, name := range []string{"", "c", "1", "two", "a=1"} {
		if value := got.Get(name); value != "" {
			t.Errorf("%q: %q", name, value)
		}
	}
	if !strings.HasPrefix(string(got), "a=1=2\nb=two words") {
		t.Errorf("order: %q", got)
	}
	many := map[string]string{}
	for i := range 1000 {
		many[fmt.Sprint(i)] = long
	}
	if got := NewFacts(many); len(got.Map()) != MaxFacts || len(got) > 60<<10 {
		t.Errorf("%d facts in %d bytes", len(got.Map()), len(got))
	}
}
