package likeness

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// What a setting means to a server that is not known is not known: the values are named, and neither is
// said to be the faster one.
func TestASettingOfAnUnknownServer(t *testing.T) {
	side := func(version, value string) Side {
		facts := contract.NewFacts(map[string]string{factVersion: version, "innodb_flush_log_at_trx_commit": value})
		return Side{Name: version + " " + value, Records: []contract.Record{{Facts: facts}}}
	}
	type shown struct {
		Name, First, Second string
		Told, Matters       bool
		Faster              Effect
	}
	const unknown, mysql = "8.0.33 Another", "8.0.33 MySQL Community Server - GPL"
	tests := map[string]struct {
		first, second Side
		want          shown
	}{
		"both sides are unknown": {side(unknown, "1"), side(unknown, "2"), shown{Name: "innodb_flush_log_at_trx_commit", First: "1", Second: "2"}},
		"one side is":            {side(mysql, "1"), side(unknown, "2"), shown{Name: "innodb_flush_log_at_trx_commit", First: "1", Second: "2"}},
		"neither is": {side(mysql, "1"), side(mysql, "2"), shown{Name: "innodb_flush_log_at_trx_commit", First: "1", Second: "2",
			Told: true, Matters: true, Faster: SecondFaster}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var got shown
			for _, d := range Compare(Input{First: tc.first, Second: tc.second, Factor: OfTargets}).Differences {
				if d.Name == tc.want.Name {
					got = shown{d.Name, d.First, d.Second, d.Why != "", d.Matters, d.Faster}
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
