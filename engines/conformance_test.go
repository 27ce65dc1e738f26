package engines

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/engines/servererror"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// said is what servers of a flavor print, answer and log (testdata/servers).
type said struct {
	Printed []struct{ Text, Version string }
	TooOld  []string
	Answers []struct {
		Answer, Comment, Version, Note string
		Variables                      map[string]string
	}
	Log    []struct{ Line, Reason string }
	Errors []struct{ Number, Text, Reason string }
}

func saidBy(name string) (s said, err error) {
	text, err := os.ReadFile(filepath.Join("testdata", "servers", name+".yaml"))
	if err == nil {
		err = yaml.UnmarshalStrict(text, &s)
	}
	return s, err
}

// Every flavor of the list brings all of it, or says by name what it lacks. An error names what is
// missing and where it goes.
func TestConformance(t *testing.T) {
	for _, e := range All() {
		t.Run(e.Flavor, func(t *testing.T) {
			for _, lack := range lacks(e) {
				t.Error(lack)
			}
			s, err := saidBy(e.Flavor)
			if err != nil {
				t.Fatalf("what its servers print, answer and log: %v", err)
			}
			for _, lack := range unproven(e, s) {
				t.Error(lack)
			}
		})
	}
}

// lacks are the parts of an engine that are missing.
func lacks(e engine.Engine) (out []string) {
	add := func(ok bool, format string, args ...any) {
		if !ok {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	add(e.About != "" && strings.HasSuffix(e.About, "."), "Engine.About: the sentence for the reference")
	add(len(e.Oldest) > 0, "Engine.Oldest: the oldest version that Assay provides")
	add(len(e.StorageEngines) > 0, "Engine.StorageEngines")
	add(e.Defaults != nil && e.Limits != nil, "Engine.Defaults and Engine.Limits: settings from the shape and from the workload")
	f := e.Facts
	add(f.Identify != nil, "Facts.Identify: which servers are of the flavor")
	add(f.Family != "", "Facts.Family: the flavor whose settings mean the same, by default its own name")
	add(f.Log.Harmless != nil && f.Log.Storage != nil && f.Log.Setting != nil && f.Log.Errors != "", "Facts.Log: what lines of its log mean")

	add(f.Position == "" || slices.Contains(f.Positions, f.Position), "Facts.Positions: the variables that are positions, %s among them", f.Position)
	add(e.Replicated == nil || e.UndoesReplication != nil && e.UndoesReplication("server_id"), "Engine.UndoesReplication: settings that users may not have with replicas")

	var rows, flushes, bytes int
	buffers := false // of InnoDB, which large_pages is for
	for _, name := range e.StorageEngines {
		s, known := Identity{Version: dotted(e.Oldest), Facts: f}.Storage(name)
		add((s.ReadPages == "") == (s.CacheSize == ""), "Facts.Storage of %s: ReadPages and CacheSize, or neither", name)
		add(s.CacheSize != "" || !known || name != e.StorageEngines[0], "Facts.Storage of %s: CacheSize", name)
		buffers = buffers || s.CacheSize == "innodb_buffer_pool_size"
		if s.Rows != nil {
			rows++
		}
		if len(s.LogFlushes) > 0 && s.FlushesCommits != nil && s.CommitSetting != "" {
			flushes++
		}
		if len(s.Written) > 0 && s.Flushes != "" {
			bytes++
		}
	}
	has := map[engine.Ability]bool{
		engine.Replicas:       e.Replicated != nil && e.Follow != nil && e.ReplicaStatus != nil && e.AwaitPosition != "" && f.Position != "",
		engine.Encryption:     encrypts(e),
		engine.CountsRows:     rows == len(e.StorageEngines),
		engine.CountsFlushes:  flushes == len(e.StorageEngines) && len(f.CommitCosts) > 0,
		engine.CountsBytes:    bytes == len(e.StorageEngines),
		engine.TellsDefaults:  f.NonDefault != "",
		engine.VariesSettings: setsVariables(e),
		engine.HugePages:      buffers,
		engine.NumbersErrors:  f.Lacks[engine.NumbersErrors] == "", // unproven looks at them
	}
	for _, ability := range slices.Sorted(maps.Keys(has)) {
		why, refused := f.Lacks[ability]
		add(has[ability] || refused && why != "", "%s: give it, or a reason in Facts.Lacks", ability)
		add(!has[ability] || !refused, "%s: it has them, and Facts.Lacks says that it does not", ability)
	}
	for ability := range f.Lacks {
		_, known := has[ability]
		add(known, "Facts.Lacks: no ability is called %q", ability)
	}
	return out
}

// setsVariables: the agent's account is made where there is one, and can be used from inside of the pod alone, with a password of its own.
func setsVariables(e engine.Engine) bool {
	target := contract.Target{Flavor: e.Flavor, StorageEngine: e.StorageEngines[0], Database: "assay", Username: "assay", Port: 3306, Setter: "own", SetterPassword: "its"}
	all := strings.Join(e.BootstrapSQL(target, "x"), "\n")
	target.Setter = ""
	identified := strings.Contains(all, "'own'@'127.0.0.1' IDENTIFIED ") && strings.Contains(all, " BY 'its';")
	return identified && strings.Contains(all, " TO 'own'@'127.0.0.1';") && !strings.Contains(strings.Join(e.BootstrapSQL(target, "x"), "\n"), " ON *.* ")
}

// encrypts: with TLS the configuration has the files of the certificate, and with Required the server
// refuses plain connections, by its configuration or by the account.
func encrypts(e engine.Engine) bool {
	target := contract.Target{Flavor: e.Flavor, StorageEngine: e.StorageEngines[0], Database: "assay", Username: "assay", Port: 3306, TLS: contract.TLSRequired}
	config := string(e.Config(target, paths))
	for _, file := range []string{contract.KeyCert, contract.KeyKey} {
		if !strings.Contains(config, paths.TLS+"/"+file) {
			return false
		}
	}
	all := config + strings.Join(e.BootstrapSQL(target, "x"), "\n")
	return strings.Contains(all, "require_secure_transport") || strings.Contains(all, "REQUIRE SSL")
}

// unproven is what an engine says of real servers that is not true, and what nothing was recorded of.
func unproven(e engine.Engine, s said) (out []string) {
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	for part, n := range map[string]int{"printed": len(s.Printed), "tooOld": len(s.TooOld), "answers": len(s.Answers), "log": len(s.Log), "errors": len(s.Errors)} {
		if n == 0 {
			add("testdata/servers/%s.yaml: nothing under %s", e.Flavor, part)
		}
	}
	for _, p := range s.Printed {
		if version, err := Recognise(e, p.Text); err != nil || version != p.Version {
			add("printed %q: %q, %v; want %s", p.Text, version, err, p.Version)
		}
	}
	for _, text := range s.TooOld {
		if _, err := Recognise(e, text); err == nil || !strings.Contains(err.Error(), "too old: name an image of "+e.Flavor+" "+dotted(e.Oldest)+" or later") {
			add("printed %q: %v, want a refusal with the oldest version", text, err)
		}
	}
	for _, a := range s.Answers {
		if got := Identify(a.Answer, a.Comment, a.Variables); got.Flavor != e.Flavor || got.Version != a.Version {
			add("answers %q (%s): %s %s, want %s %s", a.Answer, a.Comment, got.Flavor, got.Version, e.Flavor, a.Version)
		}
	}
	meant := map[string]bool{}
	for _, l := range s.Log {
		meant[l.Reason] = true
		if got := e.Facts.Log.ReasonOf([]string{"", l.Line}, true); string(got) != l.Reason {
			add("log %q: %q, want %q", l.Line, got, l.Reason)
		}
	}
	for _, reason := range []contract.TargetReason{contract.ReasonStorageFailed, contract.ReasonServerRefusedSetting} {
		if !meant[string(reason)] {
			add("testdata/servers/%s.yaml: no line under log is %s", e.Flavor, reason)
		}
	}
	refused := map[string]bool{}
	for _, r := range s.Errors {
		refused[r.Reason] = true
		if kind := servererror.Of(r.Number); kind == servererror.Unknown || string(kind.Reason()) != r.Reason {
			add("error %s (%s): %s by engines/servererror, want %s", r.Number, r.Text, kind.Reason(), r.Reason)
		}
	}
	for _, reason := range []contract.Reason{contract.ReasonCredentialsRejected, contract.ReasonSchemaMissing, contract.ReasonSchemaNotEmpty} {
		if _, lacks := e.Facts.Lacks[engine.NumbersErrors]; !lacks && !refused[string(reason)] {
			add("testdata/servers/%s.yaml: no number under errors is %s", e.Flavor, reason)
		}
	}
	return out
}

// A new flavor that brings nothing fails with the name of each part.
func TestConformanceNamesWhatLacks(t *testing.T) {
	mysql, _ := Find("MySQL")
	bare := engine.Engine{Flavor: "New", StorageEngines: []string{"X"}, Config: mysql.Config, BootstrapSQL: mysql.BootstrapSQL}
	text := strings.Join(append(lacks(bare), unproven(bare, said{})...), "\n")
	for _, want := range []string{
		"Engine.About", "Engine.Oldest", "Engine.Defaults", "Facts.Identify", "Facts.Family", "Facts.Log", "replicas: give it", "counters of changed rows: give",
		"counters of flushes: give", "counters of written bytes: give", "differences from its defaults: give", "under printed", "under tooOld", "under answers", "under log", "under errors",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not among:\n%s", want, text)
		}
	}
}

// No flavor takes the server of another one, or one that nobody knows.
func TestUnknownIsUnknown(t *testing.T) {
	s, err := saidBy("unknown")
	if err != nil || len(s.Answers) == 0 || len(s.Printed) > 0 {
		t.Fatalf("%v: %+v", err, s)
	}
	for _, a := range s.Answers {
		got := Identify(a.Answer, a.Comment, a.Variables)
		if storage, counts := got.Storage("InnoDB"); got.Known() || counts || storage.Rows != nil || got.Facts.NonDefault != "" {
			t.Errorf("%s: %q (%s) is taken for %s %s", a.Note, a.Answer, a.Comment, got.Flavor, got.Version)
		}
	}
	for _, text := range []string{"usage: mysqld [-h]\n", "", "mysqld  Ver 8.0.36 for Linux on x86_64 (Some Company's build)\n"} {
		for _, e := range All() {
			if version, err := Recognise(e, text); err == nil || !strings.Contains(err.Error(), "of no flavor that is known") {
				t.Errorf("%s takes %q: %s, %v", e.Flavor, text, version, err)
			}
		}
	}
}

// What one flavor prints is refused by the others, which name it.
func TestEveryEngineKnowsItsServerFromOthers(t *testing.T) {
	for _, e := range All() {
		s, err := saidBy(e.Flavor)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range s.Printed {
			for _, other := range All() {
				_, err := Recognise(other, p.Text)
				if named := e.Flavor + " " + p.Version; other.Flavor != e.Flavor && (err == nil || !strings.Contains(err.Error(), named) || !strings.Contains(err.Error(), "set flavor to "+e.Flavor)) {
					t.Errorf("%s: %v; want a refusal that names %s", other.Flavor, err, named)
				}
			}
		}
	}
}
