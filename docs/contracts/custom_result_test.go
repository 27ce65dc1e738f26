package contracts

import (
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/assay-bench/assay/runners/custom"
	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/contract"
)

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
		workload := `{"image":"a","run":{"command":["a"]},"threads":1,"format":"Result"}`
		report := custom.Runner(nil).Parse(contract.Trial{Workload: []byte(workload)}, contract.PhaseRun, runner.Output{Stdout: []byte(document)})
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
