package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/test/helpers/fullsize"
)

// change of a field by the rule.
type change struct{ field, from, to string }

// leftOut is said of what is not there any more.
const leftOut = "left out"

// changes of a spec, in the order of its fields by name; targets first.
func changes(full, here v1alpha1.BenchmarkRunSpec) (out []change, err error) {
	for _, t := range full.Targets {
		i := slices.IndexFunc(here.Targets, func(h v1alpha1.Target) bool { return h.Name == t.Name })
		switch why := fullsize.Unobtainable(full, t); {
		case t.Published != nil:
			out = append(out, change{"targets." + t.Name, "published numbers", leftOut + ": they are quoted, and not measured"})
		case why != "":
			out = append(out, change{"targets." + t.Name, "a target", leftOut + ": " + why})
		case i < 0:
			return nil, fmt.Errorf("targets.%s: it is gone without a reason", t.Name)
		default:
			if out, err = differences(out, "targets."+t.Name, t, here.Targets[i]); err != nil {
				return nil, err
			}
		}
	}
	full.Targets, here.Targets = nil, nil
	return differences(out, "", full, here)
}

// differences of two values of the API, added to those before.
func differences(out []change, path string, from, to any) ([]change, error) {
	a, err := treeOf(from)
	if err != nil {
		return nil, err
	}
	b, err := treeOf(to)
	if err != nil {
		return nil, err
	}
	return compare(out, path, a, b), nil
}

func treeOf(v any) (out any, err error) {
	data, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(data, &out)
	}
	return out, err
}

// compare two trees. A field that only one of them has is shown as a whole.
func compare(out []change, path string, a, b any) []change {
	switch x := a.(type) {
	case map[string]any:
		y, is := b.(map[string]any)
		if !is || wholeFields[last(path)] {
			break
		}
		names := map[string]bool{}
		for name := range x {
			names[name] = true
		}
		for name := range y {
			names[name] = true
		}
		for _, name := range slices.Sorted(maps.Keys(names)) {
			out = compare(out, join(path, name), x[name], y[name])
		}
		return out
	case []any:
		y, is := b.([]any)
		if !is || len(x) != len(y) {
			break
		}
		for i := range x {
			out = compare(out, join(path, strconv.Itoa(i)), x[i], y[i])
		}
		return out
	}
	if reflect.DeepEqual(a, b) {
		return out
	}
	from, to := text(a), text(b)
	if b == nil {
		to = leftOut
	}
	return append(out, change{path, from, to})
}

// wholeFields are objects that are replaced as one.
var wholeFields = map[string]bool{"shape": true}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func last(path string) string {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '.' {
			return path[i+1:]
		}
	}
	return path
}

// mostText is how much of a value is shown, in characters.
const mostText = 200

// text of a value.
func text(v any) string {
	if v == nil {
		return "-"
	}
	if s, is := v.(string); is {
		return s
	}
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // it was made of JSON
	}
	runes := []rune(string(data))
	if len(runes) > mostText {
		return string(runes[:mostText]) + "…"
	}
	return string(runes)
}
