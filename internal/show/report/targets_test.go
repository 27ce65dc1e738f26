package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/trial/likeness"
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
			for _, row := range table.Rows {
				if row[0].Text != "TLS" {
					cells += row[0].Text + " " + row[1].Text + " " + row[2].Text + "; "
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
		for _, row := range table.Rows {
			if strings.Contains(row[0].Text, ",") {
				t.Errorf("%q has a comma, and stands in a list", row[0].Text)
			}
		}
	}
}

// The settings that differ are all there, with the values of both sides, what they mean, and which side they can help.
func TestDifferencesAreNotCut(t *testing.T) {
	in := Input{Run: &v1alpha1.BenchmarkRun{}}
	pair := v1alpha1.SideDifferences{Value: "mariadb", Baseline: "mysql", Differences: []v1alpha1.SideDifference{
		{Name: "log_bin", Value: "ON", Baseline: "OFF", Faster: v1alpha1.FasterBaseline}, {Name: "nobody_knows", Baseline: "1"},
	}}
	for i := range 21 {
		pair.Differences = append(pair.Differences, v1alpha1.SideDifference{Name: fmt.Sprintf("setting_%02d", i), Value: "a", Baseline: "b", Faster: v1alpha1.FasterValue})
	}
	in.Run.Status.Differences = []v1alpha1.SideDifferences{pair}
	rows := tableNamed(t, sectionOf(t, in, "differ"), "mariadb against mysql").Rows
	text := func(row []cell) (out string) {
		for _, c := range row {
			out += c.Text + "|"
		}
		return out + row[3].Below[0]
	}
	if got, want := text(rows[0]), "log_bin|ON|OFF|"+likeness.Meaning("log_bin")+"|can help mysql"; got != want || likeness.Meaning("log_bin") == "" {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := text(rows[1]), "nobody_knows|–|1||which side it can help is not known"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if len(rows) != 23 {
		t.Errorf("got %d rows, want 23", len(rows))
	}
}
