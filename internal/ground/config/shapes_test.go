package config

import (
	"strings"
	"testing"
)

func TestShapes(t *testing.T) {
	for what, tc := range map[string]struct {
		entry, name string
		want        bool
	}{
		"the same name":                    {"a.example/b", "a.example/b", true},
		"a longer name":                    {"a.example/b", "a.example/bc", false},
		"a beginning":                      {"a.example/*", "a.example/b", true},
		"a beginning of another name":      {"a.example/*", "b.a.example/b", false},
		"everything":                       {"*", "b", true},
		"everything, for what has no name": {"*", "", true},
		"a name, for what has none":        {"a", "", false},
	} {
		if got := Allows([]string{"other", tc.entry}, tc.name); got != tc.want {
			t.Errorf("%s: %v, want %v", what, got, tc.want)
		}
	}
	if Allows(nil, "a") {
		t.Error("an empty list allows a")
	}
	const images = "agent: {image: a}\n"
	for text, want := range map[string]string{
		"shapes: {inline: Deny, allowedAnnotations: [a, 'b/*', '*']}": "",
		"shapes: {inline: deny}":                 "shapes.inline",
		"shapes: {allowedTolerations: ['']}":     "shapes.allowedTolerations[0]",
		"shapes: {allowedRuntimeClasses: [a*b]}": "shapes.allowedRuntimeClasses[0]",
		"shapes: {annotations: [a]}":             "unknown field",
	} {
		_, err := Parse([]byte(images + text))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}
