package settings_test

import (
	"flag"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/settings"
	"github.com/assay-bench/assay/internal/record/bundle"
	"github.com/assay-bench/assay/internal/record/stored"
)

var update = flag.Bool("update", false, "write the known variables from the stored runs")

// The known variables are those of the servers of stored runs, which have all that SHOW GLOBAL VARIABLES said.
func TestKnownVariablesAreThoseOfServers(t *testing.T) {
	found := map[string]map[string]bool{}
	for _, path := range []string{"../../../docs/evidence/mariadb-mysql.assay.tar", "../../../docs/gallery/s1-ycsb.assay.tar"} {
		b, err := bundle.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = b.Close() }() // it was only read
		run, err := stored.Read(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		for _, rec := range run.Records {
			for res, err := range run.Results(t.Context(), rec) {
				if err != nil || res.Result.Server == nil || len(res.Result.Server.Variables) == 0 {
					continue // the results of most trials are not kept
				}
				version := strings.SplitN(res.Result.Server.Version, ".", 3)
				file := "known/mysql.txt"
				if strings.Contains(res.Result.Server.Version, "MariaDB") {
					file = "known/mariadb.txt"
				}
				if found[file] == nil {
					found[file] = map[string]bool{"." + version[0] + "." + version[1]: true} // sorted before all names
				}
				for name := range res.Result.Server.Variables {
					found[file][strings.ToLower(name)] = true
				}
			}
		}
	}
	if len(found) != 2 {
		t.Fatalf("flavors %v", slices.Sorted(maps.Keys(found)))
	}
	for file, names := range found {
		want := strings.TrimPrefix(strings.Join(slices.Sorted(maps.Keys(names)), "\n")+"\n", ".")
		if *update {
			if err := os.WriteFile(file, []byte(want), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		have, err := os.ReadFile(file)
		if err != nil || string(have) != want || len(names) < 500 {
			t.Errorf("%s is not what the servers of the stored runs said (%v): go test ./internal/ground/settings -update\n%s", file, err, cmp.Diff(string(have), want))
		}
	}
}

func TestDoubts(t *testing.T) {
	for what, tt := range map[string]struct {
		flavor, version, name, want string
		beside                      string
	}{
		"a setting":                                 {"MySQL", "9.7", "innodb_buffer_pool_size", "", ""},
		"with hyphens":                              {"MySQL", "9.7", "innodb-buffer-pool-size", "", ""},
		"in capitals":                               {"MariaDB", "10.11", "Innodb_Flush_Log_At_Trx_Commit", "", ""},
		"a misspelt one":                            {"MySQL", "9.7", "innodb_bufer_pool_size", "MySQL 9.7 has no such setting: did you mean innodb_buffer_pool_size? A server does not start with a setting that it does not know", ""},
		"of another version":                        {"MySQL", "8.4", "inodb_buffer_pool_size", "MySQL 9.7 has no such setting: did you mean innodb_buffer_pool_size? A server does not start with a setting that it does not know", ""},
		"of a patch of the version":                 {"MariaDB", "10.11.6", "no_such_thing_at_all", "MariaDB 10.11 has no such setting. A server does not start with a setting that it does not know", ""},
		"of another version, and like nothing":      {"MariaDB", "11.8", "no_such_thing_at_all", "", ""},
		"of an image, and like nothing":             {"MySQL", "", "no_such_thing_at_all", "", ""},
		"of a plugin":                               {"MySQL", "9.7", "audit_log_buffer_size_of_it", "", "plugin-load-add"},
		"misspelt beside a plugin":                  {"MySQL", "9.7", "max_conections", "MySQL 9.7 has no such setting: did you mean max_connections? A server does not start with a setting that it does not know", "plugin_load"},
		"a loose one":                               {"MySQL", "9.7", "loose_max_conections", "MySQL 9.7 has no such setting: did you mean max_connections? With loose_ the server ignores what it does not know", ""},
		"a loose one that is known":                 {"MySQL", "9.7", "loose-max-connections", "", ""},
		"an option with a prefix":                   {"MySQL", "9.7", "skip-log-bin", "", ""},
		"an option that no variable shows":          {"MariaDB", "10.11", "binlog_do_db", "", ""},
		"an option whose variable has another name": {"MariaDB", "10.11", "default-time-zone", "", ""},
		"a key cache":                               {"MariaDB", "10.11", "hot.key_buffer_size", "", ""},
		"of RocksDB":                                {"MariaDB", "10.11", "rocksdb_block_cache_size", "", ""},
		"of MariaDB alone":                          {"MySQL", "9.7", "aria_pagecache_buffer_size", "MySQL 9.7 has no such setting. A server does not start with a setting that it does not know", ""},
		"a flavor whose settings are not known":     {"TiDB", "8.5", "innodb_bufer_pool_size", "", ""},
	} {
		list := []contract.Setting{{Name: tt.name, Value: "1"}}
		if tt.beside != "" {
			list = append(list, contract.Setting{Name: tt.beside, Value: "x"})
		}
		if got := settings.Doubts(tt.flavor, tt.version, list)[tt.name]; got != tt.want {
			t.Errorf("%s: %q, want %q", what, got, tt.want)
		}
	}
}
