package contracts

import (
	"reflect"
	"testing"

	"github.com/assay-bench/assay/internal/cli/output"
	"github.com/assay-bench/assay/internal/show/readout"
)

// cliSchemas are the documents that `kubectl assay` prints for programs.
var cliSchemas = map[string]struct {
	typ     reflect.Type
	version string
}{
	"cli-runs.v1.schema.json":         {reflect.TypeFor[readout.Runs](), readout.RunsVersion},
	"cli-run.v1.schema.json":          {reflect.TypeFor[readout.Run](), readout.RunVersion},
	"cli-plan.v1.schema.json":         {reflect.TypeFor[output.Plan](), output.PlanVersion},
	"cli-why.v1.schema.json":          {reflect.TypeFor[output.Why](), output.WhyVersion},
	"cli-comparison.v1.schema.json":   {reflect.TypeFor[readout.Comparisons](), readout.ComparisonVersion},
	"cli-check.v1.schema.json":        {reflect.TypeFor[output.Check](), output.CheckVersion},
	"cli-verification.v1.schema.json": {reflect.TypeFor[output.Verification](), output.VerificationVersion},
	"cli-schedules.v1.schema.json":    {reflect.TypeFor[output.Schedules](), output.SchedulesVersion},
	"cli-history.v1.schema.json":      {reflect.TypeFor[output.History](), output.HistoryVersion},
	"cli-version.v1.schema.json":      {reflect.TypeFor[output.Version](), output.VersionVersion},
	"cli-explanation.v1.schema.json":  {reflect.TypeFor[output.Explanation](), output.ExplanationVersion},
}

// What a command prints is in its schema, with every field set and with none, and a document of another version is not.
func TestDocumentsOfTheCommandsAreInTheirSchemas(t *testing.T) {
	for name, of := range cliSchemas {
		t.Run(name, func(t *testing.T) {
			compare(t, of.typ, readSchema(t, name), readSchema(t, name).Defs)
			v := reflect.New(of.typ).Elem()
			fill(v)
			v.FieldByName("Version").SetString(of.version)
			if err := validate(t, name, marshal(t, v.Interface())); err != nil {
				t.Errorf("%#v", err)
			}
			v.FieldByName("Version").SetString("assay.dev/cli/run/v0")
			if err := validate(t, name, marshal(t, v.Interface())); err == nil {
				t.Error("a document of another version is accepted")
			}
		})
	}
}
