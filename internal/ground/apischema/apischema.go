package apischema

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	kjson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/config/crd"
)

// Tool is the schema of one tool's part of a spec. It is safe for concurrent use.
type Tool struct {
	path      *field.Path
	schema    *structural.Structural
	validator validation.SchemaValidator
	rules     *cel.Validator
}

// ForTool is the schema of spec.workload.<name> in the embedded CRD. It fails if the CRD has
// no such field or cannot be read.
func ForTool(name string) (*Tool, error) {
	all, err := tools()
	if err != nil {
		return nil, err
	}
	t, ok := all[name]
	if !ok {
		return nil, fmt.Errorf("spec.workload has no tool %q", name)
	}
	return t, nil
}

// ForSpec is the schema of the whole spec in the embedded CRD: what the API server does with the spec of a new run.
func ForSpec() (*Tool, error) { return spec() }

// spec of a run, read once. It is costly: all rules of the CRD are compiled.
var spec = sync.OnceValues(func() (*Tool, error) {
	props, err := schemaOf("spec")
	if err != nil {
		return nil, err
	}
	return New(field.NewPath("spec"), &props)
})

// tools by their names in spec.workload, read once.
var tools = sync.OnceValues(func() (map[string]*Tool, error) {
	workload, err := schemaOf("spec", "workload")
	if err != nil {
		return nil, err
	}
	out := make(map[string]*Tool, len(workload.Properties))
	for name, props := range workload.Properties {
		if out[name], err = New(field.NewPath("spec", "workload", name), &props); err != nil {
			return nil, err
		}
	}
	return out, nil
})

// schemaOf a part of a BenchmarkRun in the embedded CRD, such as its spec. Nothing of it is kept.
func schemaOf(names ...string) (apiextensionsv1.JSONSchemaProps, error) {
	var definition apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(crd.BenchmarkRuns, &definition); err != nil {
		return apiextensionsv1.JSONSchemaProps{}, fmt.Errorf("reading the embedded CRD: %w", err)
	}
	at := *definition.Spec.Versions[0].Schema.OpenAPIV3Schema
	for _, name := range names {
		at = at.Properties[name]
	}
	return at, nil
}

// structuralOf is what the libraries of the API server apply; internal is the schema in their form.
func structuralOf(path *field.Path, props *apiextensionsv1.JSONSchemaProps) (internal *apiextensions.JSONSchemaProps, s *structural.Structural, err error) {
	internal = &apiextensions.JSONSchemaProps{}
	if err = apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(props, internal, nil); err == nil {
		s, err = structural.NewStructural(internal)
	}
	if err != nil {
		err = fmt.Errorf("the schema of %s: %w", path, err)
	}
	return internal, s, err
}

// structuralPart is the schema of a part of a BenchmarkRun without its rules, which are costly.
func structuralPart(name string) (*structural.Structural, error) {
	props, err := schemaOf(name)
	if err != nil {
		return nil, err
	}
	_, s, err := structuralOf(field.NewPath(name), &props)
	return s, err
}

// New is the schema of an object. path is the prefix of error messages.
func New(path *field.Path, props *apiextensionsv1.JSONSchemaProps) (*Tool, error) {
	internal, schema, err := structuralOf(path, props)
	if err != nil {
		return nil, err
	}
	validator, _, err := validation.NewSchemaValidator(internal)
	if err != nil {
		return nil, fmt.Errorf("the schema of %s: %w", path, err)
	}
	return &Tool{path: path, schema: schema, validator: validator, rules: cel.NewValidator(schema, false, celconfig.PerCallLimit)}, nil
}

// Read decodes a tool's part of a spec. Numbers without a fraction become int64, as the schema requires.
func (t *Tool) Read(data json.RawMessage) (map[string]any, error) {
	var object map[string]any
	if err := kjson.Unmarshal(data, &object); err != nil {
		return nil, fmt.Errorf("%s: %w", t.path, err)
	}
	if object == nil {
		return nil, fmt.Errorf("%s: it has to be an object", t.path)
	}
	return object, nil
}

// Complete returns a tool's part of a spec with all defaults, checked, with sorted fields. The
// error names every invalid field, in the order of their paths.
func (t *Tool) Complete(data json.RawMessage) (json.RawMessage, error) {
	object, err := t.Read(data)
	if err != nil {
		return nil, err
	}
	if err := t.CompleteObject(object); err != nil {
		return nil, err
	}
	return json.Marshal(object)
}

// CompleteObject does the same in place with the result of Read.
func (t *Tool) CompleteObject(object map[string]any) error {
	unknown := pruning.PruneWithOptions(object, t.schema, false, structural.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	if len(unknown) > 0 {
		slices.Sort(unknown)
		for i, path := range unknown {
			unknown[i] = t.unknownField(path)
		}
		return fmt.Errorf("%s: unknown field: %s", t.path, strings.Join(unknown, ", "))
	}
	defaulting.Default(object, t.schema)
	errs := validation.ValidateCustomResource(t.path, object, t.validator)
	errs = append(errs, listtype.ValidateListSetsAndMaps(t.path, t.schema, object)...)
	if len(errs) == 0 && t.rules != nil {
		// A rule may rely on the types that were checked before it.
		errs, _ = t.rules.Validate(context.Background(), t.path, t.schema, object, nil, celconfig.RuntimeCELCostBudget)
	}
	slices.SortStableFunc(errs, func(a, b *field.Error) int { return cmp.Compare(a.Field, b.Field) })
	if len(errs) == 0 {
		return nil
	}
	return errs.ToAggregate()
}
