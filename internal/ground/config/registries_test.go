package config

import (
	"strings"
	"testing"
)

func TestRegistries(t *testing.T) {
	for name, tt := range map[string]struct{ yaml, want string }{
		"none":                    {"", ""},
		"all":                     {`registries: {timeout: 5s, ask: [{host: "a:5000", hosts: [b], plainHTTP: true, credentials: /etc/a}]}`, ""},
		"an address":              {"registries: {ask: [{host: 'https://a'}]}", "registries.ask[0]"},
		"a path":                  {"registries: {ask: [{host: 'a/b'}]}", "registries.ask[0]"},
		"a user":                  {"registries: {ask: [{host: 'u@a'}]}", "registries.ask[0]"},
		"upper case":              {"registries: {ask: [{host: A}]}", "registries.ask[0]"},
		"another host, a path":    {"registries: {ask: [{host: a, hosts: ['b/c']}]}", "registries.ask[0]"},
		"twice":                   {"registries: {ask: [{host: a}, {host: a}]}", "is there twice"},
		"a long time":             {"registries: {timeout: 1h}", "registries.timeout"},
		"credentials that are no": {"registries: {ask: [{host: a, credentials: b}]}", "no absolute path"},
		"too many":                {"registries: {ask: [" + strings.Repeat("{host: a},", 17) + "]}", "at most 16"},
		"too many hosts":          {"registries: {ask: [{host: a, hosts: [" + strings.Repeat("b,", 9) + "]}]}", "at most 8"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse([]byte("agent: {image: a}\n" + tt.yaml))
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
