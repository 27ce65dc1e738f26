package experiment

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/internal/ground/contract"
)

func settingAxis(name string, values ...string) v1alpha1.Axis {
	axis := v1alpha1.Axis{Name: name}
	for _, v := range values {
		axis.Values = append(axis.Values, intstr.FromString(v))
	}
	return axis
}

func provided(name, flavor string) v1alpha1.Target {
	return v1alpha1.Target{Name: name, MySQL: &v1alpha1.MySQLTarget{Flavor: flavor}}
}

// A setting varies where it can vary in every trial, and nowhere else.
func TestSettingsOfTheMatrix(t *testing.T) {
	one := []v1alpha1.Target{provided("db", "MariaDB")}
	given := provided("db", "MySQL")
	given.MySQL.Config = map[string]string{"skip-log-bin": "", "loose-sync-binlog": "1"}
	replicated := provided("db", "MySQL")
	replicated.MySQL.Replication = &v1alpha1.Replication{}
	two := []v1alpha1.Target{provided("db", "MariaDB"), provided("other", "MySQL")}
	older := provided("db", "MySQL")
	older.MySQL.Version = "5.7"
	starts := func(axis v1alpha1.Axis) v1alpha1.Axis { axis.Apply = v1alpha1.ApplyRestart; return axis }
	of := func(axis v1alpha1.Axis, target string) v1alpha1.Axis { axis.Target = target; return axis }
	for name, tc := range map[string]struct {
		targets []v1alpha1.Target
		axis    v1alpha1.Axis
		control bool
		want    string // part of the refusal; empty for none
	}{
		"a parameter of the tool":      {one, settingAxis("threads", "1", "2"), false, ""},
		"a setting":                    {one, settingAxis("config.innodb_buffer_pool_size", "512M", "1G"), false, ""},
		"of all targets":               {two, settingAxis("config.sync_binlog", "0", "1"), false, ""},
		"of the only target":           {one, of(settingAxis("config.sync_binlog", "0", "1"), "db"), false, ""},
		"of a target and its control":  {one, of(settingAxis("config.sync_binlog", "0", "1"), "db"), true, ""},
		"beside published numbers":     {append([]v1alpha1.Target{{Name: "paper", Published: &v1alpha1.PublishedTarget{}}}, one...), of(settingAxis("config.sync_binlog", "0", "1"), "db"), false, ""},
		"of one of two":                {two, of(settingAxis("config.sync_binlog", "0", "1"), "db"), false, "spec.matrix[0].target: every cell is measured on every target, and the setting would not vary on other: leave target out"},
		"of nobody":                    {one, of(settingAxis("config.sync_binlog", "0", "1"), "bd"), false, "would not vary on db"},
		"of published numbers":         {[]v1alpha1.Target{{Name: "paper", Published: &v1alpha1.PublishedTarget{}}}, of(settingAxis("config.sync_binlog", "0"), "paper"), false, `the run measures no target "paper"`},
		"one value in two spellings":   {one, settingAxis("config.innodb_buffer_pool_size", "1G", "1024M"), false, "spec.matrix[0]: 1G and 1024M are one value of config.innodb_buffer_pool_size"},
		"a switch in two spellings":    {one, settingAxis("config.log_queries_not_using_indexes", "ON", "1"), false, "ON and 1 are one value"},
		"an empty value":               {one, settingAxis("config.sql_mode", ""), false, "config.sql_mode has an empty value"},
		"a loose name":                 {one, settingAxis("config.loose_sync_binlog", "1"), false, "give the name of the variable as the server shows it: config.sync_binlog"},
		"a name in capitals":           {one, settingAxis("config.Sync_Binlog", "1"), false, "config.sync_binlog"},
		"flags by SET":                 {one, settingAxis("config.optimizer_switch", "mrr=on", "mrr=off"), false, "spec.matrix[0].apply: config.optimizer_switch: SET GLOBAL changes only what a value names, so that values of earlier trials stay: set apply: Restart"},
		"flags by a start":             {one, starts(settingAxis("config.optimizer_switch", "mrr=on", "mrr=off")), false, ""},
		"ciphers by SET":               {one, settingAxis("config.ssl_cipher", "AES256-SHA"), false, "spec.matrix[0].apply: config.ssl_cipher: SET GLOBAL has no effect until"},
		"ciphers by a start":           {one, starts(settingAxis("config.ssl_cipher", "AES256-SHA")), false, ""},
		"a redo log in files":          {one, starts(settingAxis("config.innodb_log_file_size", "1G")), false, ""},
		"of MySQL 5.7":                 {[]v1alpha1.Target{older}, starts(settingAxis("config.innodb_log_files_in_group", "2")), false, ""},
		"of later ones":                {two, starts(settingAxis("config.innodb_log_file_size", "1G")), false, "spec.matrix[0]: config.innodb_log_file_size: MySQL 8.0.30 and later ignore it beside innodb_redo_log_capacity, on spec.targets[1] (other): use config.innodb_redo_log_capacity"},
		"of Percona Server":            {[]v1alpha1.Target{provided("db", "Percona")}, starts(settingAxis("config.innodb_log_files_in_group", "2")), false, "use config.innodb_redo_log_capacity"},
		"what Assay owns":              {one, settingAxis("config.skip_networking", "1"), false, "spec.matrix[0].skip_networking: set by Assay"},
		"that by its older name":       {one, settingAxis("config.tx_read_only", "ON"), false, "spec.matrix[0].tx_read_only: set by Assay"},
		"what the target has":          {[]v1alpha1.Target{given}, settingAxis("config.sync_binlog", "0", "1"), false, "spec.targets[0].mysql.config.loose-sync-binlog: it varies in spec.matrix"},
		"what the target switches off": {[]v1alpha1.Target{given}, settingAxis("config.log_bin", "0", "1"), false, "spec.targets[0].mysql.config.skip-log-bin: it varies in spec.matrix"},
		"an external server":           {[]v1alpha1.Target{{Name: "prod", External: &v1alpha1.ExternalTarget{}}}, settingAxis("config.sync_binlog", "0"), false, "spec.targets[0] (prod), which is external: Assay changes no settings"},
		"a server with replicas":       {[]v1alpha1.Target{replicated}, settingAxis("config.sync_binlog", "0"), false, "spec.targets[0] (db), which has replicas"},
		"a flavor that cannot":         {[]v1alpha1.Target{provided("db", "TiDB")}, settingAxis("config.tidb_mem_quota_query", "1"), false, "cannot vary on spec.targets[0] (db), because the bootstrap of TiDB runs once"},
		"a flavor that nobody knows":   {[]v1alpha1.Target{provided("db", "Oracle")}, settingAxis("config.sync_binlog", "0"), false, ""}, // refused elsewhere
	} {
		t.Run(name, func(t *testing.T) {
			spec := v1alpha1.BenchmarkRunSpec{Targets: tc.targets, Matrix: []v1alpha1.Axis{tc.axis}}
			if tc.control {
				spec.Analysis = &v1alpha1.Analysis{Control: true}
				spec.SetDefaults()
			}
			err := checkSettings(Work{spec: spec, engine: engines.Find})
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

// Every value is enough for the workload.
func TestVariedSettingsFitTheDemand(t *testing.T) {
	d := Demand{All: contract.Demand{Connections: 300}, clients: 1}
	needed := []contract.Setting{{Name: "max_connections", Value: "332"}}
	matrix := []v1alpha1.Axis{settingAxis("threads", "1"), settingAxis("config.max_connections", "400", "331")}
	err := d.fitsVaried(matrix, needed)
	if want := "spec.matrix[1]: config.max_connections: 331 is too low: the workload needs 300 connections, and Assay a few for itself: use at least 332"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
	matrix[1] = settingAxis("config.max_connections", "400", "332")
	if err := d.fitsVaried(matrix, needed); err != nil {
		t.Errorf("enough: %v", err)
	}
}
