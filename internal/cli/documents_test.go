package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/internal/cli/exit"
	"github.com/assay-bench/assay/test/helpers/finished"
)

// schemas of the documents of commands, below docs/contracts. A command has none whose document kubectl applies.
var schemas = map[string][]string{
	"get": {"cli-run.v1", "cli-runs.v1", "cli-schedules.v1"}, "history": {"cli-history.v1"}, "run": {"cli-run.v1"}, "watch": {"cli-run.v1"}, "why": {"cli-why.v1"}, "explain": {"cli-explanation.v1"},
	"plan": {"cli-plan.v1"}, "compare": {"cli-comparison.v1"}, "verify": {"cli-verification.v1"}, "rerun": {"cli-check.v1"}, "shapes": nil, "version": {"cli-version.v1"},
}

// Every command with a format for programs has a schema, which the guide names.
func TestEveryDocumentHasASchema(t *testing.T) {
	known := map[string]bool{"rerun": true} // its -o is a format only with --check
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		flag := cmd.Flags().Lookup("output")
		if flag == nil {
			flag = cmd.Flags().Lookup("format")
		}
		if flag != nil && flag.Value.Type() == "format" {
			known[cmd.Name()] = true
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(NewCommand())
	for name := range known {
		if _, has := schemas[name]; !has {
			t.Errorf("%s has a document and no schema", name)
		}
	}
	if len(known) != len(schemas) {
		t.Errorf("documents of %v, schemas of %v", known, schemas)
	}
}

// What commands really print for programs is in their schemas, as JSON and as YAML.
func TestDocumentsAreInTheirSchemas(t *testing.T) {
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	var paths []string
	for i, level := range []float64{0.99, 1, 1.01, 1.5} {
		paths = append(paths, exported(t, finished.New(t, finished.Options{Name: fmt.Sprintf("run-%d", i), Level: level})))
	}
	changed := finished.New(t, finished.Options{})
	tests := map[string]struct {
		args []string
		code int
		want string
	}{
		"compare": {[]string{"compare", paths[0], paths[1]}, exit.OK, `"kind":"OverRuns"`},
		"verify":  {[]string{"verify", paths[0]}, exit.OK, `"verified":true`},
		"get":     {[]string{"get", paths[0]}, exit.OK, `"server":"9.7.0"`},
		"rerun":   {[]string{"rerun", paths[0], paths[1], paths[2], "--check", paths[3]}, exit.Outside, `"within":false`},
		"differs": {[]string{"verify", exported(t, changed), "--head", "other"}, exit.Differs, `"differences":[{"kind":"tampered","message":"the head that was noted is other"}]`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for _, format := range []string{"json", "yaml"} {
				var out, problems bytes.Buffer
				if code := Main(append(tt.args, "-o", format), &out, &problems); code != tt.code {
					t.Fatalf("exit %d: %s", code, problems.String())
				}
				data := out.Bytes()
				if format == "yaml" {
					var err error
					if data, err = yaml.YAMLToJSON(data); err != nil {
						t.Fatal(err)
					}
				}
				inSchema(t, schemas[tt.args[0]][0], data)
				var compact bytes.Buffer
				if err := json.Compact(&compact, data); err != nil || !strings.Contains(compact.String(), tt.want) {
					t.Errorf("%v: %s lacks %s", err, compact.String(), tt.want)
				}
			}
		})
	}
}

// inSchema fails the test for a document that is not in a schema.
func inSchema(t *testing.T, name string, data []byte) {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	schema, err := compiler.Compile("../../docs/contracts/" + name + ".schema.json")
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	if err := schema.Validate(document); err != nil {
		t.Errorf("%#v\n%s", err, data)
	}
}
