package drivers

import (
	"strings"
	"testing"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// able are drivers that can do everything, with one option of each type.
func able(names ...string) []capabilities {
	var out []capabilities
	for _, name := range names {
		c := capabilities{Name: name, Versions: []string{"4", "3.5.4"}, Can: map[string]string{canPool: "a pool", canEncode: "a call", canConcurrency: "threads"},
			Options: map[string]string{"bulk": "boolean", "timeout": "integer", "ratio": "number", "zone": "text"}}
		for _, o := range operations {
			for _, s := range o.schemes {
				c.Can[s] = "a call"
			}
		}
		out = append(out, c)
	}
	return out
}

func TestAHarnessIsNotAskedForWhatItDoesNotName(t *testing.T) {
	hello := answer{State: stateOK, Language: "Node.js", Drivers: able("mysql2")}
	less := hello.Drivers[0]
	less.Can, less.Cannot = map[string]string{singleRow: "a call"}, map[string]string{prepared: "it prepares nothing"}
	poor := answer{State: stateOK, Language: "Node.js", Drivers: []capabilities{less}}
	free := answer{State: stateOK, Drivers: []capabilities{{Name: "mysql2", Versions: []string{"4"}}}}
	driver := func(change func(*Driver)) func(answer) string {
		d := Driver{Name: "mysql2"}
		change(&d)
		return d.refused
	}
	cellOf := func(operation, scheme, session string) func(answer) string {
		o, _ := operationNamed(operation)
		return cell{driver: Driver{Name: "mysql2"}, operation: o, scheme: scheme, session: session}.refused
	}
	option := func(name, value string) func(answer) string {
		return driver(func(d *Driver) { d.Options = map[string]string{name: value} })
	}
	several := func(operation string) func(answer) string {
		o, _ := operationNamed(operation)
		return cell{driver: Driver{Name: "mysql2"}, operation: o, scheme: singleRow, session: dedicated, concurrency: 8}.refused
	}
	tests := map[string]struct {
		refused func(answer) string
		hello   answer
		want    string // empty: it is not refused
	}{
		"a driver":                       {driver(func(*Driver) {}), hello, ""},
		"another driver":                 {driver(func(d *Driver) { d.Name = "mysql3" }), hello, "Node.js has no driver mysql3 here; it has: mysql2"},
		"an old version":                 {driver(func(d *Driver) { d.Version = "3.5.4" }), hello, ""},
		"another version":                {driver(func(d *Driver) { d.Version = "1" }), hello, "mysql2 is here in version 4, 3.5.4, not 1"},
		"an option":                      {option("bulk", "false"), hello, ""},
		"another option":                 {option("magic", "1"), hello, "mysql2 has no option magic here; it has: bulk, ratio, timeout, zone"},
		"an option that only it knows":   {option("magic", "1"), free, ""},
		"a boolean that is none":         {option("bulk", "1"), hello, "has to be boolean, not 1"},
		"an integer":                     {option("timeout", "5"), hello, ""},
		"an integer that is none":        {option("timeout", "5s"), hello, "has to be integer, not 5s"},
		"an integer below 0":             {option("timeout", "-5"), hello, "has to be integer, not -5"},
		"a number":                       {option("ratio", "0.5"), hello, ""},
		"a number that is none":          {option("ratio", "half"), hello, "has to be number, not half"},
		"a text":                         {option("zone", "+00:00"), hello, ""},
		"a scheme":                       {cellOf("Do", prepared, dedicated), hello, ""},
		"a scheme that it cannot do":     {cellOf("Do", prepared, dedicated), poor, "mysql2 cannot do Prepared: it prepares nothing"},
		"a scheme that it does not name": {cellOf("Do", pipelined, dedicated), poor, "mysql2 cannot do Pipelined: it has no such call"},
		"no pool":                        {cellOf("Do", singleRow, canPool), poor, "mysql2 cannot do Pool"},
		"a pool":                         {cellOf("Do", singleRow, canPool), hello, ""},
		"a new connection":               {cellOf("Do", singleRow, "New"), poor, ""},
		"several at once":                {several("Do"), hello, ""},
		"one at a time":                  {several("Do"), poor, "mysql2 cannot do Concurrency: it has no such call"},
		"several logins":                 {several("Connect"), poor, "mysql2 cannot do Concurrency"},
		"no encoder":                     {cellOf("Encode", "", dedicated), poor, "mysql2 cannot do Encode"},
		"connecting":                     {cellOf("Connect", "", dedicated), poor, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := test.refused(test.hello)
			if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// What was refused has no numbers, and is Unsupported with the reason.
func TestWhatIsRefusedIsUnsupported(t *testing.T) {
	tr := trial(spec)
	p, err := decode(tr.Workload)
	if err != nil {
		t.Fatal(err)
	}
	out := answered(t, tr, nil)
	c := converse(p, tr)
	out.Exchanges[c.prepared["mariadb old"]] = runner.Exchange{Turn: c.prepared["mariadb old"], Unsupported: "no such version"}
	for _, r := range c.runs {
		switch {
		case r.cell.driver.shown() == "mariadb old":
			out.Exchanges[r.turn] = runner.Exchange{Turn: r.turn, Skipped: true}
		case named("Insert", multiRow)(r.cell):
			out.Exchanges[r.turn] = runner.Exchange{Turn: r.turn, Unsupported: "no such call"}
		}
	}
	got := parse(tr, contract.PhaseRun, out)
	if got.Failure != nil {
		t.Fatalf("%+v", got.Failure)
	}
	for _, c := range p.cells() {
		want := ""
		if c.driver.shown() == "mariadb old" {
			want = "no such version"
		} else if named("Insert", multiRow)(c) {
			want = "no such call"
		}
		m, ok := contract.Find(got.Measurements, contract.NameThroughput, c.labels())
		if !ok || (m.Absent == nil) != (want == "") || m.Absent != nil && (m.Absent.State != contract.Unsupported || m.Absent.Reason != want) {
			t.Errorf("%s: %+v, want the absence %q", c.name(), m, want)
		}
	}
}

// Whatever words a driver has for it: a login that it does not know is no failure.
func TestLoginMethods(t *testing.T) {
	tests := map[string]struct {
		a    answer
		want bool
	}{
		"the server, by its number":      {answer{Code: "1251", Reason: "Client does not support authentication protocol requested by server"}, true},
		"the server, by its name":        {answer{Code: "ER_NOT_SUPPORTED_AUTH_MODE", Reason: "Client does not support"}, true},
		"a C library":                    {answer{Code: "2059", Reason: "Authentication plugin 'x' cannot be loaded"}, true},
		"mysqlnd":                        {answer{Code: "2054", Reason: "The server requested authentication method unknown to the client [parsec]"}, true},
		"Connector/J":                    {answer{Reason: "Unable to load authentication plugin 'parsec'."}, true},
		"go-mysql":                       {answer{Reason: "auth plugin 'parsec' is not supported"}, true},
		"go-sql-driver":                  {answer{Reason: "this authentication plugin is not supported"}, true},
		"go-sql-driver, old":             {answer{Reason: "this user requires mysql native password authentication"}, true},
		"mysql of Rust":                  {answer{Reason: "DriverError { Unknown authentication protocol: `parsec` }"}, true},
		"mysql of Rust, old":             {answer{Reason: "DriverError { `old_mysql_password` plugin is insecure and disabled by default }"}, true},
		"mysql_async":                    {answer{Reason: "Driver error: `Unknown authentication plugin `parsec'.'"}, true},
		"sqlx":                           {answer{Reason: "encountered unexpected or invalid data: unknown authentication plugin: parsec"}, true},
		"MySqlConnector":                 {answer{Reason: "Authentication method 'parsec' is not supported."}, true},
		"Connector/Python":               {answer{Reason: "NotSupportedError: Authentication plugin 'parsec' is not supported"}, true},
		"a wrong password":               {answer{Code: "1045", Reason: "Access denied for user 'assay'@'localhost' (using password: YES)"}, false},
		"no server":                      {answer{Code: "2003", Reason: "Can't connect to MySQL server on '10.0.0.1:2059' (111)"}, false},
		"a port that looks like a code":  {answer{Reason: "connect ECONNREFUSED 10.0.0.1:1251"}, false},
		"a certificate of somebody else": {answer{Reason: "certificate verify failed: unable to get local issuer certificate"}, false},
	}
	for name, test := range tests {
		if got := test.a.isLoginMethod(); got != test.want {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

// The pieces of a statement make it again, and the group has all its parameters.
func TestPieces(t *testing.T) {
	n := 0
	for _, o := range operations {
		for _, s := range []string{multiRow, inList, multiStatement} {
			if !strings.Contains(strings.Join(o.schemes, " "), s) {
				continue
			}
			n++
			sql := cell{operation: o, scheme: s, rows: 1}.sql()
			head, group, separator, tail := pieces(s, sql)
			if head+group+tail != sql || strings.Count(group, "?") != len(o.parameters(1, 1)[0]) || separator == "" {
				t.Errorf("%s, %s: %q, %q, %q, %q", o.name, s, head, group, separator, tail)
			}
		}
	}
	if n == 0 {
		t.Error("no operation has rows that stand together")
	}
	if head, group, separator, tail := pieces(singleRow, "DO ?"); head+group+separator+tail != "" {
		t.Error("single rows have pieces")
	}
}
