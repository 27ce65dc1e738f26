package engines

import (
	"strings"
	"testing"

	"github.com/assay-bench/assay/engines/engine"

	"github.com/assay-bench/assay/internal/contract"
)

// printed is what servers really print when they are asked for their version.
var printed = map[string]struct{ text, flavor, version string }{
	"MySQL 5.7 of Oracle":        {"mysqld  Ver 5.7.22 for Linux on x86_64 (MySQL Community Server (GPL))\n", "MySQL", "5.7.22"},
	"MySQL 8.0 under a path":     {"/opt/mysql/bin/mysqld  Ver 8.0.15 for Linux on x86_64 (MySQL Community Server - GPL)\n", "MySQL", "8.0.15"},
	"MySQL 9.7 of Debian":        {"/usr/sbin/mysqld  Ver 9.7.4-2 for Linux on x86_64 ((Debian))\n", "MySQL", "9.7.4"},
	"MariaDB 10.11 of Debian":    {"mariadbd  Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)\n", "MariaDB", "10.11.19"},
	"MariaDB 11.8 of Debian":     {"/usr/sbin/mariadbd  Ver 11.8.6-MariaDB-0+deb13u1 from Debian for debian-linux-gnu on x86_64 (-- Please help get to 10k stars at https://github.com/MariaDB/Server)\n", "MariaDB", "11.8.6"},
	"MariaDB called mysqld":      {"mysqld  Ver 11.8.6-MariaDB-0+deb13u1 for debian-linux-gnu on x86_64 (Debian n/a)\n", "MariaDB", "11.8.6"},
	"Percona Server 8.0":         {"/usr/sbin/mysqld  Ver 8.0.36-28 for Linux on x86_64 (Percona Server (GPL), Release 28, Revision 47601f19)\n", "Percona", "8.0.36"},
	"Percona Server 8.4":         {"/usr/sbin/mysqld  Ver 8.4.0-1 for Linux on x86_64 (Percona Server (GPL), Release 1, Revision 8a2ab87e)\n", "Percona", "8.4.0"},
	"TiDB from its Go module":    {"Release Version: v8.4.0-this-is-a-placeholder\nEdition: Community\nGit Commit Hash: None\nStore: unistore\n", "TiDB", "8.4.0"},
	"MariaDB after a complaint":  {"2026-11-20 [Warning] something\nmariadbd  Ver 10.11.19-MariaDB for Linux on x86_64 (x)\n", "MariaDB", "10.11.19"},
	"TiDB of an official image ": {"Release Version: v8.5.1\nEdition: Community\nStore: tikv\n", "TiDB", "8.5.1"},
}

func TestEveryEngineKnowsItsServerFromOthers(t *testing.T) {
	for name, tc := range printed {
		t.Run(name, func(t *testing.T) {
			for _, e := range All() {
				version, err := e.Recognise(tc.text)
				if e.Flavor == tc.flavor {
					if err != nil || version != tc.version {
						t.Errorf("%s: %q, %v; want %s", e.Flavor, version, err, tc.version)
					}
					continue
				}
				if err == nil || !strings.Contains(err.Error(), tc.flavor+" "+tc.version) || !strings.Contains(err.Error(), "set flavor to "+tc.flavor) {
					t.Errorf("%s: %q, %v; want a refusal that names %s %s", e.Flavor, version, err, tc.flavor, tc.version)
				}
			}
		})
	}
}

func TestServersThatAreRefused(t *testing.T) {
	tests := map[string]struct{ flavor, text, want string }{
		"MySQL before 5.7":          {"MySQL", "mysqld  Ver 5.6.24 for Linux on x86_64 (MySQL Community Server (GPL))", "MySQL 5.7 or later"},
		"MariaDB before 10.6":       {"MariaDB", "mysqld  Ver 10.2.11-MariaDB for Linux on x86_64 (MariaDB Server)", "MariaDB 10.6 or later"},
		"Percona Server before 8.0": {"Percona", "mysqld  Ver 5.7.44-48 for Linux on x86_64 (Percona Server (GPL), Release 48)", "Percona 8.0 or later"},
		"TiDB before 6.6":           {"TiDB", "Release Version: v6.5.12\nEdition: Community", "TiDB 6.6 or later"},
		"another program":           {"MySQL", "usage: mysqld [-h]\n", `it printed "usage: mysqld [-h]"`},
		"a program that is silent":  {"MariaDB", "", `it printed ""`},
		"a long output":             {"TiDB", strings.Repeat("é", 10000), `printed "ééé`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			e, _ := Find(tc.flavor)
			version, err := e.Recognise(tc.text)
			if err == nil || !strings.Contains(err.Error(), tc.want) || len(err.Error()) > 1000 {
				t.Errorf("%q, %v; want a refusal with %q", version, err, tc.want)
			}
		})
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
			e, _ := Find(engine.MySQL)
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
	for _, p := range printed {
		f.Add(p.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		flavors := map[string]bool{}
		for _, e := range All() {
			if version, err := e.Recognise(text); err == nil {
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
