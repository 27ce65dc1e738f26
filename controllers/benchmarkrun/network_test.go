package benchmarkrun

import (
	"testing"

	"github.com/assay-bench/assay/internal/config"
)

// Clients may connect to the object store, where there is one, and to no more than that.
func TestClientsReachTheObjectStore(t *testing.T) {
	tests := map[string]struct{ endpoint, cidr, port string }{
		"no store":               {"", "", ""},
		"a name":                 {"https://s3.example.com", "", "443"},
		"a name without TLS":     {"http://s3.example.com/", "", "80"},
		"an address and a port":  {"http://10.0.0.9:9000", "10.0.0.9/32", "9000"},
		"an address of IPv6":     {"https://[2001:db8::9]:9000", "2001:db8::9/128", "9000"},
		"an address of IPv6 443": {"https://[2001:db8::9]", "2001:db8::9/128", "443"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := config.Default()
			c.Results.Store.Endpoint = tt.endpoint
			rules := podsOf(c).Network.Clients
			if tt.endpoint == "" {
				if len(rules) > 0 {
					t.Errorf("rules %+v", rules)
				}
				return
			}
			if len(rules) != 1 || len(rules[0].Ports) != 1 || rules[0].Ports[0].Port.String() != tt.port {
				t.Fatalf("rules %+v, want port %s", rules, tt.port)
			}
			cidr := ""
			if len(rules[0].To) == 1 {
				cidr = rules[0].To[0].IPBlock.CIDR
			}
			if cidr != tt.cidr {
				t.Errorf("to %q, want %q", cidr, tt.cidr)
			}
			if len(c.Pods.Network.Clients) > 0 {
				t.Error("the configuration was changed")
			}
		})
	}
}
