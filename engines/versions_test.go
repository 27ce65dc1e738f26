package engines

import (
	"strings"
	"testing"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// A message stays readable, whatever a program prints.
func TestALongOutputIsShortened(t *testing.T) {
	e, _ := Find("TiDB")
	if _, err := Recognise(e, strings.Repeat("é", 10000)); err == nil || len(err.Error()) > 1000 || !strings.Contains(err.Error(), `printed "ééé`) {
		t.Errorf("%v", err)
	}
}

// TestOlderServers: what servers before a version take otherwise.
func TestOlderServers(t *testing.T) {
	tests := map[string]struct{ version, plugin, redo string }{
		"MySQL 5.7.22":         {"5.7.22", "mysql_native_password", "innodb_log_file_size = 1073741824\n"},
		"MySQL 8.0.3":          {"8.0.3", "mysql_native_password", "innodb_log_file_size = 1073741824\n"},
		"MySQL 8.0.15":         {"8.0.15", "caching_sha2_password", "innodb_log_file_size = 1073741824\n"},
		"MySQL 8.0.30":         {"8.0.30", "caching_sha2_password", "innodb_redo_log_capacity = 2G\n"},
		"MySQL 10.0.0":         {"10.0.0", "caching_sha2_password", "innodb_redo_log_capacity = 2G\n"},
		"one that is unknown ": {"", "caching_sha2_password", "innodb_redo_log_capacity = 2G\n"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			e, _ := Find("MySQL")
			target := contract.Target{
				StorageEngine: "InnoDB", ServerVersion: tc.version, Settings: []contract.Setting{{Name: "innodb_redo_log_capacity", Value: "2G"}},
			}
			if text := string(e.Config(target, paths)); !strings.Contains(text, tc.redo) || strings.Count(text, "innodb_") != 1 {
				t.Errorf("the configuration lacks %q:\n%s", tc.redo, text)
			}
			if sql := strings.Join(e.BootstrapSQL(target, "x"), "\n"); strings.Count(sql, "WITH "+tc.plugin) != 2 {
				t.Errorf("the statements do not use %s:\n%s", tc.plugin, sql)
			}
		})
	}
}

func FuzzRecognise(f *testing.F) {
	for _, e := range All() {
		s, err := saidBy(e.Flavor)
		if err != nil {
			f.Fatal(err)
		}
		for _, p := range s.Printed {
			f.Add(p.Text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		flavors := map[string]bool{}
		for _, e := range All() {
			if version, err := Recognise(e, text); err == nil {
				flavors[e.Flavor] = true
				if version == "" {
					t.Errorf("%s: a server without a version", e.Flavor)
				}
			}
		}
		if len(flavors) > 1 {
			t.Errorf("several engines take one server for theirs: %v", flavors)
		}
	})
}
