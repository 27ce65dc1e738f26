// Package conformance holds every harness against the protocol, in one table: the same conversations
// as a trial has, through the agent's own code, with the harness in its image or as a command of this
// machine. `make conformance` starts the servers and runs it with images, `make conformance-binary` makes a
// program of it that can be carried elsewhere; without a harness there is nothing to hold, and it is skipped.
// It also plays the rights that the page of managed databases gives to an account.
package conformance

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/assay-bench/assay/docs/contracts"
	"github.com/assay-bench/assay/internal/agent/database"
	"github.com/assay-bench/assay/internal/agent/dialogue"

	"github.com/assay-bench/assay/runners/drivers"
	"github.com/assay-bench/assay/runners/runner"
	"github.com/assay-bench/assay/test/conformance/cases"
	"github.com/assay-bench/assay/test/helpers/harnesses"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// Every driver of every language goes through everything on every server. Each answer has to be one
// of the protocol, what the server holds afterwards is verified, and what a driver names among what
// it can do, it has to do.
func TestEveryDriverDoesWhatItSays(t *testing.T) {
	forEach(t, func(t *testing.T, h harness) {
		for name, s := range servers(t) {
			t.Run(name, func(t *testing.T) {
				got := h.speak(t, trialOf(h.Name, append([]string{nullDriver}, h.Drivers...), cases.Everything, s, contract.TLSDisabled))
				refused := h.refused(t, s, contract.TLSDisabled)
				measured := got.check(t, refused)
				t.Logf("%s: %d combinations measured", got.report.ToolVersion, measured)
				if measured < harnesses.LeastMeasured*(len(h.Drivers)-len(refused)) {
					t.Errorf("only %d combinations were measured", measured)
				}
				atOnce := h.speak(t, trialOf(h.Name, append([]string{nullDriver}, h.Drivers...), cases.AtOnce, s, contract.TLSDisabled))
				if harnesses.OneAtATime(h.Name) {
					if f := atOnce.report.Failure; f == nil || !strings.Contains(f.Message, "cannot do Concurrency") {
						t.Errorf("several operations at once: %+v", f)
					}
					return
				}
				measured = atOnce.check(t, refused)
				t.Logf("%d combinations of several operations at once", measured)
				if measured == 0 {
					t.Error("none of several operations at once was measured")
				}
			})
		}
	})
}

// The driver null does everything without a server.
func TestNullDoesEverything(t *testing.T) {
	forEach(t, func(t *testing.T, h harness) {
		all := []string{cases.Everything}
		if !harnesses.OneAtATime(h.Name) {
			all = append(all, cases.AtOnce)
		}
		for _, benchmarks := range all {
			got := h.speak(t, trialOf(h.Name, []string{nullDriver}, benchmarks, server{}, contract.TLSDisabled))
			got.check(t, nil)
			for _, m := range got.report.Measurements {
				if m.Absent != nil {
					t.Errorf("%v: %s", m.Labels, m.Absent.Reason)
				}
			}
		}
	})
}

// Every driver encrypts if it is asked to, and says so; without, none does.
func TestTLS(t *testing.T) {
	forEach(t, func(t *testing.T, h harness) {
		for name, s := range servers(t) {
			t.Run(name, func(t *testing.T) {
				got := h.speak(t, trialOf(h.Name, h.Drivers, `{"operation": "SelectOne"}`, s, contract.TLSRequired))
				got.check(t, h.refused(t, s, contract.TLSRequired))
			})
		}
	})
}

// A driver that says that it pipelines does not wait for one answer before it sends the next: through a
// relay that makes every round trip 20 ms longer, 25 rows take less than half of what they take one by one, which is at
// least 25 round trips.
func TestPipelined(t *testing.T) {
	const delay = 20 * time.Millisecond
	forEach(t, func(t *testing.T, h harness) {
		for name, s := range servers(t) {
			t.Run(name, func(t *testing.T) {
				tr := trialOf(h.Name, h.Drivers, `{"operation": "Update", "schemes": ["Pipelined", "Prepared"], "rows": [25]}`, relay(t, s, delay), contract.TLSDisabled)
				pipelined, oneByOne := map[string]time.Duration{}, map[string]time.Duration{}
				for _, m := range h.speak(t, tr).report.Measurements {
					if m.Name != contract.NameLatencyAvg {
						continue
					}
					to := oneByOne
					if m.Labels[contract.LabelScheme] == "Pipelined" {
						to = pipelined
					}
					to[m.Labels[contract.LabelDriver]] = time.Duration(*m.Value * float64(time.Millisecond))
				}
				for driver, got := range pipelined {
					t.Logf("%s: 25 rows took %s, and %s one by one", driver, got, oneByOne[driver])
					if got > max(oneByOne[driver], 25*delay)/2 {
						t.Errorf("%s does not pipeline", driver)
					}
				}
			})
		}
	})
}

// After an answer that is not ok, and after its connection was killed, a harness goes on.
func TestAHarnessGoesOn(t *testing.T) {
	forEach(t, func(t *testing.T, h harness) {
		for name, s := range servers(t) {
			refused := h.refused(t, s, contract.TLSDisabled)
			for _, driver := range h.Drivers {
				if refused[driver] == "" {
					t.Run(name+"/"+driver, func(t *testing.T) { goesOn(t, h, driver, s) })
				}
			}
		}
	})
}

func goesOn(t *testing.T, h harness, driver string, s server) {
	const hello = `{"id":1,"do":"hello","protocol":"assay.dev/driver/v2"}`
	prepare := func(port int32) string {
		return fmt.Sprintf(`{"id":2,"do":"prepare","connection":"c","driver":%q,"version":"","host":%q,"port":%d,"database":"assay","tls":false,"options":{}}`, driver, s.host, port)
	}
	run := func(kind, statement string) string {
		return fmt.Sprintf(`{"id":3,"do":"run","connection":"c","kind":%q,"scheme":"SingleRow","session":"Dedicated","commit":false,"inline":false,"statement":%q,`+
			`"head":"","group":"","separator":"","tail":"","data":"","rowsPerOperation":1,"chunk":1,"concurrency":1,"operations":1,"seconds":0}`, kind, statement)
	}
	p := h.start(t, nil)
	expect := func(request, state string) {
		t.Helper()
		a := p.ask(t, request)
		if a.State != state || (state != "ok") != (a.Reason != "") {
			t.Errorf("%s\nwas answered by %+v, want the state %s", request, a, state)
		}
	}
	expect(hello, "ok")
	expect(prepare(1), "failed")
	a := p.ask(t, prepare(s.port))
	if strings.Contains(strings.ToLower(a.Reason), "auth") {
		t.Skipf("it cannot log in: %s", a.Reason)
	}
	if a.State != "ok" {
		t.Fatalf("%+v", a)
	}
	expect(run("Query", "SELECT 1"), "ok")
	expect(run("Query", "SELECT nothing FROM nowhere"), "failed")
	expect(run("Query", "SELECT 1"), "ok")
	kill(t, s)
	p.ask(t, run("Query", "SELECT 1")) // notices it, or has noticed it and connects anew
	expect(run("Query", "SELECT 1"), "ok")
	expect(run("Execute", "DO 1"), "ok")
	expect(`{"id":4,"do":"close","connection":"c"}`, "ok")
	expect(prepare(s.port), "ok")
	p.end(t) // with a connection open
}

// trialOf some drivers and benchmarks; without a server, of one that is never asked.
func trialOf(language string, names []string, benchmarks string, s server, tls contract.TLSMode) contract.Trial {
	var entries []string
	for _, name := range names {
		entries = append(entries, fmt.Sprintf(`{"language": %q, "name": %q}`, language, name))
	}
	workload := fmt.Sprintf(`{"drivers": [%s], "benchmarks": [%s]}`,
		strings.Join(entries, ", "), benchmarks)
	return contract.Trial{
		Version: contract.TrialVersion, Runner: drivers.Name, Workload: json.RawMessage(workload), Clients: 1, DurationSeconds: 60,
		Ref: contract.TrialRef{Phase: "Run", Block: new(0)}, Seed: 42,
		Measurement: &contract.Measuring{WarmupSeconds: 0.02, DurationSeconds: 0.05, WarmupRounds: 1, Rounds: 1},
		Endpoint:    contract.Endpoint{Host: cmp.Or(s.host, "127.0.0.1"), Port: max(s.port, 1), Database: "assay", TLS: tls},
	}
}

// heard is what came of a conversation.
type heard struct {
	exchanges []runner.Exchange
	report    runner.Report
}

// speak has the conversation of a trial with a harness.
func (h harness) speak(t *testing.T, trial contract.Trial) heard {
	t.Helper()
	credentials := runner.Credentials{Username: user, Password: user}
	if trial.Endpoint.TLS == contract.TLSRequired {
		credentials.CA = authority(t)
	}
	tool := drivers.Runner()
	command, err := tool.Command(trial, contract.PhaseRun, credentials)
	if err != nil {
		t.Fatal(err)
	}
	p := h.start(t, command.Env)
	var transcript bytes.Buffer
	d := dialogue.New(command.Dialogue, bench(t, trial.Endpoint), dialogue.Streams{Ask: p.in, Answers: p.out, Transcript: &transcript})
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	if err := d.Run(ctx); err != nil {
		t.Fatalf("%v\n%s", err, &p.complaints)
	}
	p.end(t)
	return heard{d.Exchanges(), tool.Parse(trial, contract.PhaseRun, runner.Output{Exchanges: d.Exchanges()})}
}

// bench is a connection to the server; without one, something that says nothing.
func bench(t *testing.T, e contract.Endpoint) dialogue.Workbench {
	t.Helper()
	if e.Port == 1 {
		return silent{}
	}
	e.TLS = contract.TLSDisabled
	s, err := database.Open(e, runner.Credentials{Username: user, Password: user})
	if err != nil {
		t.Fatal(err)
	}
	w, err := s.Workbench(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

// silent is in place of a server that nothing is asked of.
type silent struct{}

func (silent) Exec(context.Context, string) error             { return nil }
func (silent) Row(context.Context, string) ([]*string, error) { return []*string{nil, nil}, nil }
func (silent) Counters(context.Context, []string) (map[string]int64, error) {
	return map[string]int64{}, nil
}
func (silent) Close() error { return nil }

// refused are the drivers that cannot work with the server, with a word of the reason.
func (h harness) refused(t *testing.T, s server, tls contract.TLSMode) map[string]string {
	t.Helper()
	row, err := bench(t, trialOf(h.Name, h.Drivers, "", s, contract.TLSDisabled).Endpoint).Row(t.Context(), "SELECT VERSION()")
	if err != nil || len(row) != 1 || row[0] == nil {
		t.Fatalf("the version of %s: %v, %v", s.address(), row, err)
	}
	out := map[string]string{}
	for _, driver := range h.Drivers {
		if word := harnesses.Refusal(driver, *row[0], tls); word != "" {
			out[driver] = word
		}
	}
	return out
}

// check holds every answer against the schema, and every measurement against what the harness says
// that it can do; refused drivers have to say a word of theirs. It returns how many combinations were measured.
func (h heard) check(t *testing.T, refused map[string]string) (measured int) {
	t.Helper()
	if h.report.Failure != nil {
		t.Fatalf("%+v", h.report.Failure)
	}
	can := h.capabilities(t)
	unsupported := map[string]bool{}
	for _, m := range h.report.Measurements {
		if m.Name != contract.NameThroughput {
			continue
		}
		able := names(can[m.Labels[contract.LabelDriver]], m)
		word := refused[m.Labels[contract.LabelDriver]]
		switch {
		case word != "" && (m.Absent == nil || m.Absent.State != contract.Unsupported || able && !strings.Contains(m.Absent.Reason, word)):
			t.Errorf("%v has to be refused with %q in the reason, and is %+v", m.Labels, word, m.Absent)
		case word != "":
			unsupported[m.Labels[contract.LabelDriver]+": "+m.Absent.Reason] = true
		case m.Value != nil:
			measured++
		case harnesses.IsKnown(m):
			t.Logf("%v: %s", m.Labels, m.Absent.Reason)
		case m.Absent.State == contract.NotMeasured:
			t.Errorf("%v: %s", m.Labels, m.Absent.Reason)
		case able && m.Labels[contract.LabelSession] == "" && !dependsOn(m):
			t.Errorf("%v is among what the driver says that it can do, and it answers: %s", m.Labels, m.Absent.Reason)
		default:
			unsupported[m.Labels[contract.LabelDriver]+": "+m.Absent.Reason] = true
		}
	}
	for _, line := range slices.Sorted(maps.Keys(unsupported)) {
		t.Logf("unsupported: %s", line)
	}
	return measured
}

// names says whether the harness says that a driver can do what was measured.
func names(can map[string]string, m contract.Measurement) bool {
	_, scheme := can[m.Labels[contract.LabelScheme]]
	_, several := can["Concurrency"]
	return scheme && (several || m.Labels[contract.LabelConcurrency] == "")
}

// capabilities that the harness names, while all its answers are held against the schema.
func (h heard) capabilities(t *testing.T) map[string]map[string]string {
	t.Helper()
	schema := answers(t)
	can := map[string]map[string]string{}
	for _, x := range h.exchanges {
		if x.Answer == nil {
			continue
		}
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(x.Answer))
		if err == nil {
			err = schema.Validate(document)
		}
		if err != nil {
			t.Errorf("%.300s: %v", x.Answer, err)
		}
		var hello struct {
			Drivers []struct {
				Name string
				Can  map[string]string
			}
		}
		if json.Unmarshal(x.Answer, &hello) == nil {
			for _, d := range hello.Drivers {
				can[d.Name] = d.Can
			}
		}
	}
	if len(can) == 0 {
		t.Fatal("the harness names no driver")
	}
	return can
}

// answers are what the protocol's schema has for them.
func answers(t *testing.T) *jsonschema.Schema {
	t.Helper()
	const name = "driver-protocol.json"
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(contracts.DriverProtocol))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(name, document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile(name + "#/$defs/answer")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// dependsOn: what a driver can do depends on more than the scheme. It may not know how to log in to
// the server; the server may lack the command; and not every driver that sends statements without
// waiting can fetch rows in this way.
func dependsOn(m contract.Measurement) bool {
	reason := strings.ToLower(m.Absent.Reason)
	reads := strings.HasPrefix(m.Labels[contract.LabelOperation], "Select")
	return strings.Contains(reason, "auth") || strings.Contains(reason, "server doesn't support") ||
		reads && m.Labels[contract.LabelScheme] == "Pipelined"
}

func authority(t *testing.T) []byte {
	t.Helper()
	pem, err := os.ReadFile(authorityFile(t))
	if err != nil {
		t.Fatal(err)
	}
	return pem
}
