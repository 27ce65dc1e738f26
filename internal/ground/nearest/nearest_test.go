package nearest

import "testing"

func TestTo(t *testing.T) {
	known := []string{"design", "deadline", "targets", "innodb_buffer_pool_size", "innodb_buffer_pool_instances", "no-op-writes", "Queued"}
	for what, tt := range map[string]struct{ name, want string }{
		"two letters exchanged":              {"desing", "design"},
		"a letter too few":                   {"deadlin", "deadline"},
		"a letter too many":                  {"targetss", "targets"},
		"another letter":                     {"tergets", "targets"},
		"another case":                       {"queueD", "Queued"},
		"hyphens for underscores":            {"innodb-bufer-pool-size", "innodb_buffer_pool_size"},
		"three letters of a long name":       {"inodb_bufer_pol_size", "innodb_buffer_pool_size"},
		"underscores for hyphens":            {"no_op_write", "no-op-writes"},
		"the name itself":                    {"design", "design"},
		"another word":                       {"workload", ""},
		"most letters of a short name":       {"dxxxgn", ""},
		"nothing":                            {"", ""},
		"one letter is like no longer word":  {"d", ""},
		"a beginning is no misspelt name":    {"innodb_buffer", ""},
		"letters of more than one byte":      {"dësign", "design"},
		"another end of the same beginnings": {"innodb_buffer_pool_instancs", "innodb_buffer_pool_instances"},
	} {
		if got := To(tt.name, known); got != tt.want {
			t.Errorf("%s: %q is near to %q, want %q", what, tt.name, got, tt.want)
		}
	}
}
