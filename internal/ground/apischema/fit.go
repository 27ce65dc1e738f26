package apischema

import (
	"encoding/json"
	"reflect"
	"strings"
	"sync"

	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// status is the schema of the status of a run, read once.
var status = sync.OnceValues(func() (*structural.Structural, error) { return structuralPart("status") })

// FitStatus cleans the texts of a status (contract.Clean), cuts them to the lengths of the schema, and marks
// what was cut; lists that are too long lose their last entries. So the API server refuses no status, whatever a tool,
// a server or a kubelet said.
func FitStatus(st *v1alpha1.BenchmarkRunStatus) error {
	s, err := status()
	if err != nil {
		return err
	}
	fit(reflect.ValueOf(st).Elem(), s)
	return nil
}

// fit a value into its schema, in place.
func fit(v reflect.Value, s *structural.Structural) {
	if _, special := v.Interface().(json.Marshaler); special || s == nil {
		return // a time, a duration, a quantity
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			fit(v.Elem(), s)
		}
	case reflect.String:
		text := contract.Clean(v.String())
		if s.ValueValidation != nil && s.ValueValidation.MaxLength != nil && int64(len(text)) > *s.ValueValidation.MaxLength {
			text = contract.Cut(text, int(*s.ValueValidation.MaxLength))
		}
		v.SetString(text)
	case reflect.Slice:
		if s.ValueValidation != nil && s.ValueValidation.MaxItems != nil && int64(v.Len()) > *s.ValueValidation.MaxItems {
			v.SetLen(int(*s.ValueValidation.MaxItems))
		}
		for i := range v.Len() {
			fit(v.Index(i), s.Items)
		}
	case reflect.Struct:
		fitFields(v, s)
	default: // a number, a truth value, or a map of the spec
	}
}

func fitFields(v reflect.Value, s *structural.Structural) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || strings.Contains(options, "inline") {
			fit(v.Field(i), s)
			continue
		}
		property, has := s.Properties[name]
		switch labels, is := v.Field(i).Interface().(map[string]string); {
		case !has:
		case is && name == "labels":
			v.Field(i).Set(reflect.ValueOf(fitTexts(labels, labelBounds)))
		case is && name == "values":
			v.Field(i).Set(reflect.ValueOf(fitTexts(labels, reasonBounds)))
		default:
			fit(v.Field(i), &property)
		}
	}
}

// textBounds of a map: its entries, and the bytes of its names and of its values.
type textBounds struct{ entries, name, value int }

var (
	// labelBounds of a measurement, which a tool gave. One is that of the client.
	labelBounds = textBounds{contract.MaxLabels + 1, contract.MaxName, contract.MaxLabelValue}
	// reasonBounds of a reason of a comparison, which may quote a server.
	reasonBounds = textBounds{8, 63, 1024}
)

// fitTexts of labels and reasons. Other maps hold what the spec says.
func fitTexts(all map[string]string, most textBounds) map[string]string {
	if all == nil {
		return nil
	}
	out := make(map[string]string, len(all))
	for key, value := range all {
		if len(out) < most.entries {
			out[contract.Cut(contract.Line(key), most.name)] = contract.Cut(contract.Line(value), most.value)
		}
	}
	return out
}
