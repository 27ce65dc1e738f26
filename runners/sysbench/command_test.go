package sysbench

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/ground/contract"
)

const workload = `{"randType":"special","dbPsMode":"auto","ignoreErrors":"1213,1020,1205",
	"test":"oltp_read_write","threads":64,"tables":10,"tableSize":1000000,"reportIntervalSeconds":1,
	"percentile":99,"histogram":true,"skipTrx":false}`

// aScript is the workload of a script of the user, as the API completes it.
const aScript = `{"script":{"configMap":{"name":"mine"},"file":"mine.lua","phases":["Prepare","Cleanup"],"preparedStatements":7},
	"threads":8,"tables":1,"tableSize":10000,"reportIntervalSeconds":1,"percentile":95,"histogram":true,
	"randType":"pareto","dbPsMode":"auto","ignoreErrors":"1213","options":{"scale":"5","tables":"3"}}`

func aTrial() contract.Trial {
	return contract.Trial{
		Version: contract.TrialVersion, Runner: Name, Workload: json.RawMessage(workload),
		WarmupSeconds: 30, DurationSeconds: 300, Seed: 42,
		Endpoint: contract.Endpoint{
			Host: "innodb.bench.svc", Port: 3306, Database: "sbtest", TLS: contract.TLSDisabled, StorageEngine: "RocksDB",
		},
	}
}

var someone = runner.Credentials{
	Username: "assay", Password: "s3cret", CA: []byte("the CA"), Cert: []byte("the certificate"), Key: []byte("the key"),
}

var plainFiles = map[string][]byte{"sysbench.cfg": []byte("mysql-password=\"s3cret\"\n")}

var loadFiles = map[string][]byte{"sysbench.cfg": plainFiles["sysbench.cfg"], "load.lua": []byte(loadScript)}

const connection = "--config-file=sysbench.cfg --db-driver=mysql --mysql-host=innodb.bench.svc " +
	"--mysql-port=3306 --mysql-user=assay --mysql-db=sbtest --mysql-ssl=off --db-ps-mode=auto --mysql-ignore-errors=1213,1020,1205 " +
	"--tables=10 --table-size=1000000 "

const (
	// bare is what a script without options of its own gets.
	bare = "--config-file=sysbench.cfg --db-driver=mysql --mysql-host=innodb.bench.svc --mysql-port=3306 --mysql-user=assay " +
		"--mysql-db=sbtest --mysql-ssl=off --db-ps-mode=auto --mysql-ignore-errors=1213,1020,1205 "
	scripted = "--config-file=sysbench.cfg --db-driver=mysql --mysql-host=innodb.bench.svc --mysql-port=3306 --mysql-user=assay " +
		"--mysql-db=sbtest --mysql-ssl=off --db-ps-mode=auto --mysql-ignore-errors=1213 "
	someOptions = `{"auto_inc":"off","mysql-compression":"on","no-such":"1","range-size":"5","secondary":"on"}`
)

var (
	bulkFiles   = map[string][]byte{"sysbench.cfg": plainFiles["sysbench.cfg"], "bulk.lua": []byte(bulkScript)}
	scriptFiles = map[string][]byte{"sysbench.cfg": plainFiles["sysbench.cfg"], "mine.lua": []byte("mine"), "lib.lua": []byte("lib")}
)

func bulk(t *contract.Trial) { t.Workload = edit(workload, "oltp_read_write", "bulk_insert") }

func own(t *contract.Trial) {
	t.Workload = json.RawMessage(aScript)
	t.Inputs = map[string][]byte{"mine.lua": []byte("mine"), "lib.lua": []byte("lib")}
}

func TestCommand(t *testing.T) {
	tests := map[string]struct {
		phase  contract.Phase
		change func(*contract.Trial)
		args   string
		files  map[string][]byte
	}{
		"prepare has a thread per table, at most": {
			phase: contract.PhasePrepare, files: loadFiles,
			args: connection + "--mysql-storage-engine=RocksDB --threads=10 --part=0 --parts=1 --rand-type=special load.lua prepare",
		},
		"prepare has no more threads than asked for, and sysbench's own engine": {
			phase: contract.PhasePrepare, files: loadFiles,
			change: func(t *contract.Trial) {
				t.Endpoint.StorageEngine = ""
				t.Workload = edit(workload, `"threads":64`, `"threads":4`)
			},
			args: connection + "--mysql-storage-engine=InnoDB --threads=4 --part=0 --parts=1 --rand-type=special load.lua prepare",
		},
		"prepare of the third of four clients has a thread for each of its two tables": {
			phase: contract.PhasePrepare, files: loadFiles, change: func(t *contract.Trial) { t.Ref.Client, t.Clients = 2, 4 },
			args: connection + "--mysql-storage-engine=RocksDB --threads=2 --part=2 --parts=4 --rand-type=special load.lua prepare",
		},
		"warm-up is a run of another length": {
			phase: contract.PhaseWarmup, files: plainFiles,
			args: connection + "--threads=64 --events=0 --time=30 --rand-type=special --rand-seed=1981759407 --percentile=99 " +
				"--histogram=on --report-interval=1 --skip-trx=off oltp_read_write run",
		},
		"run": {
			phase: contract.PhaseRun, files: plainFiles,
			args: connection + "--threads=64 --events=0 --time=300 --rand-type=special --rand-seed=172133699 --percentile=99 " +
				"--histogram=on --report-interval=1 --skip-trx=off oltp_read_write run",
		},
		"run with the other choices": {
			phase: contract.PhaseRun, files: plainFiles,
			change: func(t *contract.Trial) {
				t.Workload = json.RawMessage(`{"test":"oltp_point_select","threads":1,"tables":10,"tableSize":1000000,
					"percentile":1,"skipTrx":true,"randType":"special","dbPsMode":"auto","ignoreErrors":"1213,1020,1205"}`)
			},
			args: connection + "--threads=1 --events=0 --time=300 --rand-type=special --rand-seed=172133699 --percentile=1 " +
				"--histogram=off --report-interval=0 --skip-trx=on oltp_point_select run",
		},
		"run of a number of events": {
			phase: contract.PhaseRun, files: plainFiles, change: func(t *contract.Trial) { t.Workload = withRate("events", 5000) },
			args: connection + "--threads=64 --events=5000 --time=300 --rand-type=special --rand-seed=172133699 --percentile=99 " +
				"--histogram=on --report-interval=1 --skip-trx=off oltp_read_write run",
		},
		"warm-up before a number of events is bounded by time": {
			phase: contract.PhaseWarmup, files: plainFiles, change: func(t *contract.Trial) { t.Workload = withRate("events", 5000) },
			args: connection + "--threads=64 --events=0 --time=30 --rand-type=special --rand-seed=1981759407 --percentile=99 " +
				"--histogram=on --report-interval=1 --skip-trx=off oltp_read_write run",
		},
		"run at a rate": {
			phase: contract.PhaseRun, files: plainFiles, change: func(t *contract.Trial) { t.Workload = withRate("rate", 250) },
			args: connection + "--threads=64 --events=0 --time=300 --rate=250 --rand-type=special --rand-seed=172133699 --percentile=99 " +
				"--histogram=on --report-interval=1 --skip-trx=off oltp_read_write run",
		},
		"warm-up at the same rate": {
			phase: contract.PhaseWarmup, files: plainFiles, change: func(t *contract.Trial) { t.Workload = withRate("rate", 250) },
			args: connection + "--threads=64 --events=0 --time=30 --rate=250 --rand-type=special --rand-seed=1981759407 --percentile=99 " +
				"--histogram=on --report-interval=1 --skip-trx=off oltp_read_write run",
		},
		"the fourth client has a seed of its own": {
			phase: contract.PhaseRun, files: plainFiles, change: func(t *contract.Trial) { t.Ref.Client, t.Clients = 3, 4 },
			args: connection + "--threads=64 --events=0 --time=300 --rand-type=special --rand-seed=1963557845 --percentile=99 " +
				"--histogram=on --report-interval=1 --skip-trx=off oltp_read_write run",
		},
		"run over TLS": {
			phase: contract.PhaseRun, change: func(t *contract.Trial) { t.Endpoint.TLS = contract.TLSRequired },
			args: strings.Replace(connection, "ssl=off", "ssl=on", 1) + "--threads=64 --events=0 --time=300 --rand-type=special " +
				"--rand-seed=172133699 --percentile=99 --histogram=on --report-interval=1 --skip-trx=off oltp_read_write run",
			files: map[string][]byte{
				"sysbench.cfg": plainFiles["sysbench.cfg"], "client-key.pem": someone.Key,
				"client-cert.pem": someone.Cert, "cacert.pem": someone.CA,
			},
		},
		"run with the choices of 1.1, and without prepared statements": {
			phase: contract.PhaseRun, files: plainFiles,
			change: func(t *contract.Trial) {
				t.Workload = withField("randType", `"uniform","dbPsMode":"disable","ignoreErrors":"none"`)
			},
			args: strings.NewReplacer("ps-mode=auto", "ps-mode=disable", "1213,1020,1205", "none").Replace(connection) +
				"--threads=64 --events=0 --time=300 --rand-type=uniform --rand-seed=172133699 --percentile=99 " +
				"--histogram=on --report-interval=1 --skip-trx=off oltp_read_write run",
		},
		"prepare takes the options of data and connection": {
			phase: contract.PhasePrepare, files: loadFiles, change: func(t *contract.Trial) { t.Workload = withField("options", someOptions) },
			args: connection + "--mysql-storage-engine=RocksDB --threads=10 --part=0 --parts=1 --rand-type=special " +
				"--auto_inc=off --mysql-compression=on --secondary=on load.lua prepare",
		},
		"run takes all the options": {
			phase: contract.PhaseRun, files: plainFiles, change: func(t *contract.Trial) { t.Workload = withField("options", someOptions) },
			args: connection + "--threads=64 --events=0 --time=300 --rand-type=special --rand-seed=172133699 --percentile=99 " +
				"--histogram=on --report-interval=1 --skip-trx=off --auto_inc=off --mysql-compression=on --no-such=1 --range-size=5 " +
				"--secondary=on oltp_read_write run",
		},
		"cleanup takes the options of the connection": {
			phase: contract.PhaseCleanup, files: plainFiles, change: func(t *contract.Trial) { t.Workload = withField("options", someOptions) },
			args: connection + "--threads=1 --mysql-compression=on oltp_read_write cleanup",
		},
		"bulk_insert has a table per thread": {
			phase: contract.PhasePrepare, files: bulkFiles, change: bulk,
			args: bare + "--mysql-storage-engine=RocksDB --threads=64 bulk.lua prepare",
		},
		"bulk_insert runs as a script that empties the tables first": {
			phase: contract.PhaseRun, files: bulkFiles, change: bulk,
			args: bare + "--threads=64 --events=0 --time=300 --rand-type=special --rand-seed=172133699 --percentile=99 " +
				"--histogram=on --report-interval=1 bulk.lua run",
		},
		"bulk_insert drops as many tables as it has threads": {
			phase: contract.PhaseCleanup, files: bulkFiles, change: bulk,
			args: bare + "--threads=64 bulk.lua cleanup",
		},
		"a script loads with all its threads and options": {
			phase: contract.PhasePrepare, files: scriptFiles, change: own,
			args: scripted + "--threads=8 --rand-type=pareto --scale=5 --tables=3 mine.lua prepare",
		},
		"a script runs": {
			phase: contract.PhaseRun, files: scriptFiles, change: own,
			args: scripted + "--threads=8 --events=0 --time=300 --rand-type=pareto --rand-seed=172133699 --percentile=95 " +
				"--histogram=on --report-interval=1 --scale=5 --tables=3 mine.lua run",
		},
		"a script cleans up": {
			phase: contract.PhaseCleanup, files: scriptFiles, change: own,
			args: scripted + "--threads=1 --scale=5 --tables=3 mine.lua cleanup",
		},
		"cleanup": {
			phase: contract.PhaseCleanup, files: plainFiles,
			args: connection + "--threads=1 oltp_read_write cleanup",
		},
		"cleanup drops all the tables, also with several clients": {
			phase: contract.PhaseCleanup, files: plainFiles, change: func(t *contract.Trial) { t.Clients = 4 },
			args: connection + "--threads=1 oltp_read_write cleanup",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			trial := aTrial()
			if tc.change != nil {
				tc.change(&trial)
			}
			got, err := command(trial, tc.phase, someone)
			if err != nil {
				t.Fatal(err)
			}
			want := runner.Command{Path: "sysbench", Args: strings.Fields(tc.args), Files: tc.files}
			if tc.phase == contract.PhaseWarmup || tc.phase == contract.PhaseRun {
				want.Seed = runner.Seed(trial, tc.phase)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("command (-want +got):\n%s", diff)
			}
		})
	}
}

// With one seed the window would write what the warm-up wrote and delete what it deleted.
func TestNoPhaseAndNoBlockReplaysAnother(t *testing.T) {
	seen := map[string]string{}
	for block := range 3 {
		for _, phase := range []contract.Phase{contract.PhaseWarmup, contract.PhaseRun} {
			trial := aTrial()
			trial.Ref.Block, trial.WarmupSeconds = new(block), trial.DurationSeconds
			c, err := Runner().Command(trial, phase, someone)
			if err != nil {
				t.Fatal(err)
			}
			what, line := fmt.Sprintf("block %d %s", block, phase), strings.Join(c.Args, " ")
			if before, twice := seen[line]; twice {
				t.Errorf("%s has the command line of %s: %s", what, before, line)
			}
			seen[line] = what
			if want := fmt.Sprintf("--rand-seed=%d ", c.Seed); c.Unseeded || c.Seed != runner.Seed(trial, phase) || !strings.Contains(line, want) {
				t.Errorf("%s: Seed %d, Unseeded %v, want those of %s", what, c.Seed, c.Unseeded, line)
			}
		}
	}
}

func TestCommandRefuses(t *testing.T) {
	tests := map[string]struct {
		phase  contract.Phase
		change func(*contract.Trial, *runner.Credentials)
		want   string
	}{
		"a workload that is not understood": {contract.PhaseRun, func(t *contract.Trial, _ *runner.Credentials) { t.Workload = nil }, "workload.sysbench"},
		"a list of hosts":                   {contract.PhaseRun, func(t *contract.Trial, _ *runner.Credentials) { t.Endpoint.Host = "a,b" }, "endpoint.host"},
		"no host":                           {contract.PhaseRun, func(t *contract.Trial, _ *runner.Credentials) { t.Endpoint.Host = "" }, "endpoint.host"},
		"localhost, a socket in disguise":   {contract.PhaseRun, func(t *contract.Trial, _ *runner.Credentials) { t.Endpoint.Host = "localhost" }, "use 127.0.0.1"},
		"a port out of range":               {contract.PhaseRun, func(t *contract.Trial, _ *runner.Credentials) { t.Endpoint.Port = 0 }, "endpoint.port: 0"},
		"no schema":                         {contract.PhaseRun, func(t *contract.Trial, _ *runner.Credentials) { t.Endpoint.Database = "" }, "endpoint.database"},
		"no username":                       {contract.PhaseRun, func(_ *contract.Trial, c *runner.Credentials) { c.Username = "" }, "username"},
		"a TLS mode that is not known":      {contract.PhaseRun, func(t *contract.Trial, _ *runner.Credentials) { t.Endpoint.TLS = "" }, "endpoint.tls"},
		"TLS without a CA":                  {contract.PhaseRun, tlsWithout(func(c *runner.Credentials) { c.CA = nil }), "ca.crt is missing"},
		"TLS without a client certificate":  {contract.PhaseRun, tlsWithout(func(c *runner.Credentials) { c.Cert = nil }), "tls.crt is missing"},
		"TLS without the key":               {contract.PhaseRun, tlsWithout(func(c *runner.Credentials) { c.Key = nil }), "tls.key is missing"},
		"a run of no length":                {contract.PhaseRun, func(t *contract.Trial, _ *runner.Credentials) { t.DurationSeconds = 0 }, "durationSeconds: 0"},
		"a warm-up of no length":            {contract.PhaseWarmup, func(t *contract.Trial, _ *runner.Credentials) { t.WarmupSeconds = 0 }, "warmupSeconds: 0"},
		"an engine that is SQL":             {contract.PhasePrepare, func(t *contract.Trial, _ *runner.Credentials) { t.Endpoint.StorageEngine = "x */" }, "endpoint.storageEngine"},
		"a part that nobody shared out":     {contract.PhasePrepare, func(t *contract.Trial, _ *runner.Credentials) { t.Ref.Client, t.Clients = 3, 3 }, "ref.client: 3"},
		"a script that is not there": {contract.PhaseRun, func(t *contract.Trial, _ *runner.Credentials) { own(t); delete(t.Inputs, "mine.lua") },
			"the ConfigMap mine has no key mine.lua: it has [lib.lua]"},
		"a script over a file of Assay": {contract.PhaseRun, func(t *contract.Trial, _ *runner.Credentials) { own(t); t.Inputs["cacert.pem"] = nil },
			"cacert.pem is the name of a file that Assay writes"},
		"a module in a hidden file": {contract.PhaseRun, func(t *contract.Trial, _ *runner.Credentials) { own(t); t.Inputs[".rc"] = nil }, `the key ".rc"`},
		"several clients of bulk_insert": {contract.PhaseRun, func(t *contract.Trial, _ *runner.Credentials) { bulk(t); t.Clients = 2 },
			"clients.count: 2 clients with bulk_insert"},
		"a phase that is not known": {"Verify", func(*contract.Trial, *runner.Credentials) {}, `phase: "Verify"`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			trial, c := aTrial(), someone
			tc.change(&trial, &c)
			if _, err := command(trial, tc.phase, c); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got error %v, want one with %q", err, tc.want)
			}
		})
	}
}

// The lines that this test accepts were tried with sysbench 1.0.20 on a server.
func TestPasswordLine(t *testing.T) {
	tests := map[string]struct {
		password string
		want     string
		err      string
	}{
		"a plain one":                          {"s3cret", `mysql-password="s3cret"`, ""},
		"an empty one":                         {"", `mysql-password=""`, ""},
		"blanks, a comma and a comment sign":   {" a, #b ", `mysql-password=" a, #b "`, ""},
		"a single quote":                       {"it's", `mysql-password="it's"`, ""},
		"a double quote":                       {`say "x"`, `mysql-password='say "x"'`, ""},
		"both quotes":                          {`a'b"c`, `mysql-password=a'b"c`, ""},
		"no escapes: a backslash stays one":    {`\back\`, `mysql-password="\back\"`, ""},
		"letters beyond ASCII":                 {"pä߀", `mysql-password="pä߀"`, ""},
		"the longest":                          {strings.Repeat("x", 237), `mysql-password="` + strings.Repeat("x", 237) + `"`, ""},
		"one byte more than the longest":       {strings.Repeat("x", 238), "", "at most 237"},
		"both quotes and a blank":              {`a'b" c`, "", "choose another password"},
		"both quotes and a comma":              {`a'b",c`, "", "choose another password"},
		"both quotes, one in front":            {`'b"`, "", "choose another password"},
		"both quotes, a comment sign in front": {`#'b"`, "", "choose another password"},
		"a line break":                         {"a\nb", "", "line break"},
		"a NUL":                                {"a\x00b", "", "NUL"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := passwordLine(tc.password)
			if tc.err == "" && err != nil || tc.err != "" && (err == nil || !strings.Contains(err.Error(), tc.err)) {
				t.Fatalf("got error %v, want one with %q", err, tc.err)
			}
			if got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
			if err != nil && len(tc.password) > 3 && strings.Contains(err.Error(), tc.password) {
				t.Error("the error quotes the password")
			}
		})
	}
}

func tlsWithout(change func(*runner.Credentials)) func(*contract.Trial, *runner.Credentials) {
	return func(t *contract.Trial, c *runner.Credentials) {
		t.Endpoint.TLS = contract.TLSRequired
		change(c)
	}
}

func edit(text, old, new string) json.RawMessage {
	return json.RawMessage(strings.Replace(text, old, new, 1))
}

// withField is the workload with a field more.
func withField(field, value string) json.RawMessage {
	return edit(workload, `"skipTrx"`, fmt.Sprintf(`"%s":%s,"skipTrx"`, field, value))
}

// withRate is the workload with one of the fields that may be absent.
func withRate(field string, value int) json.RawMessage {
	return edit(workload, `"skipTrx"`, fmt.Sprintf(`"%s":%d,"skipTrx"`, field, value))
}
