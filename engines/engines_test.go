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
)

var update = flag.Bool("update", false, "write the golden files")

// hostile is a target whose every text tries to break out of its place.
func hostile(e engine.Engine) engine.Target {
	return engine.Target{
		Version: engine.TargetVersion, Flavor: e.Flavor, StorageEngine: e.StorageEngines[0],
		Database: "as`s_y%", Username: `o'ne\`, Port: 3306,
		Settings: []engine.Setting{
			{Name: "innodb_buffer_pool_size", Value: "8G"},
			{Name: "skip_log_bin"},
			{Name: "sql_mode", Value: "''"},
			{Name: "init_connect", Value: "SET a = 'b'\ndatadir=/etc # \"c\"\\"},
		},
	}
}

var paths = engine.Paths{Data: "/var/lib/assay/data/db", Run: "/run/assay", Tmp: "/tmp"}

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
			checkConfig(t, e)
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
		if name != engine.CanonicalName(strings.ToLower(name)) || e.Owned[name] == "" {
			t.Errorf("owned %q is not canonical or has no reason", name)
		}
		for _, spelling := range []string{name, "loose-" + name, "skip_" + name, strings.ReplaceAll(name, "_", "-")} {
			if len(engine.Validate(e, "config", []engine.Setting{{Name: spelling, Value: "x"}})) != 1 {
				t.Errorf("%s is not refused", spelling)
			}
		}
	}
}

// checkConfig: what Assay writes is what it owns, comes after the user's settings,
// and no value of the user makes a line of its own.
func checkConfig(t *testing.T, e engine.Engine) {
	target := hostile(e)
	before := slices.Clone(target.Settings)
	text := e.Config(target, paths)
	if diff := cmp.Diff(before, target.Settings); diff != "" {
		t.Errorf("Config changed its input:\n%s", diff)
	}
	golden(t, strings.ToLower(e.Flavor)+".cnf", text)
	read, err := engine.ParseSettings(map[string]string{"x.cnf": string(text)})
	if err != nil {
		t.Fatal(err)
	}
	last := -1
	for i, s := range read {
		if slices.Contains(target.Settings, s) {
			last = i
			continue
		}
		if len(engine.Validate(e, "config", []engine.Setting{s})) == 0 {
			t.Errorf("Assay writes %s, and lets users write it as well", s.Name)
		}
	}
	for _, name := range []string{"datadir", "socket", "pid_file", "port", "bind_address", "tmpdir", "default_storage_engine"} {
		if i := slices.IndexFunc(read, func(s engine.Setting) bool { return s.Name == name }); i < last {
			t.Errorf("%s is missing, or a user's setting comes after it", name)
		}
	}
}

func checkCommands(t *testing.T, e engine.Engine) {
	for what, c := range map[string]engine.Command{
		"Initialise": e.Initialise("/c.cnf", paths), "Serve": e.Serve("/c.cnf", "/init.sql", paths),
	} {
		if len(c.Programs) == 0 || len(c.Args) == 0 || c.Args[0] != "--defaults-file=/c.cnf" || !slices.Contains(c.Args, "--datadir="+paths.Data) {
			t.Errorf("%s: %+v, want programs, and the configuration first, and the data directory", what, c)
		}
	}
}

// checkBootstrap: an init file holds one statement per line, and grants nothing
// beyond the schema.
func checkBootstrap(t *testing.T, e engine.Engine) {
	const password = "p'; DROP DATABASE mysql; --\n\\\x00\""
	statements := e.BootstrapSQL(hostile(e), password)
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
