package apischema

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"
)

// bounded says that an error is about the length of a text.
var bounded = regexp.MustCompile(`Too long|may not be (more|longer) than|at most \d+ characters|should be at most \d+ chars`)

// leaf is one string of a schema, with the way to it.
type leaf struct {
	path string
	// wrap makes an object of the value of the string.
	wrap func(value any) any
	// key: it is the name of an entry of a map, which wrap takes.
	key bool
}

// walker collects what a schema does not bound by itself, and its strings.
type walker struct {
	unbounded []string
	leaves    []leaf
}

func (w *walker) walk(path string, s *structural.Structural, wrap func(any) any) {
	bounds := s.ValueValidation
	if bounds == nil {
		bounds = &structural.ValueValidation{}
	}
	if s.XPreserveUnknownFields {
		w.unbounded = append(w.unbounded, path+": an object with unknown fields")
	}
	if (s.Type == "string" || s.XIntOrString) && bounds.Enum == nil && bounds.Format != "date-time" {
		w.leaves = append(w.leaves, leaf{path: path, wrap: wrap})
	}
	if s.Items != nil {
		if bounds.MaxItems == nil {
			w.unbounded = append(w.unbounded, path+": a list without maxItems")
		}
		w.walk(path+"[]", s.Items, func(v any) any { return wrap([]any{v}) })
	}
	if entries := s.AdditionalProperties; entries != nil && entries.Structural != nil {
		if bounds.MaxProperties == nil {
			w.unbounded = append(w.unbounded, path+": a map without maxProperties")
		}
		w.leaves = append(w.leaves, leaf{path: path + "{key}", wrap: func(v any) any { return wrap(map[string]any{v.(string): "v"}) }, key: true})
		w.walk(path+"{}", entries.Structural, func(v any) any { return wrap(map[string]any{"k": v}) })
	}
	for name, property := range s.Properties {
		w.walk(path+"."+name, &property, func(v any) any { return wrap(map[string]any{name: v}) })
	}
}

// refuses says whether the schema and its rules refuse an object because of the length of a text.
func refuses(s *structural.Structural, v validation.SchemaValidator, rules *cel.Validator, object any) bool {
	errs := validation.ValidateCustomResource(nil, object, v)
	more, _ := rules.Validate(context.Background(), field.NewPath("x"), s, object, nil, celconfig.RuntimeCELCostBudget)
	return slices.ContainsFunc(append(errs, more...), func(e *field.Error) bool { return bounded.MatchString(e.Error()) })
}

// Every list and map of the API has a bound in its schema, and every text, names in maps included,
// is refused when it has a megabyte. The API server applies the same schema and rules.
func TestTheAPIIsBounded(t *testing.T) {
	files, err := filepath.Glob("../../../config/crd/bases/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no CRDs: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var crd apiextensionsv1.CustomResourceDefinition
		if err := yaml.UnmarshalStrict(data, &crd); err != nil {
			t.Fatal(err)
		}
		for part, props := range crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties {
			if part == "spec" || part == "status" {
				t.Run(crd.Spec.Names.Kind+"."+part, func(t *testing.T) { checkBounds(t, part, props) })
			}
		}
	}
}

func checkBounds(t *testing.T, part string, props apiextensionsv1.JSONSchemaProps) {
	var internal apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&props, &internal, nil); err != nil {
		t.Fatal(err)
	}
	s, err := structural.NewStructural(&internal)
	if err != nil {
		t.Fatal(err)
	}
	validator, _, err := validation.NewSchemaValidator(&internal)
	if err != nil {
		t.Fatal(err)
	}
	rules := cel.NewValidator(s, false, celconfig.PerCallLimit)
	w := &walker{}
	w.walk(part, s, func(v any) any { return v })
	for _, what := range w.unbounded {
		t.Error(what)
	}
	if len(w.leaves) == 0 && part == "spec" {
		t.Error("no text was found")
	}
	for _, l := range w.leaves {
		if refuses(s, validator, rules, l.wrap("a")) {
			t.Errorf("%s: a text of one character is too long, so that this proves nothing", l.path)
		}
		if !refuses(s, validator, rules, l.wrap(strings.Repeat("a", 1<<20))) {
			t.Errorf("%s: a text of 1 MiB is not refused", l.path)
		}
	}
}
