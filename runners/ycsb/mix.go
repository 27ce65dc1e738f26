package ycsb

import (
	"strconv"
	"strings"
)

// mixOf is the share of all operations in which YCSB counts each kind, from the properties
// of the workload. Shares that do not add up to 1 are scaled, as YCSB does. An operation
// that reads, modifies and writes is counted as a READ and as an UPDATE as well.
func mixOf(properties map[string]string) map[string]float64 {
	chosen := map[string]float64{}
	total := 0.0
	for _, operation := range []string{"read", "update", "insert", "scan", "readmodifywrite"} {
		share, err := strconv.ParseFloat(properties[operation+"proportion"], 64)
		if err != nil || !(share >= 0) {
			return nil // the command says what is wrong
		}
		chosen[operation] = share
		total += share
	}
	if !(total > 0) {
		return nil
	}
	composed := chosen["readmodifywrite"]
	return map[string]float64{
		"read":                                 (chosen["read"] + composed) / total,
		"update":                               (chosen["update"] + composed) / total,
		"insert":                               chosen["insert"] / total,
		"scan":                                 chosen["scan"] / total,
		strings.ToLower(metricReadModifyWrite): composed / total,
	}
}
