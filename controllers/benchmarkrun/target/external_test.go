package target

import (
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
)

func TestWhichTargetsShareAServer(t *testing.T) {
	host := func(host string, port int32) v1alpha1.Target {
		return v1alpha1.Target{Name: "other", External: &v1alpha1.ExternalTarget{Host: host, Port: port, Database: "b"}}
	}
	jdbc := func(url string) v1alpha1.Target {
		return v1alpha1.Target{Name: "other", External: &v1alpha1.ExternalTarget{JDBC: &v1alpha1.JDBCEndpoint{URL: url}}}
	}
	service := func(name string, port int32) v1alpha1.Target {
		return v1alpha1.Target{Name: "other", External: &v1alpha1.ExternalTarget{ServiceRef: &v1alpha1.ServiceRef{Name: name}, Port: port}}
	}
	provided := v1alpha1.Target{Name: "other", MySQL: &v1alpha1.MySQLTarget{}}
	tests := map[string]struct {
		one, other v1alpha1.Target
		want       bool
	}{
		"one host and port":                   {host("db.example.com", 3306), host("db.example.com", 3306), true},
		"one host, written otherwise":         {host("db.example.com", 3306), host("DB.example.com.", 3306), true},
		"the machine itself by two names":     {host("localhost", 3306), host("127.0.0.1", 3306), true},
		"two ports of a host":                 {host("db.example.com", 3306), host("db.example.com", 3307), false},
		"two hosts":                           {host("a.example.com", 3306), host("b.example.com", 3306), false},
		"one Service":                         {service("db", 3306), service("db", 3306), true},
		"two Services":                        {service("db", 3306), service("other", 3306), false},
		"a Service and a host of its name":    {service("db", 3306), host("db", 3306), false},
		"one URL":                             {jdbc("jdbc:sqlserver://db:1433"), jdbc("jdbc:sqlserver://DB:1433"), true},
		"two URLs":                            {jdbc("jdbc:sqlserver://db:1433"), jdbc("jdbc:sqlserver://db:1434"), false},
		"an external one and one of Assay's":  {host("db.example.com", 3306), provided, false},
		"two of Assay's":                      {provided, provided, false},
		"an external one and a published one": {host("db.example.com", 3306), v1alpha1.Target{Name: "other"}, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			one := tt.one
			one.Name = "one"
			both := []v1alpha1.Target{one, tt.other}
			if a, b := SharesServer(both, one), SharesServer(both, tt.other); a != tt.want || b != tt.want {
				t.Errorf("SharesServer = %v and %v, want %v", a, b, tt.want)
			}
			if SharesServer(both[:1], one) {
				t.Error("a target shares the server with itself")
			}
		})
	}
}
