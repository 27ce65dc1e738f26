package drivers

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/assay-bench/assay/api/v1alpha1"
)

func TestTheDocumentIsThatOfTheTable(t *testing.T) {
	got, err := os.ReadFile("../../docs/reference/driver-operations.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != Document() {
		t.Error("docs/reference/driver-operations.md is not what operations.go says: run make generate")
	}
}

// Every request that is ever sent is one of the protocol.
func TestRequestsAreThoseOfTheSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("../../docs/contracts/driver-protocol.v2.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var all Params
	all.Drivers = []v1alpha1.Driver{{Language: "Node", Name: "mysql2"}}
	for _, o := range operations {
		b := v1alpha1.DriverBenchmark{Operation: o.name, Sessions: []v1alpha1.DriverSession{dedicated, "Pool", "New"}}
		for _, s := range o.schemes {
			b.Schemes = append(b.Schemes, v1alpha1.DriverScheme(s))
		}
		if o.writes != "" {
			b.Transactions = []v1alpha1.DriverTransaction{autocommit, oneTransaction}
		}
		all.Benchmarks = append(all.Benchmarks, b)
	}
	workload, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	p, err := decode(workload)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, turn := range converse(p, trial(string(workload))).turns {
		if turn.Request == nil {
			continue
		}
		seen++
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(turn.Request))
		if err == nil {
			err = schema.Validate(document)
		}
		if err != nil {
			t.Errorf("%.300s: %v", turn.Request, err)
		}
	}
	if seen < 100 {
		t.Errorf("only %d requests", seen)
	}
}

// The API's lists and those of this package are the same.
func TestTheAPINamesWhatThereIs(t *testing.T) {
	source, err := os.ReadFile("../../api/v1alpha1/drivers_types.go")
	if err != nil {
		t.Fatal(err)
	}
	enums := map[string]bool{}
	for line := range strings.Lines(string(source)) {
		if _, values, ok := strings.Cut(line, "validation:Enum="); ok {
			enums[strings.TrimSpace(values)] = true
		}
	}
	var ops, langs, schemes []string
	for _, o := range operations {
		ops = append(ops, o.name)
		for _, s := range o.schemes {
			if !slices.Contains(schemes, s) {
				schemes = append(schemes, s)
			}
		}
	}
	for _, l := range languages {
		langs = append(langs, l.name)
	}
	for _, want := range []string{strings.Join(ops, ";"), strings.Join(langs, ";")} {
		if !enums[want] {
			t.Errorf("the API has no list %s", want)
		}
	}
	for _, s := range schemes {
		if !strings.Contains(string(source), s) {
			t.Errorf("the API has no scheme %s", s)
		}
	}
}
