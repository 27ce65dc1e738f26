package metrics

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
)

// maxText is the length of a label's value, in bytes. What is longer is cut, with a hash for its end.
const maxText = 128

// bounded makes the value of a label of what a tenant wrote.
func bounded(s string) string {
	s = strings.ToValidUTF8(s, "�")
	if len(s) <= maxText {
		return s
	}
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(s)) // a hash never fails
	end := fmt.Sprintf("~%08x", sum.Sum32())
	return strings.ToValidUTF8(s[:maxText-len(end)], "") + end
}

// pairs writes a map as NAME=VALUE,NAME=VALUE in the order of the names.
func pairs[V any](m map[string]V, text func(V) string) string {
	parts := make([]string, 0, len(m))
	for _, name := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, name+"="+text(m[name]))
	}
	return bounded(strings.Join(parts, ","))
}
