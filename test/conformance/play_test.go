package conformance

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/assay-bench/assay/docs/contracts"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/drivers"
	"github.com/assay-bench/assay/runners/runner"
)

// player is the program that plays vectors. It is not in the program that `make conformance-binary` makes.
const player = "play.py"

// Every harness passes by the vectors as by the agent's own code, which is what proves them.
func TestVectors(t *testing.T) {
	forEach(t, func(t *testing.T, h harness) {
		for name, s := range servers(t) {
			t.Run(name, func(t *testing.T) {
				said, err := h.play(t, "--server", s.address())
				t.Logf("%s", said)
				if err != nil {
					t.Errorf("the player: %v", err)
				}
			})
		}
	})
}

// What a vector wants is looked at: each of these is a vector that no harness can fulfil.
func TestVectorsAreHeld(t *testing.T) {
	alterations := map[string]struct {
		file  string
		alter func(*drivers.Want)
		want  string
	}{
		"a checksum":       {"SelectOne", func(w *drivers.Want) { *w.Checksum++ }, "have the checksum"},
		"a number of rows": {"SelectOne", func(w *drivers.Want) { w.RowsEach++ }, "and each has to fetch"},
		"operations":       {"SelectOne", func(w *drivers.Want) { w.Operations++ }, "operations were done instead of"},
		"a counter":        {"Insert", func(w *drivers.Want) { w.Counters["com_commit"] = drivers.Bounds{Least: 9} }, "the server's counter com_commit"},
		"a statement":      {"Insert", func(w *drivers.Want) { w.Statements.Begins = "REPLACE" }, "statements that begin with 'REPLACE'"},
		"a way":            {"Insert", func(w *drivers.Want) { w.Statements.As = "Binlog Dump" }, "as Binlog Dump"},
		"connections":      {"Connect", func(w *drivers.Want) { w.Counters["connections"] = drivers.Bounds{Least: 99} }, "the server's counter connections"},
		"a value":          {"Do", func(w *drivers.Want) { w.Statements.Values = append(w.Statements.Values, "1234567") }, "and have 1234567: 0"},
		"a value too few":  {"Do", func(w *drivers.Want) { w.Statements.Values[0] = w.Statements.Values[1] }, ": 2, and it has to be 3 or more"},
		"the table":        {"Insert", func(w *drivers.Want) { *w.Rows[0][1] += "1" }, " instead of [["},
	}
	forEach(t, func(t *testing.T, h harness) {
		for server, s := range servers(t) {
			folder := t.TempDir()
			for name, a := range alterations {
				writeAltered(t, folder, name, a.file, a.alter)
			}
			said, err := h.play(t, "--server", s.address(), "--vectors", folder)
			if err == nil {
				t.Errorf("%s: the player is content", server)
			}
			// Not every driver can log in to every server.
			for name, a := range alterations {
				if !regexp.MustCompile(`(?m)^WRONG .*, ` + name + `: .*` + regexp.QuoteMeta(a.want)).MatchString(said) {
					t.Errorf("%s: %s was altered, and the player does not say %q:\n%s", server, name, a.want, said)
				}
			}
		}
	})
}

// writeAltered writes the first case of a file as vectors of their own.
func writeAltered(t *testing.T, folder, name, file string, alter func(*drivers.Want)) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("vectors", file+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var whole map[string]json.RawMessage
	var cases []map[string]json.RawMessage
	var turns []map[string]json.RawMessage
	var want drivers.Want
	for _, step := range []struct {
		from func() json.RawMessage
		to   any
	}{
		{func() json.RawMessage { return text }, &whole},
		{func() json.RawMessage { return whole["cases"] }, &cases},
		{func() json.RawMessage { return cases[0]["turns"] }, &turns},
		{func() json.RawMessage { return turns[0]["want"] }, &want},
	} {
		if err := json.Unmarshal(step.from(), step.to); err != nil {
			t.Fatal(err)
		}
	}
	alter(&want)
	encoded := func(v any) json.RawMessage {
		out, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	turns[0]["want"] = encoded(want)
	cases[0]["turns"] = encoded(turns)
	whole["cases"], whole["name"] = encoded(cases[:1]), encoded(name)
	if err := os.WriteFile(filepath.Join(folder, name+".json"), encoded(whole), 0o644); err != nil {
		t.Fatal(err)
	}
}

// What is wrong with answers is found without a server, too: by the driver null of a harness that was made for this.
func TestThePlayerFindsWhatIsWrong(t *testing.T) {
	tests := map[string]struct{ fault, want string }{
		"nothing":                       {"", ""},
		"the number of another request": {"id", "has the id"},
		"a state that is none":          {"state", "has the state 'fine'"},
		"no line of JSON":               {"noise", "which is no line of JSON"},
		"an operation too few":          {"operations", "1 operations were done instead of 4"},
		"a histogram of another run":    {"histogram", "and the histogram has"},
		"buckets in disorder":           {"order", "not ascending"},
		"a bucket with nothing":         {"empty", "the answer to run has histogram: [[99, 0]"},
		"less time than its operations": {"time", "and by the histogram at least"},
		"a unit that is too great":      {"microseconds", "and had to go on for 0.05 s"},
		"a unit that is too small":      {"picoseconds", "and the answer came after"},
		"a CPU time of zero":            {"cpu", "what is unknown has to be absent"},
		"a field that is missing":       {"field", "the answer to run has no checksum"},
		"a field of its own":            {"more", "errors: 0, which the protocol does not have"},
		"a number as a text":            {"text", `rows: "0", which the protocol does not allow`},
		"a number as a boolean":         {"boolean", "rows: false, which the protocol does not allow"},
		"rows of nowhere":               {"rows", "null fetched 4 rows"},
		"a refusal of what it can":      {"unsupported", "among what the driver says that it can do, and the answer is unsupported: not today"},
		"a driver that is lost":         {"driver", "the harness has no driver go-sql-driver"},
		"an end in between":             {"crash", "WRONG null: Connect: Connect "},
		"the code of that end":          {"crash", "the harness ended, with 7; nothing more is played to it"},
		"no answer":                     {"hang", "has no answer within 10 s; nothing more is played to it"},
		"a word after the end":          {"end", "at the end of the requests the harness says"},
		"an exit with an error":         {"exit", "exits with 3"},
		"no end":                        {"stay", "the harness does not end within 10 s"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var options []string
			if tt.fault == "hang" || tt.fault == "stay" {
				options = []string{"--patience", "10"}
			}
			said, err := harness{command: []string{"python3", "testdata/fake.py", tt.fault}}.play(t, options...)
			if (err == nil) != (tt.want == "") || !strings.Contains(said, tt.want) {
				t.Errorf("%v\n%s\nhas to have: %s", err, said, tt.want)
			}
		})
	}
}

// A driver that has to work works, and one that has to be refused is, with its word; logins are excepted.
func TestThePlayerKnowsWhoIsRefused(t *testing.T) {
	const program = `
import json, sys, types
import play
wanted = play.Wanted([json.load(open("vectors/Drivers.json"))], ".NET")
name, version, state, reason = sys.argv[1:]
try:
    print(play.is_refused({"name": name}, {"state": state, "reason": reason}, wanted, types.SimpleNamespace(version=version)))
except play.Wrong as error:
    print(error)
`
	const mariaDB, older, mysql = "10.11.19-MariaDB-0+deb12u1", "10.6.22-MariaDB-log", "9.7.4-2"
	tests := map[string]struct {
		name, version, state, reason, want string
	}{
		"it works":                        {"MySqlConnector", mariaDB, "ok", "", "False"},
		"it has to work":                  {"MySqlConnector", mariaDB, "unsupported", "not today", "prepare is unsupported: not today"},
		"it fails":                        {"MySqlConnector", mysql, "failed", "refused", "prepare is failed: refused"},
		"it does not know the login":      {"MySqlConnector", mysql, "failed", "Authentication plugin", "True"},
		"it has to be refused":            {"MySql.Data", mariaDB, "unsupported", "bug 109331", "True"},
		"it is not refused":               {"MySql.Data", mariaDB, "ok", "", "prepare has to be unsupported with '109331' in the reason, and is ok"},
		"it is refused with another word": {"MySql.Data", mariaDB, "unsupported", "not today", "and is unsupported: not today"},
		"an older server":                 {"MySql.Data", older, "unsupported", "bug 109331", "prepare is unsupported: bug 109331"},
		"another server":                  {"MySql.Data", mysql, "ok", "", "False"},
		"nobody knows the driver":         {"Another", mysql, "unsupported", "not today", "True"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			needPlayer(t)
			said, err := exec.CommandContext(t.Context(), "python3", "-c", program, tt.name, tt.version, tt.state, tt.reason).CombinedOutput()
			if err != nil || !strings.Contains(string(said), tt.want) {
				t.Errorf("%v: %s\nhas to have: %s", err, said, tt.want)
			}
		})
	}
}

// The fields that the player knows are those of the schema.
func TestThePlayerKnowsTheSchema(t *testing.T) {
	needPlayer(t)
	const program = `
import json
from answers import ANSWERS, COLLECTION, DRIVER, REFUSAL
shapes = {"refusal": REFUSAL, "helloAnswer": ANSWERS["hello"], "prepareAnswer": ANSWERS["prepare"], "runAnswer": ANSWERS["run"],
          "doneAnswer": ANSWERS["close"], "driver": DRIVER, "collection": COLLECTION}
print(json.dumps({name: {"required": sorted(shape.required), "every": sorted(shape.every)} for name, shape in shapes.items()}))
`
	type fields struct{ Required, Every []string }
	said, err := exec.CommandContext(t.Context(), "python3", "-c", program).Output()
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]fields
	if err := json.Unmarshal(said, &got); err != nil {
		t.Fatal(err)
	}
	type object struct {
		Required   []string
		Properties map[string]json.RawMessage
	}
	var schema struct {
		Defs map[string]object `json:"$defs"`
	}
	var list struct{ Items object }
	var collection object
	if err := errors.Join(
		json.Unmarshal(contracts.DriverProtocol, &schema),
		json.Unmarshal(schema.Defs["helloAnswer"].Properties["drivers"], &list),
		json.Unmarshal(schema.Defs["runAnswer"].Properties["collection"], &collection),
	); err != nil {
		t.Fatal(err)
	}
	schema.Defs["driver"], schema.Defs["collection"] = list.Items, collection
	want := map[string]fields{}
	for name := range got {
		o := schema.Defs[name]
		want[name] = fields{slices.Sorted(slices.Values(o.Required)), slices.Sorted(maps.Keys(o.Properties))}
	}
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" || len(got) != 7 {
		t.Error(d)
	}
}

// needPlayer skips the test where the player cannot run.
func needPlayer(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(player); err != nil {
		t.Skipf("the player is not here: %v", err)
	}
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip(err)
	}
}

// play the vectors to the harness, and return what the player says.
func (h harness) play(t *testing.T, options ...string) (string, error) {
	t.Helper()
	needPlayer(t)
	words := h.command
	if words == nil {
		how, err := drivers.Runner().Command(trialOf(h.Name, []string{nullDriver}, `{"operation": "Do"}`, server{}, contract.TLSDisabled), contract.PhaseRun,
			runner.Credentials{Username: user, Password: user})
		if err != nil {
			t.Fatal(err)
		}
		words = h.inImage(t, how, how.Env).Args
	}
	out, err := exec.CommandContext(t.Context(), "python3", append(append([]string{player}, append(options, "--")...), words...)...).CombinedOutput()
	return string(out), err
}
