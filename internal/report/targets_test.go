package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
)

func settingsList(pairs ...string) (out []v1alpha1.ServerSetting) {
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, v1alpha1.ServerSetting{Name: pairs[i], Value: pairs[i+1]})
	}
	return out
}

// A server lists what it was set to, unless that is its default. What it does not list is no difference: the value in force
// is compared, and where nobody recorded it, it is not known.
func TestSettingsAreComparedByTheirEffectiveValues(t *testing.T) {
	in := twoServers(6).input(t)
	in.Run.Status.Targets = []v1alpha1.TargetStatus{
		{Name: "mysql", NonDefault: settingsList("innodb_buffer_pool_size", "134217728", "sql_mode", "ANSI", "log_bin", "ON", "mysqlx", "1", "max_connections", "200", "pid_file", "/x", "init_connect", "")},
		{Name: "mariadb", NonDefault: settingsList("max_connections", "300")},
	}
	all := map[string]map[string]string{
		"mysql":   {"innodb_buffer_pool_size": "134217728", "sql_mode": "ANSI", "log_bin": "ON", "mysqlx": "1", "max_connections": "200", "pid_file": "/x", "init_connect": ""},
		"mariadb": {"innodb_buffer_pool_size": "134217728", "sql_mode": "STRICT", "log_bin": "1", "max_connections": "300", "pid_file": "/y", "init_connect": ""},
	}
	for name, tt := range map[string]struct {
		variables map[string]map[string]string
		want      compared
		cells     string
	}{
		"all variables are known": {all, compared{differ: []string{"max_connections", "sql_mode"}},
			"init_connect empty empty; innodb_buffer_pool_size 134217728 134217728; log_bin ON 1; max_connections 200 300; mysqlx 1 no such variable; pid_file /x /y; sql_mode ANSI STRICT; "},
		"those of one server are not": {map[string]map[string]string{"mysql": all["mysql"]},
			compared{differ: []string{"max_connections"}, notKnown: []string{"init_connect", "innodb_buffer_pool_size", "log_bin", "mysqlx", "sql_mode"}},
			"init_connect empty not known; innodb_buffer_pool_size 134217728 not known; log_bin ON not known; max_connections 200 300; mysqlx 1 not known; pid_file /x not known; sql_mode ANSI not known; "},
	} {
		t.Run(name, func(t *testing.T) {
			in.Variables = tt.variables
			table, got := targetTable(in)
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(compared{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			cells := ""
			for _, row := range table.rows {
				if row[0].text != "TLS" {
					cells += row[0].text + " " + row[1].text + " " + row[2].text + "; "
				}
			}
			if diff := cmp.Diff(tt.cells, cells); diff != "" {
				t.Errorf("cells (-want +got):\n%s", diff)
			}
			page := pageOf(t, in)
			if want := "Not known of every target, and so not compared: "; strings.Contains(page, want) != (len(tt.want.notKnown) > 0) {
				t.Errorf("the page says %q: %v", want, len(tt.want.notKnown) == 0)
			}
		})
	}
}

// Times are never the same twice, and an address says who is who: neither is a difference of the servers.
func TestMeasuredTimesAreNoDifference(t *testing.T) {
	in := twoServers(6).input(t)
	target := func(name, fsync, flushes string) v1alpha1.TargetStatus {
		return v1alpha1.TargetStatus{Name: name, Address: name + ":3306", ImageID: "sha256:" + name, RoundTripSeconds: fsync, FsyncsPerCommit: flushes,
			Storage: &v1alpha1.StorageStatus{Filesystem: "ext4", FsyncP50Seconds: fsync, FsyncP99Seconds: fsync}}
	}
	for name, tt := range map[string]struct {
		flushes string
		want    []string
	}{"as many flushes": {"1.04", nil}, "other ones": {"2.02", []string{"log flushes per commit"}}} {
		in.Run.Status.Targets = []v1alpha1.TargetStatus{target("mysql", "0.001", "1.00"), target("mariadb", "0.002", tt.flushes)}
		table, got := targetTable(in)
		if diff := cmp.Diff(tt.want, got.differ); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		for _, row := range table.rows {
			if strings.Contains(row[0].text, ",") {
				t.Errorf("%q has a comma, and stands in a list", row[0].text)
			}
		}
	}
}

// A list of differences that is cut says how many are not in it.
func TestDifferencesAreNotCutInSilence(t *testing.T) {
	var names []string
	for i := range 23 {
		names = append(names, fmt.Sprintf("setting_%02d", i))
	}
	in := Input{Comparisons: []v1alpha1.ComparisonEntry{{Family: v1alpha1.FamilyPrimary, Differences: names}}}
	if said := strings.Join(lacks(in), "\n"); !strings.Contains(said, "setting_00") || !strings.Contains(said, "setting_19 and 3 more.") {
		t.Error(said)
	}
	in.Comparisons[0].Differences = names[:17]
	if said := strings.Join(lacks(in), "\n"); !strings.Contains(said, "setting_16.") || strings.Contains(said, "more.") {
		t.Error(said)
	}
}
