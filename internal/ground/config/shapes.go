package config

import (
	"fmt"
	"slices"
	"strings"
)

// Inline says whether runs may bring shapes of their own.
type Inline string

const (
	// InlineAllow lets a run bring a shape of its own, within the other rules of Shapes.
	InlineAllow Inline = "Allow"
	// InlineDeny lets a run name InstanceShapes only.
	InlineDeny Inline = "Deny"
)

// Shapes is what shapes inside of runs may do. It does not bound InstanceShapes: only an
// administrator of the cluster can create these.
type Shapes struct {
	// Inline shapes. Default Allow.
	Inline Inline `json:"inline"`
	// AllowedAnnotations of inline shapes: names, or beginnings of names that end in *. Default none.
	AllowedAnnotations []string `json:"allowedAnnotations"`
	// AllowedTolerations of inline shapes: keys of taints, or beginnings of keys that end in *.
	// A toleration without a key tolerates every taint, and needs "*". Default none.
	AllowedTolerations []string `json:"allowedTolerations"`
	// AllowedRuntimeClasses of inline shapes: names, or beginnings of names that end in *. Default none.
	AllowedRuntimeClasses []string `json:"allowedRuntimeClasses"`
}

// Allows says whether a list of Shapes has the name.
func Allows(list []string, name string) bool {
	return slices.ContainsFunc(list, func(entry string) bool {
		beginning, is := strings.CutSuffix(entry, "*")
		return entry == name || is && strings.HasPrefix(name, beginning)
	})
}

func (s Shapes) check() error {
	if s.Inline != InlineAllow && s.Inline != InlineDeny {
		return fmt.Errorf("shapes.inline is %q: use %s or %s", s.Inline, InlineAllow, InlineDeny)
	}
	for field, list := range map[string][]string{
		"allowedAnnotations": s.AllowedAnnotations, "allowedTolerations": s.AllowedTolerations, "allowedRuntimeClasses": s.AllowedRuntimeClasses,
	} {
		for i, entry := range list {
			if entry == "" || strings.Contains(strings.TrimSuffix(entry, "*"), "*") {
				return fmt.Errorf("shapes.%s[%d] is %q: use a name, or the beginning of a name and *", field, i, entry)
			}
		}
	}
	return nil
}
