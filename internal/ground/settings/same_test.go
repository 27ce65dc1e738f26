package settings

import "testing"

func TestSameValue(t *testing.T) {
	for name, tt := range map[string]struct {
		variable, one, other string
		want                 bool
	}{
		"one text":                    {"datadir", "/var/lib/mysql/", "/var/lib/mysql/", true},
		"a switch":                    {"log_bin", "1", "ON", true},
		"the other position":          {"log_bin", "OFF", "ON", false},
		"a number":                    {"innodb_buffer_pool_size", "134217728", "134217728.0", true},
		"another number":              {"innodb_buffer_pool_size", "134217728", "134217729", false},
		"a list in another order":     {"sql_mode", "STRICT_TRANS_TABLES,NO_ZERO_DATE", "no_zero_date,strict_trans_tables", true},
		"a list that is a part":       {"sql_mode", "STRICT_TRANS_TABLES", "STRICT_TRANS_TABLES,NO_ZERO_DATE", false},
		"flags that are a part":       {"optimizer_switch", "mrr=on", "mrr=on,derived_merge=on", false},
		"a directory with its slash":  {"datadir", "/data", "/data/", true},
		"nothing is not zero or off":  {"init_connect", "", "OFF", false},
		"nothing is not another word": {"init_connect", "", "x", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := SameValue(tt.variable, tt.one, tt.other); got != tt.want {
				t.Errorf("%q and %q: %v", tt.one, tt.other, got)
			}
			if got := SameValue(tt.variable, tt.other, tt.one); got != tt.want {
				t.Errorf("%q and %q, the other way round: %v", tt.other, tt.one, got)
			}
		})
	}
}
