package config

import (
	"strings"
	"testing"
)

// A store that cannot work is refused when the manager starts, by the name of what is wrong.
func TestStoreRefusals(t *testing.T) {
	const good = "endpoint: https://s3.example.com, bucket: results"
	tests := map[string]struct{ store, want string }{
		"none":                                {"", ""},
		"a server and a bucket":               {good, ""},
		"a port, a slash and an address":      {"endpoint: 'http://[2001:db8::9]:9000/', bucket: results", ""},
		"a bucket in the name of the host":    {good + ", pathStyle: false", ""},
		"rules for the way there":             {good + ", egress: [{ports: [{port: 7070}]}]", ""},
		"a bucket without a server":           {"bucket: results", "results.store.endpoint is missing"},
		"no bucket":                           {"endpoint: https://s3.example.com", `results.store.bucket: "" is not the name`},
		"a bucket that leaves its place":      {"endpoint: https://s3.example.com, bucket: ../etc", `results.store.bucket: "../etc" is not the name`},
		"a server without a scheme":           {"endpoint: s3.example.com, bucket: results", "is not the URL of a server"},
		"another scheme":                      {"endpoint: s3://results, bucket: results", "is not the URL of a server"},
		"no host":                             {"endpoint: 'https://:443', bucket: results", "is not the URL of a server"},
		"a path":                              {"endpoint: https://example.com/s3, bucket: results", "is not the URL of a server"},
		"a query":                             {"endpoint: 'https://example.com?a=b', bucket: results", "is not the URL of a server"},
		"a password":                          {"endpoint: 'https://a:b@example.com', bucket: results", "is not the URL of a server"},
		"no URL at all":                       {"endpoint: 'https://a b', bucket: results", "results.store.endpoint: "},
		"a port that cannot be":               {"endpoint: 'https://example.com:65536', bucket: results", "the port must be 1 to 65535"},
		"an address has no name for a bucket": {"endpoint: 'https://10.0.0.9', bucket: results, pathStyle: false", "results.store.pathStyle: false puts the bucket in front"},
		"no region":                           {good + ", region: ''", "results.store.region is missing"},
		"a prefix that ends with a slash":     {good + ", prefix: a/", `results.store.prefix: "a/"`},
		"a prefix that leaves its place":      {good + ", prefix: a/../b", `results.store.prefix: "a/../b"`},
		"a cluster with a slash":              {good + ", cluster: a/b", `results.store.cluster: "a/b"`},
		"a size of nothing":                   {good + ", over: 0", "results.store.over and results.store.maxObject must be greater than 0"},
		"objects of no size":                  {good + ", maxObject: -1", "results.store.over and results.store.maxObject must be greater than 0"},
		"no directory of the keys":            {good + ", credentials: ''", "results.store.credentials is missing"},
		"a field that nobody knows":           {good + ", buckets: a", `unknown field "buckets"`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Parse([]byte("agent: {image: a}\nresults: {store: {" + tt.store + "}}"))
			if tt.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}
