package readout

import (
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// servers are targets that Assay provides: mariadb and mysql, each with its flavor and version.
func servers(flavor, version, other, otherVersion string) []v1alpha1.Target {
	return []v1alpha1.Target{
		{Name: "mariadb", MySQL: &v1alpha1.MySQLTarget{Flavor: flavor, Version: version}},
		{Name: "mysql", MySQL: &v1alpha1.MySQLTarget{Flavor: other, Version: otherVersion}},
	}
}

// What to make alike is a setting that both servers have under the name that is told, and that Assay lets a user set.
func TestMakeAlike(t *testing.T) {
	side := func(name, value, baseline string, faster v1alpha1.DifferenceEffect) Difference {
		return Difference{SideDifference: v1alpha1.SideDifference{Name: name, Value: value, Baseline: baseline, Faster: faster}}
	}
	redo := side("innodb_redo_log_capacity", "100663296", "104857600", "Baseline")
	tables := side("table_open_cache", "2000", "4000", "Baseline")
	schema := side("performance_schema", "OFF", "ON", "Value")
	charset := side("character_set_server", "latin1", "utf8mb4", "")
	numa := side("innodb_numa_interleave", "OFF", "ON", "")
	for name, c := range map[string]struct {
		targets []v1alpha1.Target
		all     []Difference
		want    string
	}{
		"what costs something for sure": {servers("MariaDB", "10.11", "MySQL", "9.7"), []Difference{redo, tables, charset, schema},
			"where performance_schema is not what you compare, set it for both in spec.targets[].mysql.config: it is OFF for mariadb and ON for mysql"},
		"what may favour a side": {servers("MariaDB", "10.11", "MySQL", "9.7"), []Difference{charset, tables},
			"where table_open_cache is not what you compare, set it for both in spec.targets[].mysql.config: it is 2000 for mariadb and 4000 for mysql"},
		"each server's own name": {servers("MariaDB", "10.11.19", "MySQL", "9.7"), []Difference{redo},
			"where innodb_log_file_size of mariadb and innodb_redo_log_capacity of mysql are not what you compare, set both in spec.targets[].mysql.config: they are 100663296 and 104857600"},
		"a name that is not known for sure": {servers("MariaDB", "11.8", "MySQL", "9.7"), []Difference{redo, numa}, ""},
		"one name for both": {servers("MariaDB", "10.11", "MySQL", "9.7"), []Difference{numa},
			"where innodb_numa_interleave is not what you compare, set it for both in spec.targets[].mysql.config: it is OFF for mariadb and ON for mysql"},
		"no setting":            {servers("MariaDB", "10.11", "MySQL", "9.7"), []Difference{side("target/cpu", "a", "b", "")}, ""},
		"what a server ignores": {servers("Dolt", "2.2", "MySQL", "9.7"), []Difference{side("innodb_flush_neighbors", "OFF", "ON", "")}, ""},
		"servers that exist":    {nil, []Difference{redo, schema}, "where performance_schema is not what you compare, set it for both: it is OFF for mariadb and ON for mysql"},
		"nothing differs":       {servers("MySQL", "9.7", "MySQL", "9.7"), nil, ""},
		"a value that is not there": {servers("MySQL", "9.7", "MySQL", "9.7"), []Difference{side("log_bin", "ON", "", "")},
			"where log_bin is not what you compare, set it for both in spec.targets[].mysql.config: it is ON for mariadb and not set for mysql"},
	} {
		t.Run(name, func(t *testing.T) {
			run := &v1alpha1.BenchmarkRun{Spec: v1alpha1.BenchmarkRunSpec{Targets: c.targets}}
			if got := makeAlike([]Differences{{Value: "mariadb", Baseline: "mysql", Differences: c.all}}, run); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}
