package likeness

import "testing"

// 50 commits are probed while the server flushes pages, too: 1.02 flushes a commit are as durable as
// 1.06. One flush more for the binary log, or none at all, is a difference.
func TestFlushesOfACommitAreCountedWhole(t *testing.T) {
	for second, alike := range map[string]bool{"1.02": true, "1.06": true, "2.04": false, "0.00": false} {
		c := Compare(Input{
			First:  sideWith(t, "a", "mysql-9.7", map[string]string{factCommitCost: "1.02"}),
			Second: sideWith(t, "b", "mysql-9.7", map[string]string{factCommitCost: second}),
		})
		if got := c.Unlike([]Class{Durability}); (got == "") != alike {
			t.Errorf("1.02 and %s flushes per commit: %q", second, got)
		}
	}
}
