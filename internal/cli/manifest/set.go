package manifest

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/assay-bench/assay/internal/ground/nearest"
)

// Sets are the values of the flag --set, such as target.head.image=registry.example/server:pr-7.
type Sets []string

// AddTo the flags of a command.
func (s *Sets) AddTo(flags *pflag.FlagSet) {
	flags.StringArrayVar((*[]string)(s), "set", nil, "set a field of a target before anything is done: target.NAME.image=IMAGE or target.NAME.version=VERSION, one in place of the other, or "+
		"target.NAME.config.SETTING=VALUE; several times for several")
}

// fields of a target that can be set.
const fieldImage, fieldVersion, fieldConfig = "image", "version", "config"

// insteadOf: a server has an image or a version.
var insteadOf = map[string]string{fieldImage: fieldVersion, fieldVersion: fieldImage}

// setting is one value of the flag, taken apart.
type setting struct {
	// key is what stands before the "=".
	key, target, field, name, value string
}

// Apply them to the run of a manifest, in their order. It fails for what is no field of a target of the run, with those that
// there are, and changes nothing then.
func (s Sets) Apply(run *unstructured.Unstructured) error {
	if len(s) == 0 {
		return nil
	}
	targets, _, err := unstructured.NestedSlice(run.Object, "spec", "targets") // a copy
	if err != nil {
		return fmt.Errorf("--set: spec.targets of the manifest: %w", err)
	}
	seen := map[string]bool{}
	for _, text := range s {
		one, err := parseSet(text)
		if err == nil && seen[one.key] {
			err = errors.New("it is set twice")
		}
		if err == nil && seen["target."+one.target+"."+insteadOf[one.field]] {
			err = errors.New("a server has an image or a version, and not both")
		}
		if err == nil {
			err = one.in(targets)
		}
		if err != nil {
			return fmt.Errorf("--set %s: %w", text, err)
		}
		seen[one.key] = true
	}
	return unstructured.SetNestedSlice(run.Object, targets, "spec", "targets")
}

// parseSet takes a value of the flag apart. An empty image or version is refused: it is a variable of a pipeline that is not set, and
// the run would measure what the manifest has.
func parseSet(text string) (setting, error) {
	const form = "write it like target.head.image=registry.example/server:1"
	key, value, ok := strings.Cut(text, "=")
	if !ok {
		return setting{}, fmt.Errorf("there is no value: %s", form)
	}
	out := setting{key: key, value: value}
	kind, rest, _ := strings.Cut(key, ".")
	out.target, rest, _ = strings.Cut(rest, ".")
	out.field, out.name, _ = strings.Cut(rest, ".")
	switch {
	case kind != "target" || out.target == "" || out.field == "":
		return setting{}, fmt.Errorf("%q is no field of a target: %s", key, form)
	case out.field == fieldConfig && out.name == "":
		return setting{}, errors.New("config has settings: write it like target.head.config.max_connections=500")
	case out.field != fieldConfig && (out.field != fieldImage && out.field != fieldVersion || out.name != ""):
		fields := []string{fieldImage, fieldVersion, fieldConfig + ".NAME"}
		return setting{}, unknown("field that can be set", strings.TrimSuffix(out.field+"."+out.name, "."), fields)
	case out.field != fieldConfig && value == "":
		return setting{}, errors.New("its value is empty: a variable may not be set")
	}
	return out, nil
}

// in the targets of a manifest.
func (s setting) in(targets []any) error {
	var names []string
	for _, t := range targets {
		target, _ := t.(map[string]any)
		name, _ := target["name"].(string)
		if name != s.target || name == "" {
			names = append(names, name)
			continue
		}
		mysql, provided := target["mysql"].(map[string]any)
		if !provided {
			return fmt.Errorf("target %s is not a server that Assay provides (mysql), and has no %s", s.target, s.field)
		}
		if s.field != fieldConfig {
			mysql[s.field] = s.value
			delete(mysql, insteadOf[s.field])
			return nil
		}
		config, is := mysql[fieldConfig].(map[string]any)
		if !is {
			if mysql[fieldConfig] != nil {
				return fmt.Errorf("mysql.config of target %s holds no settings", s.target)
			}
			config = map[string]any{}
			mysql[fieldConfig] = config
		}
		config[s.name] = s.value
		return nil
	}
	return unknown("target of the run", s.target, names)
}

// unknown name, with those that there are.
func unknown(what, name string, known []string) error {
	known = slices.DeleteFunc(known, func(k string) bool { return k == "" })
	all := cmp.Or(strings.Join(known, ", "), "none")
	if near := nearest.To(name, known); near != "" {
		return fmt.Errorf("%q is no %s: did you mean %s? There are: %s", name, what, near, all)
	}
	return fmt.Errorf("%q is no %s: there are: %s", name, what, all)
}
