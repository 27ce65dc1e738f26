package likeness

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/engines"

	"github.com/assay-bench/assay/internal/ground/contract"
)

var update = flag.Bool("update", false, "write the derived page")

// recorded are the servers whose defaults are in testdata: all global variables of the catalogue
// as the server answered them, started without any configuration, in the images of the project. They
// are in the order of the flavors. innodb_stats_* were read from MariaDB 10.11 and MySQL 9.7; those of the others are the defaults of
// their manuals, which are the same.
var recorded = func() (names []string) {
	files, _ := filepath.Glob("testdata/*.tsv") // the pattern is a good one
	for _, flavor := range engines.Flavors() {
		for _, file := range files {
			if name := strings.TrimSuffix(filepath.Base(file), ".tsv"); strings.HasPrefix(name, strings.ToLower(flavor)+"-") {
				names = append(names, name)
			}
		}
	}
	return names
}()

// The defaults of each family of servers are recorded, and each recording is of its flavor.
func TestRecorded(t *testing.T) {
	families := map[string]bool{}
	for _, name := range recorded {
		variables := defaultsOf(t, name)
		server := engines.Identify(variables["version"], variables["version_comment"], variables)
		families[server.Facts.Family] = true
		if !strings.HasPrefix(name, strings.ToLower(server.Flavor)+"-") {
			t.Errorf("testdata/%s.tsv is of %q", name, server.Flavor)
		}
	}
	for _, e := range engines.All() {
		if !families[e.Facts.Family] {
			t.Errorf("%s: testdata has no %s-VERSION.tsv with the defaults of a server of its family %s", e.Flavor, strings.ToLower(e.Facts.Family), e.Facts.Family)
		}
	}
}

// defaultsOf a recorded server.
func defaultsOf(t *testing.T, name string) map[string]string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name + ".tsv")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for line := range strings.Lines(string(text)) {
		variable, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		out[variable] = value
	}
	if out["version"] == "" {
		t.Fatalf("%s: no version", name)
	}
	return out
}

// factsOfServer are the facts of a trial on a server with these variables.
func factsOfServer(variables map[string]string) contract.Facts {
	res := contract.Result{Server: &contract.Server{Version: variables["version"], VersionComment: variables["version_comment"], Variables: variables}}
	return FactsOf(Source{Result: res})
}

// Every entry says all that a reader needs, and speaks of variables and values that real servers
// have.
func TestCatalogue(t *testing.T) {
	seen := map[string]bool{}
	for _, set := range Catalogue() {
		for _, name := range set.names() {
			if seen[name] {
				t.Errorf("%s is there twice", name)
			}
			seen[name] = true
		}
		if !slices.Contains(Classes(), set.Class) || set.Why == "" || strings.HasSuffix(set.Why, ".") || !strings.HasPrefix(set.Source, "https://") {
			t.Errorf("%s: class %q, why %q, source %q", set.Name, set.Class, set.Why, set.Source)
		}
		if set.Needs != "" && !seen[set.Needs] {
			t.Errorf("%s needs %s, which is not before it", set.Name, set.Needs)
		}
		if len(set.Costs) > 0 && set.More != "" || set.More != "" && set.More != "Faster" && set.More != "Slower" || set.Zero != "" && set.Zero != "unlimited" {
			t.Errorf("%s: costs %q, more %q, zero %q", set.Name, set.Costs, set.More, set.Zero)
		}
		checkRecorded(t, set)
	}
	if len(seen) < 60 {
		t.Errorf("only %d variables", len(seen))
	}
}

// checkRecorded: some recorded server has each name, and no recorded value is unknown to a list of
// values.
func checkRecorded(t *testing.T, set Setting) {
	t.Helper()
	// No recorded server has the plugin of semi-synchronous replication under its new name.
	unrecorded := []string{"rpl_semi_sync_source_enabled"}
	for _, name := range set.names() {
		found := slices.Contains(unrecorded, name)
		for _, server := range recorded {
			variables := defaultsOf(t, server)
			value, there := variables[name]
			if !there || !set.usedBy(engines.Identify(variables["version"], variables["version_comment"], variables).Facts.Family) {
				continue
			}
			found = true
			if value == "" {
				value = "''"
			}
			if means := set.Means(value); len(set.Costs) > 0 && !slices.Contains(set.Costs, means) {
				t.Errorf("%s: %s has %s = %s, whose cost is not in %q", set.Name, server, name, means, set.Costs)
			}
		}
		if !found {
			t.Errorf("no recorded server has the variable %s", name)
		}
	}
}

// page is the table of the catalogue with the defaults of real servers.
const page = "../../../docs/reference/settings.md"

// The page of the settings is derived from the catalogue and from what servers answered.
func TestPageOfSettings(t *testing.T) {
	var b bytes.Buffer
	fmt.Fprint(&b, `# Settings that matter

<!-- Derived from internal/trial/likeness/catalogue.yaml by `+"`go test ./internal/trial/likeness -update`"+`. Do not edit. -->

A comparison names every setting of this list in which its sides differ. *Can help* is what is known of the direction: the values
from the one that costs least to the one that costs most, or the larger number. It says nothing of one run. Where it is empty, the
direction depends on the load or on the machine.
The columns of servers are their own defaults: what they answered when they were started without any configuration, in a container with
2 GiB of memory. *-* is a variable that the server does not have,
or that has no effect there.

`)
	for _, class := range Classes() {
		var rows []string
		for _, set := range Catalogue() {
			if set.Class == class {
				rows = append(rows, rowOf(t, set))
			}
		}
		if len(rows) > 0 {
			fmt.Fprintf(&b, "## %s\n\n| Setting | Why | Can help | %s |\n|%s\n%s\n\n", class, strings.Join(recorded, " | "), strings.Repeat(" --- |", 3+len(recorded)), strings.Join(rows, "\n"))
		}
	}
	got := strings.TrimSuffix(b.String(), "\n")
	if *update {
		if err := os.WriteFile(page, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s is not up to date: go test ./internal/trial/likeness -update (-file +derived):\n%s", page, diff)
	}
}

func rowOf(t *testing.T, set Setting) string {
	t.Helper()
	faster := strings.Join(set.Costs, ", ")
	if set.More != "" {
		faster = map[string]string{"Faster": "more", "Slower": "less"}[set.More]
	}
	if set.Zero != "" {
		faster += ", 0 most"
	}
	cells := []string{fmt.Sprintf("[`%s`](%s)", set.Name, set.Source), set.Why, faster}
	for _, name := range recorded {
		cell := "-"
		if _, value, there := serverOf(factsOfServer(defaultsOf(t, name)).Map()).valueOf(set); there {
			cell = value.shown
		}
		cells = append(cells, cell)
	}
	return "| " + strings.Join(cells, " | ") + " |"
}

// What helps one kind of device and costs another has no direction.
func TestDirectionsThatDependOnTheDevice(t *testing.T) {
	for _, set := range Catalogue() {
		if set.Name == "innodb_flush_neighbors" && set.effect("0", "1") != "" {
			t.Errorf("%s is %s", set.Name, set.effect("0", "1"))
		}
	}
	for _, rule := range factRules {
		if as := (Setting{Costs: rule.costs, More: rule.more}); rule.name == factWriteCache && as.effect("WriteThrough", "WriteBack") != "" {
			t.Errorf("%s is %s", rule.name, as.effect("WriteThrough", "WriteBack"))
		}
	}
}
