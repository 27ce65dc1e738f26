package ycsb

import "cmp"

// presets are the workloads a to f as YCSB 0.17 publishes them (its folder workloads), in
// full: no property that decides what is asked of the server is left to a default.
var presets = map[string]map[string]string{
	"a": mix{read: "0.5", update: "0.5"}.properties(),
	"b": mix{read: "0.95", update: "0.05"}.properties(),
	"c": mix{read: "1"}.properties(),
	"d": mix{read: "0.95", insert: "0.05", keys: "latest"}.properties(),
	"e": mix{scan: "0.95", insert: "0.05", maxScan: "100"}.properties(),
	"f": mix{read: "0.5", readModifyWrite: "0.5"}.properties(),
}

// mix is what the presets differ in. What is empty has the default of YCSB: a share of 0,
// keys after Zipf, scans of up to 1000 rows.
type mix struct{ read, update, scan, insert, readModifyWrite, keys, maxScan string }

func (m mix) properties() map[string]string {
	return map[string]string{
		"readproportion":            cmp.Or(m.read, "0"),
		"updateproportion":          cmp.Or(m.update, "0"),
		"scanproportion":            cmp.Or(m.scan, "0"),
		"insertproportion":          cmp.Or(m.insert, "0"),
		"readmodifywriteproportion": cmp.Or(m.readModifyWrite, "0"),
		"requestdistribution":       cmp.Or(m.keys, "zipfian"),
		"readallfields":             "true",
		"writeallfields":            "false",
		"maxscanlength":             cmp.Or(m.maxScan, "1000"),
		"scanlengthdistribution":    "uniform",
		"fieldlengthdistribution":   "constant",
		"insertorder":               "hashed",
		"table":                     tableName,
	}
}
