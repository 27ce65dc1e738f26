package contract

import (
	"strings"
	"testing"
)

// Two long values of one length that differ behind the cut, such as those of optimizer_switch, are
// two values.
func TestLongFactsDiffer(t *testing.T) {
	begin := strings.Repeat("index_merge=on,", 20)
	a := NewFacts(map[string]string{"set/optimizer_switch": begin + "mrr=on,derived=off"})
	b := NewFacts(map[string]string{"set/optimizer_switch": begin + "mrr=off,derived=on"})
	again := NewFacts(map[string]string{"set/optimizer_switch": begin + "mrr=on,derived=off"})
	if a == b || a != again {
		t.Errorf("two values: %q and %q; the first one again: %q", a, b, again)
	}
	if value := a.Map()["set/optimizer_switch"]; len(value) > maxFact || !strings.HasPrefix(value, "index_merge=on,") {
		t.Errorf("%q has %d bytes, want at most %d", value, len(value), maxFact)
	}
}
