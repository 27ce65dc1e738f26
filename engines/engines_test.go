package engines

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/engines/engine"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/settings"
)

var update = flag.Bool("update", false, "write the golden files")

// hostile is a target whose every text tries to break out of its place.
func hostile(e engine.Engine, storageEngine string) contract.Target {
	return contract.Target{
		Version: contract.TargetVersion, Flavor: e.Flavor, StorageEngine: storageEngine,
		Database: "as`s_y%", Username: `o'ne\`, Port: 3306,
		Settings: []contract.Setting{
			{Name: "innodb_buffer_pool_size", Value: "8G"},
			{Name: "skip_log_bin"},
			{Name: "rocksdb_max_row_locks", Value: "1048576"},
			{Name: "plugin_load_add", Value: "ha_rocksdb"},
			{Name: "performance.max_procs", Value: "4"},
			{Name: "sql_mode", Value: "''"},
			{Name: "init_connect", Value: "SET a = 'b'\ndatadir=/etc # \"c\"\\"},
		},
	}
}

var paths = engine.Paths{Data: "/var/lib/assay/data/db", Run: "/run/assay", Tmp: "/tmp", TLS: "/etc/assay/tls", Config: "/c.cnf", Init: "/init.sql"}

// ofMysqld says whether an engine is of the family of mysqld: its configuration is a my.cnf file.
func ofMysqld(e engine.Engine) bool { return slices.Contains(e.Version().Programs, "mysqld") }

// TestEveryEngine is the conformance test of the list.
func TestEveryEngine(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range All() {
		t.Run(e.Flavor, func(t *testing.T) {
			if e.Flavor == "" || seen[e.Flavor] {
				t.Errorf("the flavor %q is empty or there twice", e.Flavor)
			}
			seen[e.Flavor] = true
			if found, ok := Find(e.Flavor); !ok || found.Flavor != e.Flavor {
				t.Errorf("Find does not find %s", e.Flavor)
			}
			checkOwned(t, e)
			for _, storageEngine := range e.StorageEngines {
				checkConfig(t, e, storageEngine)
			}
			checkCommands(t, e)
			checkBootstrap(t, e)
		})
	}
	if _, ok := Find("Oracle"); ok {
		t.Error("Find finds what is not there")
	}
}

// checkOwned: each owned setting is refused under each of its spellings, and has a reason.
func checkOwned(t *testing.T, e engine.Engine) {
	for _, name := range slices.Sorted(maps.Keys(e.Owned)) {
		if name != settings.CanonicalName(strings.ToLower(name)) || e.Owned[name] == "" {
			t.Errorf("owned %q is not canonical or has no reason", name)
		}
		for _, spelling := range []string{name, "loose-" + name, "skip_" + name, strings.ReplaceAll(name, "_", "-")} {
			if len(settings.Validate(e.Owned, "config", []contract.Setting{{Name: spelling, Value: "x"}})) != 1 {
				t.Errorf("%s is not refused", spelling)
			}
		}
	}
}

// checkConfig: what Assay writes is what it owns, comes after the user's settings,
// and no value of the user makes a line of its own.
func checkConfig(t *testing.T, e engine.Engine, storageEngine string) {
	target := hostile(e, storageEngine)
	before := slices.Clone(target.Settings)
	text := e.Config(target, paths)
	if diff := cmp.Diff(before, target.Settings); diff != "" {
		t.Errorf("Config changed its input:\n%s", diff)
	}
	name := strings.ToLower(e.Flavor)
	if storageEngine != e.StorageEngines[0] {
		name += "-" + strings.ToLower(storageEngine)
	}
	if !ofMysqld(e) {
		golden(t, name+".config", text)
		return
	}
	golden(t, name+".cnf", text)
	// The second group counts too when the server serves.
	text = []byte(strings.Replace(string(text), "[mysqld-serve]", "", 1))
	read, err := settings.Parse(map[string]string{"x.cnf": string(text)})
	if err != nil {
		t.Fatal(err)
	}
	last := -1
	for i, s := range read {
		if slices.Contains(target.Settings, s) {
			last = i
			continue
		}
		if len(settings.Validate(e.Owned, "config", []contract.Setting{s})) == 0 && s.Name != "plugin_load_add" {
			t.Errorf("Assay writes %s, and lets users write it as well", s.Name)
		}
	}
	for _, name := range []string{"datadir", "socket", "pid_file", "port", "bind_address", "tmpdir", "default_storage_engine"} {
		i := slices.IndexFunc(read, func(s contract.Setting) bool { return s.Name == name })
		if i < 0 || (i < last && storageEngine == e.StorageEngines[0]) {
			t.Errorf("%s is missing, or a user's setting comes after it", name)
		}
	}
}

func checkCommands(t *testing.T, e engine.Engine) {
	version := e.Version()
	if len(version.Programs) == 0 || len(version.Args) == 0 {
		t.Errorf("Version: %+v, want programs and arguments", version)
	}
	commands := map[string]engine.Command{"Serve": e.Serve(hostile(e, e.StorageEngines[0]), paths)}
	if e.Initialise != nil {
		commands["Initialise"] = e.Initialise(paths)
	}
	var all []string
	for what, c := range commands {
		all = append(all, c.Args...)
		if len(c.Programs) == 0 || len(c.Args) == 0 {
			t.Errorf("%s: %+v, want programs and arguments", what, c)
		}
		if ofMysqld(e) && (c.Args[0] != "--defaults-file=/c.cnf" || !slices.Contains(c.Args, "--datadir="+paths.Data)) {
			t.Errorf("%s: %+v, want the configuration first, and the data directory", what, c)
		}
	}
	if !strings.Contains(strings.Join(commands["Serve"].Args, " "), "=/c.cnf") {
		t.Errorf("Serve: %+v, want the configuration", commands["Serve"])
	}
	if n := strings.Count(strings.Join(all, " "), "=/init.sql"); n != 1 {
		t.Errorf("%d commands have the init file, want one: %v", n, all)
	}
}

// checkBootstrap: an init file holds one statement per line, and grants nothing
// beyond the schema.
func checkBootstrap(t *testing.T, e engine.Engine) {
	const password = "p'; DROP DATABASE mysql; --\n\\\x00\""
	statements := e.BootstrapSQL(hostile(e, e.StorageEngines[0]), password)
	golden(t, strings.ToLower(e.Flavor)+".sql", []byte(strings.Join(statements, "\n")+"\n"))
	for _, s := range statements {
		if strings.ContainsAny(s, "\n\r\x00") || !strings.HasSuffix(s, ";") {
			t.Errorf("%q is not one statement on one line", s)
		}
		if strings.HasPrefix(s, "GRANT") && (strings.Contains(s, "ON *.*") || strings.Contains(s, "GRANT OPTION") || strings.Contains(s, "ALL")) {
			t.Errorf("%q grants too much", s)
		}
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}
