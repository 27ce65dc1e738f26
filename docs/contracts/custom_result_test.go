package contracts

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/assay-bench/assay/runners/custom"
	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/pages"
)

// pageOfCustomTools from the root of the repository.
const pageOfCustomTools = "docs/guide/custom-tools.md"

// customWorkload is one of a tool that prints a document.
const customWorkload = `{"image":"a","run":{"command":["a"]},"threads":1,"format":"Result"}`

const customResultSchema = "custom-result.v1.schema.json"

// The document that docs/guide/custom-tools.md shows is one that the schema and the agent
// accept, and every change here is one that both refuse.
func TestCustomResult(t *testing.T) {
	page, err := os.ReadFile("../guide/custom-tools.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "<!-- example of format: Result -->\n```json\n")
	example, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("docs/guide/custom-tools.md has no example of format: Result")
	}
	accepted := func(document string) bool {
		report := custom.Runner(nil).Parse(contract.Trial{Workload: []byte(customWorkload)}, contract.PhaseRun, runner.Output{Stdout: []byte(document)})
		return report.Failure == nil
	}
	schema := compileCustom(t)
	conforms := func(document string) error {
		instance, err := jsonschema.UnmarshalJSON(strings.NewReader(document))
		if err != nil {
			t.Fatal(err)
		}
		return schema.Validate(instance)
	}
	if err := conforms(example); err != nil || !accepted(example) {
		t.Errorf("the example of the page is refused (schema: %v, agent accepts: %v)", err, accepted(example))
	}
	for name, change := range map[string][2]string{
		"another version":         {"custom-result/v1", "custom-result/v2"},
		"a field too many":        {`"tool"`, `"qps": 5, "tool"`},
		"a direction of its own":  {"HigherIsBetter", "Up"},
		"an error without a name": {`"name": "deadlock", `, ""},
	} {
		t.Run(name, func(t *testing.T) {
			changed := strings.Replace(example, change[0], change[1], 1)
			if changed == example {
				t.Fatalf("the example has no %s", change[0])
			}
			if conforms(changed) == nil {
				t.Error("the schema accepts it")
			}
			if accepted(changed) {
				t.Error("the agent accepts it")
			}
		})
	}
}

// compileCustom knows the schema that the custom one refers to by its address.
func compileCustom(t *testing.T) *jsonschema.Schema {
	t.Helper()
	file, err := os.Open(resultSchema)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	document, err := jsonschema.UnmarshalJSON(file)
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("https://assay.dev/schemas/"+resultSchema, document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile(customResultSchema)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// The script that the page shows as a tool prints what the agent accepts: the rate of connections, or why there is none.
func TestTheToolOfThePage(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("../..", pageOfCustomTools))
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := pages.Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(blocks, func(b pages.Block) bool { return b.Language == "sh" && b.Claim != nil && b.Claim.Test == t.Name() })
	if at < 0 {
		t.Fatalf("%s has no script", pageOfCustomTools)
	}
	for client, want := range map[string]string{"exit 0": "throughput", "exit 1": "no connection"} {
		dir := t.TempDir()
		for name, script := range map[string]string{"connect.sh": blocks[at].Text, "mariadb": "#!/bin/sh\nsleep 0.05\n" + client + "\n"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755); err != nil { //nolint:gosec // a program
				t.Fatal(err)
			}
		}
		out, err := (pages.Shell{Dir: dir}).Run(t, `PATH=.:$PATH sh connect.sh 1`)
		if err != nil {
			t.Fatal(err)
		}
		report := custom.Runner(nil).Parse(contract.Trial{Workload: []byte(customWorkload)}, contract.PhaseRun, runner.Output{Stdout: []byte(out)})
		switch {
		case client == "exit 1":
			if report.Failure == nil || !strings.Contains(report.Failure.Message, want) {
				t.Errorf("no server: %+v", report)
			}
		case report.Failure != nil || len(report.Measurements) == 0 || report.Measurements[0].Name != want || report.Measurements[0].Value == nil || !(*report.Measurements[0].Value > 0):
			t.Errorf("a server: %+v", report)
		}
	}
}
