package config

import (
	"strings"
	"testing"
)

func TestNotifications(t *testing.T) {
	const good = "{name: ci, url: 'https://ci', unsigned: true}"
	tests := map[string]struct{ yaml, want string }{
		"a receiver":                   {"receivers: [" + good + "]", ""},
		"one whose address is a file":  {"receivers: [{name: ci, credentials: /etc/ci}]", ""},
		"all of it":                    {"source: https://c, timeout: 1m, giveUpAfter: 168h, receivers: [{name: ci, url: 'http://ci:80/a?b=c', credentials: /a, namespaces: [a-*], types: [gate.failed]}]", ""},
		"a source with a query":        {"source: 'https://c?a=b'", "notifications.source"},
		"a source with a user":         {"source: 'https://a@c'", "notifications.source"},
		"a source that ends in /":      {"source: https://c/", "notifications.source"},
		"an attempt for ever":          {"timeout: 61s", "notifications.timeout"},
		"an attempt of none":           {"timeout: 0s", "notifications.timeout"},
		"events for ever":              {"giveUpAfter: 169h", "notifications.giveUpAfter"},
		"events of a moment":           {"giveUpAfter: 1s", "notifications.giveUpAfter"},
		"a name twice":                 {"receivers: [" + good + ", " + good + "]", "there twice"},
		"too many":                     {"receivers: [" + strings.Repeat(good+", ", 17) + "]", "at most 16"},
		"no name":                      {"receivers: [{url: 'https://ci', unsigned: true}]", "receivers[0].name"},
		"a name that is a path":        {"receivers: [{name: ../ci, url: 'https://ci', unsigned: true}]", "receivers[0].name"},
		"no address":                   {"receivers: [{name: ci, unsigned: true}]", "receivers[0].url is missing"},
		"no key":                       {"receivers: [{name: ci, url: 'https://ci'}]", "receivers[0].credentials is missing"},
		"a folder that is none":        {"receivers: [{name: ci, credentials: keys}]", "no absolute path"},
		"another scheme":               {"receivers: [{name: ci, url: 'ftp://ci', unsigned: true}]", "receivers[0].url"},
		"an address with a user":       {"receivers: [{name: ci, url: 'https://a:secret@ci', unsigned: true}]", "receivers[0].url"},
		"a pattern that is none":       {"receivers: [{name: ci, url: 'https://ci', unsigned: true, namespaces: ['[a']}]", "no pattern"},
		"a type that is none":          {"receivers: [{name: ci, url: 'https://ci', unsigned: true, types: [run.begun]}]", "run.completed"},
		"a field that does not exist":  {"receivers: [{name: ci, uri: 'https://ci'}]", "uri"},
		"a setting that is not known":  {"retries: 3", "retries"},
		"a namespace without any name": {"receivers: [{name: ci, url: 'https://ci', unsigned: true, namespaces: ['']}]", "no name"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Parse([]byte("agent: {image: a}\nnotifications: {" + tt.yaml + "}\n"))
			switch {
			case tt.want == "" && err != nil, tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("error %v, want one with %q", err, tt.want)
			case err != nil && strings.Contains(err.Error(), "secret"):
				t.Errorf("the error quotes the address: %v", err)
			}
		})
	}
}

func TestWants(t *testing.T) {
	r := Receiver{Namespaces: []string{"perf", "team-*"}, Types: []string{"gate.failed", "run.failed"}}
	for name, want := range map[string]bool{
		"perf gate.failed": true, "team-a run.failed": true, "team-a run.completed": false, "teams run.failed": false, "perf-1 gate.failed": false,
	} {
		namespace, kind, _ := strings.Cut(name, " ")
		if got := r.Wants(namespace, kind); got != want {
			t.Errorf("%s: %t, want %t", name, got, want)
		}
	}
	if !(Receiver{}).Wants("any", "run.completed") {
		t.Error("a receiver without filters does not want everything")
	}
}
