package ycsb

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// ownedProperties cannot be set by spec.workload.ycsb.properties: what to do instead.
var ownedProperties = map[string]string{
	"workload":                      "Assay names the class: choose with the field workload. Published files say com.yahoo.ycsb.workloads.CoreWorkload, which 0.17 calls site.ycsb.workloads.CoreWorkload: leave it out",
	"db":                            "the binding is Assay's own: leave it out",
	"db.driver":                     "use the field driver, or external.jdbc of the target",
	"db.url":                        "it follows from the target: use the field urlParameters",
	"db.user":                       "it is in the target's Secret",
	"db.passwd":                     "it is in the target's Secret",
	"db.batchsize":                  "use the field batchSize",
	"jdbc.batchupdateapi":           "use the field batchUpdateAPI",
	"jdbc.fetchsize":                "use the field fetchSize",
	"recordcount":                   "use the field recordCount",
	"operationcount":                "use the field operationCount",
	"insertstart":                   "Assay shares the load out among the clients",
	"insertcount":                   "Assay shares the load out among the clients",
	"threadcount":                   "use the field threads",
	"target":                        "use the field target",
	"maxexecutiontime":              "use design.duration",
	"fieldcount":                    "use the field fieldCount",
	"fieldlength":                   "use the field fieldLength",
	"fieldlengthhistogram":          "it is a file, which the client has not: use another fieldlengthdistribution",
	"table":                         "the table is " + tableName + ": leave it out",
	"dotransactions":                "it follows from the phase",
	"status":                        "it is always on",
	"status.interval":               "use the field statusIntervalSeconds",
	"label":                         "Assay reads the status lines: leave it out",
	"exporter":                      "Assay reads the report: leave it out",
	"exportfile":                    "Assay reads the report: leave it out",
	"measurementtype":               "it is always hdrhistogram",
	"measurement.interval":          "it is both with a target rate, and op without",
	"measurement.trackjvm":          "it puts numbers that are no latencies into histograms",
	"measurement.histogram.verbose": "the histograms are read from their files: leave it out",
	"hdrhistogram.fileoutput":       "it is always on",
	"hdrhistogram.output.path":      "Assay reads the files: leave it out",
	"hdrhistogram.percentiles":      "percentiles come from the histograms: leave it out",
}

// checkProperties refuses what Assay owns, and blanks: java.util.Properties keeps those at
// the end of a value, and "true " is not true.
func checkProperties(properties map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		value := properties[name]
		field := "workload.ycsb.properties." + name
		if why, owned := ownedProperties[name]; owned {
			return fmt.Errorf("%s: not yours to set: %s", field, why)
		}
		if strings.HasPrefix(name, "assay.") {
			return fmt.Errorf("%s: names that begin with assay. are Assay's own", field)
		}
		if name == "" || strings.ContainsAny(name, "= \t\r\n") {
			return fmt.Errorf("workload.ycsb.properties: %q is not a name: it has a blank or an equals sign, or is empty", name)
		}
		if err := checkValue(field, value); err != nil {
			return err
		}
	}
	if properties["fieldlengthdistribution"] == "histogram" {
		return fmt.Errorf("workload.ycsb.properties.fieldlengthdistribution: %s", ownedProperties["fieldlengthhistogram"])
	}
	return nil
}

// checkValue refuses blanks around a value, and line breaks in it.
func checkValue(field, value string) error {
	if value != strings.TrimSpace(value) {
		return fmt.Errorf("%s: %q has a blank in front or at the end, which YCSB would take for a part of the value: remove it", field, value)
	}
	if strings.ContainsAny(value, "\r\n\x00") {
		return fmt.Errorf("%s: has a line break or a NUL: remove it", field)
	}
	return nil
}

// effective are the properties of the preset with those of the user on top.
func (p Params) effective() map[string]string {
	all := maps.Clone(presets[p.Workload])
	maps.Copy(all, p.Properties)
	return all
}

// inserts says whether the workload makes new rows while it is measured.
func (p Params) inserts() bool {
	shares, _, err := sharesOf(p.effective())
	return err == nil && shares["insert"] > 0
}

// checkJVMOptions refuses what would start another program.
func checkJVMOptions(options []string) error {
	for i, option := range options {
		field := fmt.Sprintf("workload.ycsb.jvmOptions[%d]", i)
		name, _, _ := strings.Cut(option, "=")
		switch {
		case strings.TrimSpace(option) != option || !strings.HasPrefix(option, "-") || strings.ContainsAny(option, "\r\n\x00"):
			return fmt.Errorf("%s: %q is not an option: it begins with a dash, without blanks around it", field, option)
		case slices.Contains([]string{"-cp", "-classpath", "--class-path", "-jar", "-m", "--module", "--source"}, name):
			return fmt.Errorf("%s: %s is Assay's own: leave it out", field, name)
		case slices.Contains([]string{"-version", "--version", "-showversion", "-help", "--help", "-h", "-?", "-X", "--dry-run"}, name):
			return fmt.Errorf("%s: %s ends Java before YCSB begins, or prints between its lines: leave it out", field, name)
		}
	}
	return nil
}
