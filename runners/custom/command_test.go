package custom

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/ground/contract"
)

const slapWorkload = `{"image":"example.com/slap:1","threads":8,"format":"Mysqlslap",
	"prepare":{"command":["mariadb","--defaults-file=my.cnf","$(DATABASE)","-e","CREATE TABLE t (id INT) ENGINE=$(STORAGE_ENGINE)"]},
	"run":{"command":["mariadb-slap","--defaults-file=my.cnf","--concurrency=$(THREADS)","--number-of-queries=$(queries)","--seed=$(SEED)","$$(HOST)","$(DURATION_SECONDS)"]},
	"parameters":{"queries":"1000"},"dataParameters":["queries"]}`

func slapTrial() contract.Trial {
	return contract.Trial{
		Version: contract.TrialVersion, Runner: Name, Workload: json.RawMessage(slapWorkload), Clients: 3,
		Ref:           contract.TrialRef{Block: new(2), Client: 1, Phase: "Run"},
		WarmupSeconds: 5, DurationSeconds: 60,
		Inputs:   map[string][]byte{"queries.sql": []byte("SELECT 1"), "my.cnf": []byte("mine")},
		Endpoint: contract.Endpoint{Host: "db.bench.svc", Port: 3307, Database: "bench", TLS: contract.TLSRequired, StorageEngine: "RocksDB"},
	}
}

func TestCommand(t *testing.T) {
	c := runner.Credentials{Username: "assay", Password: `p"w\d`, CA: []byte("ca")}
	got, err := Runner(nil).Command(slapTrial(), contract.PhaseRun, c)
	if err != nil {
		t.Fatal(err)
	}
	want := runner.Command{
		Path: "mariadb-slap",
		Args: []string{"--defaults-file=my.cnf", "--concurrency=8", "--number-of-queries=1000", "--seed=1601003527", "$(HOST)", "60"},
		Files: map[string][]byte{
			"queries.sql": []byte("SELECT 1"), "ca.pem": []byte("ca"),
			"my.cnf": []byte("[client]\nprotocol=tcp\nhost=\"db.bench.svc\"\nport=3307\nuser=\"assay\"\npassword=\"p\\\"w\\\\d\"\n" +
				"loose_ssl_mode=REQUIRED\nloose_ssl=1\nssl_ca=ca.pem\n"),
		},
		Env: map[string]string{
			"ASSAY_PASSWORD": `p"w\d`, "MYSQL_PWD": `p"w\d`, "ASSAY_HOST": "db.bench.svc", "ASSAY_PORT": "3307",
			"ASSAY_DATABASE": "bench", "ASSAY_USERNAME": "assay", "ASSAY_TLS": "Required",
		},
		Seed: 1601003527,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTheWarmupHasItsOwnDuration(t *testing.T) {
	got, err := Runner(nil).Command(slapTrial(), contract.PhaseWarmup, runner.Credentials{})
	if err != nil {
		t.Fatal(err)
	}
	if last := got.Args[len(got.Args)-1]; last != "5" {
		t.Errorf("duration = %s, want 5", last)
	}
}

// A tool that is told no seed draws what nobody can repeat, unless it draws nothing: Assay
// does not know it.
func TestWhatACustomToolDraws(t *testing.T) {
	trial := slapTrial()
	tests := map[string]struct {
		phase    contract.Phase
		old, new string
		seed     int64
		unseeded bool
	}{
		"the window":                     {phase: contract.PhaseRun, seed: runner.Seed(trial, contract.PhaseRun)},
		"the warm-up has another seed":   {phase: contract.PhaseWarmup, seed: runner.Seed(trial, contract.PhaseWarmup)},
		"a window without $(SEED)":       {phase: contract.PhaseRun, old: "$(SEED)", new: "1", unseeded: true},
		"a window with the text $(SEED)": {phase: contract.PhaseRun, old: "$(SEED)", new: "$$(SEED)", unseeded: true},
		"loading without a seed":         {phase: contract.PhasePrepare},
		"loading with one":               {phase: contract.PhasePrepare, old: "$(DATABASE)", new: "$(DATABASE)-$(SEED)", seed: runner.Seed(trial, contract.PhasePrepare)},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			trial := slapTrial()
			trial.Workload = json.RawMessage(strings.Replace(slapWorkload, tt.old, tt.new, 1))
			got, err := Runner(nil).Command(trial, tt.phase, runner.Credentials{})
			if err != nil || got.Seed != tt.seed || got.Unseeded != tt.unseeded {
				t.Errorf("seed %d, unseeded %v, error %v, want %d and %v", got.Seed, got.Unseeded, err, tt.seed, tt.unseeded)
			}
		})
	}
}

func TestPhasesWithoutACommandAreSkipped(t *testing.T) {
	r := Runner(nil)
	for phase, want := range map[contract.Phase]bool{contract.PhasePrepare: false, contract.PhaseRun: false, contract.PhaseWarmup: false, contract.PhaseCleanup: true} {
		if got := r.Skips(slapTrial(), phase); got != want {
			t.Errorf("%s: skips = %v, want %v", phase, got, want)
		}
	}
}

func TestRefusals(t *testing.T) {
	tests := map[string]struct{ old, new, want string }{
		"a name that nobody knows":         {"$(queries)", "$(querys)", "command[3]: $(querys) is not known"},
		"a parameter with a name of Assay": {`"parameters":{"queries":"1000"`, `"parameters":{"HOST":"x","queries":"1000"`, "parameters.HOST"},
		"a data parameter without a value": {`["queries"]`, `["rows"]`, `no parameter "rows"`},
		"a format that nobody knows":       {`"Mysqlslap"`, `"HammerDB"`, "custom.format"},
		"an empty command":                 {`"command":["mariadb-slap"`, `"command":["","x"`, "custom.run.command"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			trial := slapTrial()
			trial.Workload = json.RawMessage(strings.Replace(slapWorkload, test.old, test.new, 1))
			_, err := Runner(nil).Command(trial, contract.PhaseRun, runner.Credentials{})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error = %v, want one with %q", err, test.want)
			}
		})
	}
}

func TestATargetBehindJDBCIsRefused(t *testing.T) {
	trial := slapTrial()
	trial.Endpoint = contract.Endpoint{JDBC: &contract.JDBC{URL: "jdbc:sqlserver://x", Driver: "D"}}
	if _, err := Runner(nil).Command(trial, contract.PhaseRun, runner.Credentials{}); err == nil || !strings.Contains(err.Error(), "external.host") {
		t.Errorf("error = %v", err)
	}
}

func TestOutputFile(t *testing.T) {
	trial := trial("Mysqlslap")
	trial.Workload = json.RawMessage(strings.Replace(string(trial.Workload), `"threads"`, `"output":"slap.csv","threads"`, 1))
	command, err := Runner(nil).Command(trial, contract.PhaseRun, runner.Credentials{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"slap.csv"}, command.Collect); diff != "" {
		t.Errorf("collect (-want +got):\n%s", diff)
	}
	got := Runner(nil).Parse(trial, contract.PhaseRun, runner.Output{Files: map[string][]byte{"slap.csv": fixture(t, "mysqlslap.csv")}})
	if got.Failure != nil || len(got.Measurements) == 0 {
		t.Errorf("report = %+v", got)
	}
	got = Runner(nil).Parse(trial, contract.PhaseRun, runner.Output{Stdout: fixture(t, "mysqlslap.csv")})
	if got.Failure == nil || !strings.Contains(got.Failure.Message, "slap.csv") {
		t.Errorf("failure without the file = %+v", got.Failure)
	}
}

func FuzzFill(f *testing.F) {
	f.Add("$(HOST)$$(A)$(x)")
	f.Fuzz(func(t *testing.T, text string) {
		values := map[string]string{}
		for _, ref := range reference.FindAllString(text, -1) {
			_, name, _ := strings.Cut(ref, "(")
			values[strings.TrimSuffix(name, ")")] = "v"
		}
		got, err := fill(text, values)
		if err != nil {
			t.Fatalf("every name was known: %v", err)
		}
		if !strings.Contains(text, "$(") && got != text {
			t.Errorf("%q became %q", text, got)
		}
	})
}
