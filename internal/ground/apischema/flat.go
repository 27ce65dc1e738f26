package apischema

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// specDefaults is the schema of the spec, read once.
var specDefaults = sync.OnceValues(func() (*structural.Structural, error) { return structuralPart("spec") })

// Flatten a tree of JSON into its values by their paths, such as targets[mysql].mysql.version. Parts of a list are
// known by their names, where they have some, or by their indexes.
func Flatten(tree any) map[string]string {
	out := map[string]string{}
	flatten("", tree, out)
	return out
}

func flatten(path string, tree any, out map[string]string) {
	switch v := tree.(type) {
	case map[string]any:
		if len(v) == 0 {
			out[path] = empty // a tool without parameters is a tool
		}
		for name, part := range v {
			flatten(strings.TrimPrefix(path+"."+name, "."), part, out)
		}
	case []any:
		for i, part := range v {
			key := fmt.Sprint(i)
			if named, is := part.(map[string]any); is {
				if name, has := named["name"].(string); has {
					key = name
				}
			}
			flatten(path+"["+key+"]", part, out)
		}
	default:
		out[path] = fmt.Sprint(v)
	}
}

// empty is the value of an object without fields.
const empty = "{}"

// AddDefaults to the flat fields of a spec, as Flatten gives them: those that the schema of today has and that an API
// server of an earlier release did not add, because the fields came later. As on the API server, a default is added
// only to an object that is there. It fails when the embedded CRD cannot be read.
func AddDefaults(fields map[string]string) error {
	s, err := specDefaults()
	if err != nil {
		return err
	}
	f := flat{fields: fields, present: map[string]bool{}, parts: map[string][]string{}}
	for _, path := range slices.Sorted(maps.Keys(fields)) {
		f.note(path)
	}
	f.add("", func(v any) any { return v }, s)
	return nil
}

// flat are fields by their paths, with what stands above them.
type flat struct {
	fields map[string]string
	// present are the paths of the fields and of all objects and lists that they are in.
	present map[string]bool
	// parts are the paths of the parts of each list.
	parts map[string][]string
}

// note a path and what it is in.
func (f flat) note(path string) {
	for i := range len(path) {
		switch path[i] {
		case '.', '[':
			f.present[path[:i]] = true
		case ']':
			begin := strings.LastIndexByte(path[:i], '[')
			if part := path[:i+1]; begin > 0 && !f.present[part] {
				f.present[part], f.parts[path[:begin]] = true, append(f.parts[path[:begin]], part)
			}
		}
	}
	f.present[path] = true
}

// add the defaults of the object at a path, which is there. wrap makes a spec that has nothing but a value there.
func (f flat) add(path string, wrap func(any) any, s *structural.Structural) {
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		property := s.Properties[name]
		at := strings.TrimPrefix(path+"."+name, ".")
		in := func(v any) any { return wrap(map[string]any{name: v}) }
		if !f.present[at] && (property.Default.Object == nil || !f.put(at, in(property.Default.Object))) {
			continue
		}
		if f.fields[path] == empty {
			delete(f.fields, path)
		}
		for _, part := range f.parts[at] {
			if property.Items != nil {
				f.add(part, f.inPart(part, in), property.Items)
			}
		}
		f.add(at, in, &property)
	}
}

// inPart makes a list with one part of a value.
func (f flat) inPart(part string, in func(any) any) func(any) any {
	name, named := f.fields[part+".name"]
	return func(v any) any {
		if object, is := v.(map[string]any); is && named {
			object["name"] = name
		}
		return in([]any{v})
	}
}

// put what a spec has at a path, in the form in which the API writes it: a default of 5m is 5m0s there, and one that is
// empty is left out. False for a spec without anything there.
func (f flat) put(path string, tree any) bool {
	data, err := json.Marshal(tree)
	var spec v1alpha1.BenchmarkRunSpec
	if err != nil || json.Unmarshal(data, &spec) != nil {
		return false
	}
	if data, err = json.Marshal(spec); err != nil || json.Unmarshal(data, &tree) != nil {
		return false
	}
	for name, value := range Flatten(tree) {
		rest, below := strings.CutPrefix(name, path)
		if below && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			f.fields[name] = value
			f.note(name)
		}
	}
	return f.present[path]
}
