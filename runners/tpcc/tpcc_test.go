package tpcc

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/validity"
	"github.com/assay-bench/assay/runners/runner"
	"github.com/assay-bench/assay/test/helpers/outputs"
)

var tool = outputs.Tool{Name: Name, Seconds: 10, Command: command, Parse: parse}

// fixtures are outputs of go-tpc 1.0.12 (testdata/README.md), and what is made of them.
var fixtures = map[string]outputs.Fixture{
	"prepare-maria1011":         {Phase: contract.PhasePrepare, Workload: `{"threads":2}`},
	"prepare-mysql97":           {Phase: contract.PhasePrepare, Workload: `{"threads":2,"warehouses":2}`},
	"run-maria1011":             {Phase: contract.PhaseRun, Workload: `{"threads":4}`},
	"run-mysql97":               {Phase: contract.PhaseRun, Workload: `{"threads":4,"warehouses":2}`},
	"run-mysql97-conflicts":     {Phase: contract.PhaseRun, Workload: `{"threads":8}`},
	"prepare-queries-mysql97":   {Phase: contract.PhasePrepare, Workload: `{"threads":2,"analyticalQueries":["q1"]}`},
	"run-queries-maria1011":     {Phase: contract.PhaseRun, Workload: `{"threads":2,"analyticalQueries":["q1","q6","q15"],"analyticalThreads":2}`},
	"cleanup-queries-maria1011": {Phase: contract.PhaseCleanup, Workload: `{"analyticalQueries":["q1"],"analyticalThreads":0}`},
	"fail-query-mysql97":        {Phase: contract.PhaseRun, Workload: `{"threads":2,"analyticalQueries":["q1","q2"]}`, Want: contract.ReasonSchemaMissing, Message: "analytical query q2: go-tpc: Error 1146"},
	"fail-view-denied":          {Phase: contract.PhasePrepare, Workload: `{"threads":2,"analyticalQueries":["q1"]}`, Exit: 2, Want: contract.ReasonCredentialsRejected, Message: "CREATE VIEW command denied"},
	"run-no-query-ended":        {Phase: contract.PhaseRun, Workload: `{"threads":2,"analyticalQueries":["q15"]}`},
	"check-maria1011":           {Phase: contract.PhaseCheck, Workload: `{"threads":4}`},
	"check-mysql97-broken":      {Phase: contract.PhaseCheck, Workload: `{"threads":2,"warehouses":2,"checkWarehouses":2}`},
	"cleanup-mysql97":           {Phase: contract.PhaseCleanup, Workload: `{"warehouses":2}`},
	"run-stopped-maria118":      {Phase: contract.PhaseRun, Workload: `{"threads":4,"ignoreErrors":false}`, Want: contract.ReasonToolFailed, Message: "1 of 4 terminals stopped"},
	"fail-mysql97-stopped":      {Phase: contract.PhaseRun, Workload: `{"threads":8,"ignoreErrors":false}`, Want: contract.ReasonToolFailed, Message: "5 of 8 terminals stopped"},
	"fail-wrong-password":       {Phase: contract.PhaseRun, Workload: `{"threads":2}`, Exit: 2, Want: contract.ReasonCredentialsRejected, Message: "Access denied"},
	"fail-refused":              {Phase: contract.PhaseRun, Workload: `{"threads":2}`, Exit: 2, Want: contract.ReasonTargetUnreachable, Message: "connection refused"},
	"fail-table-missing":        {Phase: contract.PhaseRun, Workload: `{"threads":2}`, Want: contract.ReasonSchemaMissing, Message: "nowhere.customer"},
	"fail-check-table-missing":  {Phase: contract.PhaseCheck, Workload: `{"threads":2,"warehouses":2,"checkWarehouses":2}`, Want: contract.ReasonSchemaMissing, Message: "nowhere.orders"},
	"fail-load-twice":           {Phase: contract.PhasePrepare, Workload: `{"threads":2}`, Want: contract.ReasonSchemaNotEmpty, Message: "Duplicate entry '1' for key 'item.PRIMARY'"},
	"fail-killed":               {Phase: contract.PhaseRun, Workload: `{"threads":4}`, Want: contract.ReasonConnectionLost, Message: "invalid connection"},
}

func TestParse(t *testing.T) { tool.Parses(t, fixtures) }

// What matters, read by hand from the outputs.
func TestNumbers(t *testing.T) {
	tests := map[string]struct {
		fixture, name string
		labels        map[string]string
		want          float64
	}{
		"new orders per minute":               {"run-maria1011", contract.NameNewOrders, nil, 40157.6},
		"transactions of all kinds":           {"run-maria1011", contract.NameThroughput, nil, (615 + 6684 + 585 + 6408 + 592) / (6684 * 60 / 40157.8)},
		"no errors":                           {"run-maria1011", contract.NameErrorRate, nil, 0},
		"errors of payments":                  {"run-mysql97-conflicts", contract.NameErrorRate, nil, 12 / (44 * 60 / 646.1)},
		"the mean of a kind, from its sum":    {"run-maria1011", contract.NameLatencyAvg, map[string]string{"operation": "order_status"}, 492.2 / 585},
		"the mean of all":                     {"run-maria1011", contract.NameLatencyAvg, nil, (3746.6 + 22038.1 + 492.2 + 11212.7 + 780.7) / (615 + 6684 + 585 + 6408 + 592)},
		"how many there were of a kind":       {"run-maria1011", contract.NameOperationCount, map[string]string{"operation": "payment"}, 6408},
		"a percentile":                        {"run-maria1011", contract.NameLatencyPercentile, map[string]string{"operation": "new_order", "p": "95"}, 7.3},
		"the longest":                         {"run-maria1011", contract.NameLatencyMax, map[string]string{"operation": "payment"}, 92.3},
		"queries, each equally often":         {"run-queries-maria1011", contract.NameThroughput, map[string]string{"operation": "query"}, 2 * 3 / ((0.488545 + 0.413448 + 0.278772 + 0.465674 + 0.207218 + 0.136962 + 0.184961 + 0.200777 + 4.235387 + 4.840903 + 4.005223 + 4.350670) / 4)},
		"a query that was cut off twice":      {"run-queries-maria1011", contract.NameOperationCount, map[string]string{"operation": "q1"}, 4},
		"the longest of a query":              {"run-queries-maria1011", contract.NameLatencyMax, map[string]string{"operation": "q15"}, 4840.903},
		"transactions beside queries":         {"run-queries-maria1011", contract.NameNewOrders, nil, 17875.9},
		"a run in which a terminal had ended": {"run-stopped-maria118", contract.NameNewOrders, nil, 14773.1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			workload := fixtures[tt.fixture].Workload
			report := parse(tool.Trial(t, workload), contract.PhaseRun, runner.Output{Stdout: outputs.Load(t, tt.fixture+".stdout")})
			m, ok := contract.Find(report.Measurements, tt.name, tt.labels)
			if !ok || m.Value == nil {
				t.Fatalf("there is no %s %v", tt.name, tt.labels)
			}
			if diff := *m.Value - tt.want; diff > 1e-9 || diff < -1e-9 {
				t.Errorf("got %v, want %v", *m.Value, tt.want)
			}
		})
	}
}

// The headline is never shown without saying what it is not.
func TestTheHeadlineIsDerivedAndNotAudited(t *testing.T) {
	report := parse(tool.Trial(t, `{}`), contract.PhaseRun, runner.Output{Stdout: outputs.Load(t, "run-maria1011.stdout")})
	m, ok := contract.Find(report.Measurements, Runner().Headline, nil)
	if !ok || !strings.Contains(m.Unit, "derived from TPC-C, not audited") {
		t.Errorf("the unit is %q", m.Unit)
	}
}

// A latency that go-tpc counts as its floor of 1 ms is not known, and left out.
func TestLatenciesBelowAMillisecondAreLeftOut(t *testing.T) {
	report := parse(tool.Trial(t, `{}`), contract.PhaseRun, runner.Output{Stdout: outputs.Load(t, "run-maria1011.stdout")})
	if m, ok := contract.Find(report.Measurements, contract.NameLatencyPercentile, map[string]string{"operation": "order_status", "p": "50"}); ok {
		t.Errorf("a median of %v ms, of a bucket that begins at 0", *m.Value)
	}
}

// The series has an interval for each, the last from what the others lack, and adds up to the whole.
func TestSeries(t *testing.T) {
	whole := string(outputs.Load(t, "run-maria1011.stdout"))
	report := parse(tool.Trial(t, `{}`), contract.PhaseRun, runner.Output{Stdout: []byte(whole)})
	m, _ := contract.Find(report.Measurements, contract.NameNewOrders, nil)
	if len(m.Intervals) != 10 || len(report.Problems) > 0 {
		t.Fatalf("%d intervals, problems %+v, want 10 and none", len(m.Intervals), report.Problems)
	}
	n, from := 0.0, 0.0
	for _, at := range m.Intervals {
		n += *at.Value / 60 * (at.AtSeconds - from)
		from = at.AtSeconds
	}
	if n < 6683.9 || n > 6684.1 {
		t.Errorf("the intervals have %.2f new orders, the whole 6684", n)
	}
	// The last one may be printed, too, a moment before the end.
	late := strings.Index(whole, "[Summary]")
	report = parse(tool.Trial(t, `{}`), contract.PhaseRun, runner.Output{Stdout: []byte(whole[:late] + "[Current] PAYMENT - Takes(s): 1.0, Count: 7, TPM: 420.0, Sum(ms): 7.0\n" + whole[late:])})
	if again, _ := contract.Find(report.Measurements, contract.NameNewOrders, nil); len(report.Problems) > 0 || !cmp.Equal(m.Intervals, again.Intervals) {
		t.Errorf("with a last interval: %+v, problems %+v", again.Intervals, report.Problems)
	}
	// A stall of a whole interval is not printed: nobody knows then which interval is which.
	first := strings.Index(whole, "[Current]")
	second := first + strings.Index(whole[first:], "[Current] STOCK_LEVEL")
	second += strings.Index(whole[second:], "\n") + 1
	report = parse(tool.Trial(t, `{}`), contract.PhaseRun, runner.Output{Stdout: []byte(whole[:first] + whole[second:])})
	if m, _ = contract.Find(report.Measurements, contract.NameNewOrders, nil); len(m.Intervals) > 0 || len(report.Problems) != 1 {
		t.Errorf("%d intervals, problems %+v, want none and one", len(m.Intervals), report.Problems)
	}
}

// The process goes on until the last query has ended or was ended, and the window does not.
func TestTheWindowIsThatOfTheTransactions(t *testing.T) {
	out := string(outputs.Load(t, "run-queries-maria1011.stdout"))
	trial := tool.Trial(t, fixtures["run-queries-maria1011"].Workload)
	report := parse(trial, contract.PhaseRun, runner.Output{Stdout: []byte(out)})
	ended := time.UnixMicro(1796088184552231).UTC()
	if w := report.Window; report.Failure != nil || w == nil || w.To != ended || w.To.Sub(w.From).Round(time.Millisecond) != 9992*time.Millisecond {
		t.Errorf("window %+v, failure %+v", report.Window, report.Failure)
	}
	if report := parse(tool.Trial(t, `{}`), contract.PhaseRun, runner.Output{Stdout: outputs.Load(t, "run-maria1011.stdout")}); report.Window != nil {
		t.Errorf("without queries the window is %+v", report.Window)
	}
	// The published go-tpc says neither when transactions ended nor what a query took.
	lines := slices.DeleteFunc(strings.SplitAfter(out, "\n"), func(line string) bool { return strings.HasPrefix(line, "[Result]") })
	report = parse(trial, contract.PhaseRun, runner.Output{Stdout: []byte(strings.Join(lines, ""))})
	if f := report.Failure; f == nil || f.Reason != contract.ReasonOutputTruncated {
		t.Errorf("an output of the published go-tpc: %+v", f)
	}
	// Its rates have the time in which the last query ends alone, and are not quoted.
	quoted := quote([]byte(strings.Join(lines, "")))
	if _, has := contract.Find(quoted.Measurements, contract.NameNewOrders, nil); has || len(quoted.Problems) != 1 || len(quoted.Measurements) == 0 {
		t.Errorf("quoted: %d measurements with new orders %v, problems %+v", len(quoted.Measurements), has, quoted.Problems)
	}
	if whole := quote([]byte(out)); len(whole.Problems) > 0 || whole.Measurements[0].Name != contract.NameNewOrders {
		t.Errorf("quoted of the image's go-tpc: %+v", whole.Problems)
	}
	report = parse(trial, contract.PhaseRun, runner.Output{Stdout: []byte(strings.Replace(out, "[Result] Q1 ", "[Result] Q2 ", 1))})
	if f := report.Failure; f == nil || !strings.Contains(f.Message, "it executed q2") {
		t.Errorf("a query that nobody asked for: %+v", f)
	}
}

// A query that was ended with the transactions fails nothing, and has no time. One that could not be ended went on beside what came next, whatever the
// phase.
func TestAQueryThatWasEnded(t *testing.T) {
	out := string(outputs.Load(t, "run-no-query-ended.stdout"))
	if !strings.Contains(out, ", Interrupted(s): ") {
		t.Fatalf("no query was ended:\n%s", out)
	}
	trial := tool.Trial(t, fixtures["run-no-query-ended"].Workload)
	const noTime = "analytical query q15 has no time: no execution of it ended while transactions were at work ("
	const wentOn = "queries went on behind the transactions, since they could not be ended: Error 1095: You are not owner of thread 7"
	refused := "[Result] KILL QUERY - Refused: Error 1095: You are not owner of thread 7\n" + out
	neverBegan := strings.Join(slices.DeleteFunc(strings.SplitAfter(out, "\n"), func(line string) bool { return strings.HasPrefix(line, "[Result] Q15 ") }), "")
	for name, tt := range map[string]struct {
		phase contract.Phase
		text  string
		want  []string
	}{
		"ended":                {contract.PhaseRun, out, []string{noTime + "the longest had gone on for 1.0 s then)"}},
		"never begun":          {contract.PhaseRun, neverBegan, []string{noTime + "none began)"}},
		"refused":              {contract.PhaseRun, refused, []string{wentOn, noTime}},
		"ended in a warm-up":   {contract.PhaseWarmup, out, nil},
		"refused in a warm-up": {contract.PhaseWarmup, refused, []string{wentOn}},
	} {
		report := parse(trial, tt.phase, runner.Output{Stdout: []byte(tt.text)})
		if report.Failure != nil || len(report.Problems) != len(tt.want) {
			t.Errorf("%s: failure %+v, problems %+v", name, report.Failure, report.Problems)
			continue
		}
		for i, want := range tt.want {
			if !strings.HasPrefix(report.Problems[i].Text, want) {
				t.Errorf("%s: %q, want %q", name, report.Problems[i].Text, want)
			}
		}
	}
}

// Clients that begin together warm up without queries, and nothing is missing in what that prints.
func TestAWarmupOfSeveralClientsHasNoQueries(t *testing.T) {
	out := runner.Output{Stdout: outputs.Load(t, "run-maria1011.stdout")}
	for clients, fails := range map[int]bool{1: true, 2: false} {
		trial := tool.Trial(t, `{"threads":4,"analyticalQueries":["q1"]}`)
		trial.Clients = clients
		if report := parse(trial, contract.PhaseWarmup, out); (report.Failure != nil) != fails {
			t.Errorf("%d clients: %+v", clients, report.Failure)
		}
		if report := parse(trial, contract.PhaseRun, out); report.Failure == nil {
			t.Errorf("%d clients: a window without queries is none", clients)
		}
	}
}

// Whole runs contradict neither themselves nor their trials.
func TestSoundRunsAreSound(t *testing.T) {
	for name, seconds := range map[string]int64{"run-maria1011": 10, "run-mysql97": 6, "run-queries-maria1011": 10} {
		trial := tool.Trial(t, fixtures[name].Workload)
		trial.DurationSeconds = seconds
		expected, err := Runner().Expectations(trial)
		if err != nil {
			t.Fatal(err)
		}
		report := parse(trial, contract.PhaseRun, runner.Output{Stdout: outputs.Load(t, name+".stdout")})
		res := contract.Result{
			State: contract.Succeeded, Trial: contract.TrialRef{Phase: string(contract.PhaseRun)},
			Measurements: report.Measurements, Errors: report.Errors, Problems: report.Problems,
		}
		// Nobody asked the server here what the writes changed.
		if got := validity.Check(res, expected); len(got) != 1 || got[0].Check != "no-op-writes" || got[0].Severity != validity.Note {
			t.Errorf("%s: %+v", name, got)
		}
		res.Data = &contract.Data{Check: parse(tool.Trial(t, `{"checkWarehouses":1}`), contract.PhaseCheck, runner.Output{Stdout: outputs.Load(t, "check-mysql97-broken.stdout")}).Check}
		if got := validity.Check(res, expected); len(got) != 2 || got[0].Check != "data-inconsistent" || got[0].Severity != validity.Invalid {
			t.Errorf("%s with data that is not consistent: %+v", name, got)
		}
	}
}

func TestCommand(t *testing.T) {
	const to = "--driver=mysql --host=db.bench.svc --port=3306 --user=assay --db=assay "
	plain := to + "--conn-params=tls=false&default_storage_engine=%27InnoDB%27 "
	tests := map[string]struct {
		phase    contract.Phase
		workload string
		change   func(*contract.Trial, *runner.Credentials)
		want     string
	}{
		"prepare": {contract.PhasePrepare, `{"warehouses":3,"threads":4}`, nil,
			plain + "--threads=4 tpcc prepare --warehouses=3 --no-check --retry-count=1 --retry-interval=1ms"},
		"warmup": {contract.PhaseWarmup, `{"threads":4}`, nil,
			plain + "--threads=4 --time=5s --interval=1s --ignore-error tpcc run --warehouses=1 --weight=45,43,4,4,4 --max-measure-latency=1h"},
		"run that stops at an error": {contract.PhaseRun, `{"ignoreErrors":false,"reportIntervalSeconds":2}`, nil,
			plain + "--threads=1 --time=10s --interval=2s tpcc run --warehouses=1 --weight=45,43,4,4,4 --max-measure-latency=1h"},
		"prepare for queries": {contract.PhasePrepare, `{"threads":4,"analyticalQueries":["q1"],"analyticalThreads":0}`, nil,
			plain + "--threads=4 ch prepare --warehouses=1 --no-check --retry-count=1 --retry-interval=1ms"},
		"run with queries": {contract.PhaseRun, `{"analyticalQueries":["q6","q1"],"analyticalThreads":2}`, nil,
			plain + "--threads=1 --time=10s --interval=1s --ignore-error --acThreads=2 ch run --warehouses=1 --weight=45,43,4,4,4 --max-measure-latency=1h --queries=q6,q1"},
		"warmup of several clients": {contract.PhaseWarmup, `{"analyticalQueries":["q6"]}`, func(t *contract.Trial, _ *runner.Credentials) { t.Clients = 2 },
			plain + "--threads=1 --time=5s --interval=1s --ignore-error tpcc run --warehouses=1 --weight=45,43,4,4,4 --max-measure-latency=1h"},
		"warmup with queries": {contract.PhaseWarmup, `{"analyticalQueries":["q6"]}`, nil,
			plain + "--threads=1 --time=5s --interval=1s --ignore-error --acThreads=1 ch run --warehouses=1 --weight=45,43,4,4,4 --max-measure-latency=1h --queries=q6"},
		"run beside none": {contract.PhaseRun, `{"analyticalQueries":["q6"],"analyticalThreads":0}`, nil,
			plain + "--threads=1 --time=10s --interval=1s --ignore-error tpcc run --warehouses=1 --weight=45,43,4,4,4 --max-measure-latency=1h"},
		"check after queries":           {contract.PhaseCheck, `{"analyticalQueries":["q6"]}`, nil, plain + "--threads=1 tpcc check --warehouses=1"},
		"cleanup of their tables":       {contract.PhaseCleanup, `{"analyticalQueries":["q6"]}`, nil, plain + "--threads=1 ch cleanup --warehouses=1"},
		"check of some":                 {contract.PhaseCheck, `{"warehouses":3,"checkWarehouses":2}`, nil, plain + "--threads=1 tpcc check --warehouses=2"},
		"cleanup":                       {contract.PhaseCleanup, `{"threads":4}`, nil, plain + "--threads=1 tpcc cleanup --warehouses=1"},
		"the storage engine by default": {contract.PhaseCleanup, `{}`, func(t *contract.Trial, _ *runner.Credentials) { t.Endpoint.StorageEngine = "" }, to + "--conn-params=tls=false --threads=1 tpcc cleanup --warehouses=1"},
		"TLS to whoever answers": {contract.PhaseCleanup, `{}`, func(t *contract.Trial, _ *runner.Credentials) {
			t.Endpoint.TLS, t.Endpoint.StorageEngine = contract.TLSRequired, ""
		}, to + "--conn-params=tls=skip-verify --threads=1 tpcc cleanup --warehouses=1"},
		"TLS to a server of the CA, with a certificate": {contract.PhaseCleanup, `{}`, func(t *contract.Trial, c *runner.Credentials) {
			t.Endpoint.TLS, t.Endpoint.StorageEngine = contract.TLSRequired, ""
			c.CA, c.Cert, c.Key = []byte("CA"), []byte("C"), []byte("K")
		}, to + "--conn-params=tls=custom --ssl-ca=ca.pem --ssl-cert=client-cert.pem --ssl-key=client-key.pem --threads=1 tpcc cleanup --warehouses=1"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			trial, c := tool.Trial(t, tt.workload), outputs.Someone
			if tt.change != nil {
				tt.change(&trial, &c)
			}
			got, err := command(trial, tt.phase, c)
			if err != nil {
				t.Fatal(err)
			}
			if line := strings.Join(got.Args, " "); got.Path != "go-tpc" || line != tt.want {
				t.Errorf("%s %s\nwant %s", got.Path, line, tt.want)
			}
			if got.Env["GO_TPC_PASSWORD"] != "s3cret" || got.Seed != 0 || got.Unseeded != (tt.phase == contract.PhaseRun || tt.phase == contract.PhaseWarmup) {
				t.Errorf("environment %v, seed %d, unseeded %v", got.Env, got.Seed, got.Unseeded)
			}
			if _, limited := got.Env["GOMEMLIMIT"]; limited != (name == "prepare for queries") {
				t.Errorf("environment %v: only the load for queries takes so much memory", got.Env)
			}
			if _, has := got.Files[runner.CAFile]; has != (len(c.CA) > 0) {
				t.Errorf("files %v", got.Files)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	tool.Refuses(t, map[string]outputs.Refusal{
		"several hosts":               {Change: func(t *contract.Trial, _ *runner.Credentials) { t.Endpoint.Host = "a,b" }, Want: "endpoint.host"},
		"no port":                     {Change: func(t *contract.Trial, _ *runner.Credentials) { t.Endpoint.Port = 0 }, Want: "endpoint.port"},
		"a schema that is more":       {Change: func(t *contract.Trial, _ *runner.Credentials) { t.Endpoint.Database = "a?b" }, Want: "endpoint.database"},
		"an engine that is more":      {Change: func(t *contract.Trial, _ *runner.Credentials) { t.Endpoint.StorageEngine = "a'b" }, Want: "endpoint.storageEngine"},
		"TLS that is not decided":     {Change: func(t *contract.Trial, _ *runner.Credentials) { t.Endpoint.TLS = contract.TLSPreferred }, Want: "endpoint.tls"},
		"an account with a colon":     {Change: func(_ *contract.Trial, c *runner.Credentials) { c.Username = "a:b" }, Want: "credentials"},
		"a target behind JDBC":        {Change: func(t *contract.Trial, _ *runner.Credentials) { t.Endpoint.JDBC = &contract.JDBC{} }, Want: "JDBC"},
		"a window without a duration": {Change: func(t *contract.Trial, _ *runner.Credentials) { t.DurationSeconds = 0 }, Want: "durationSeconds"},
		"threads without queries": {Change: func(t *contract.Trial, _ *runner.Credentials) {
			t.Workload = json.RawMessage(`{"analyticalThreads":1}`)
		}, Want: "workload.tpcc.analyticalThreads"},
		"no workload": {Change: func(t *contract.Trial, _ *runner.Credentials) { t.Workload = nil }, Want: "workload.tpcc"},
	})
}

// What a workload needs: twice the threads in connections while it loads, 63 statements each
// (Prepared_stmt_count was 1008 with 16 threads), and the rows of TPC-C.
func TestWhatAWorkloadNeeds(t *testing.T) {
	trial := tool.Trial(t, `{"warehouses":3,"threads":16,"checkWarehouses":2}`)
	got, err := Runner().Connection.Demand(trial)
	if want := (contract.Demand{Connections: 32, PreparedStatements: 1008, Tables: 9}); err != nil || got != want {
		t.Errorf("demand %+v, %v, want %+v", got, err, want)
	}
	want := map[string]int64{
		"item": 100000, "warehouse": 3, "district": 30, "customer": 90000, "history": 90000, "orders": 90000, "new_order": 27000, "stock": 300000,
	}
	if got, err := Runner().Data.Rows(trial); err != nil || !cmp.Equal(want, got) {
		t.Errorf("rows %v, %v", got, err)
	}
	trial = tool.Trial(t, `{"threads":1,"analyticalQueries":["q1"],"analyticalThreads":4}`)
	got, err = Runner().Connection.Demand(trial)
	if want := (contract.Demand{Connections: 5, PreparedStatements: 63, Tables: 12}); err != nil || got != want {
		t.Errorf("demand with queries %+v, %v, want %+v", got, err, want)
	}
	if got, err := Runner().Data.Rows(trial); err != nil || len(got) != 11 || got["supplier"] != 10000 || got["nation"] != 25 || got["region"] != 5 {
		t.Errorf("rows with queries %v, %v", got, err)
	}
	for workload, want := range map[string][]string{`{}`: {"warehouses"}, `{"analyticalQueries":["q1"]}`: {"warehouses", "analyticalQueries"}} {
		if got, err := Runner().DataFields(json.RawMessage(workload)); err != nil || !cmp.Equal(want, got) {
			t.Errorf("%s: fields %v, %v, want %v", workload, got, err, want)
		}
	}
	for workload, want := range map[string]time.Duration{`{}`: 10 * time.Minute, `{"checkWarehouses":0}`: 0, `{"warehouses":3,"checkWarehouses":3}`: 30 * time.Minute} {
		if got := checkTime(tool.Trial(t, workload)); got != want {
			t.Errorf("%s: the check may take %s, want %s", workload, got, want)
		}
	}
	if _, err := Runner().Expectations(contract.Trial{}); err == nil {
		t.Error("expectations of a trial without a workload")
	}
}

// Whatever is printed, a report can be written down, and a success has a number.
func FuzzParse(f *testing.F) {
	for name := range fixtures {
		f.Add(outputs.Load(f, name+".stdout"))
	}
	f.Fuzz(func(t *testing.T, output []byte) {
		trial := tool.Trial(t, `{"threads":2}`)
		if len(output)%2 == 1 {
			trial = tool.Trial(t, `{"threads":2,"analyticalQueries":["q1","q2"]}`)
		}
		for _, phase := range []contract.Phase{contract.PhasePrepare, contract.PhaseRun, contract.PhaseCheck, contract.PhaseCleanup} {
			report := parse(trial, phase, runner.Output{Stdout: output})
			if _, err := json.Marshal(report); err != nil {
				t.Errorf("the report cannot be written down: %v", err)
			}
			if phase == contract.PhaseRun && report.Failure == nil && len(report.Measurements) == 0 {
				t.Error("neither a number nor a failure")
			}
			if phase == contract.PhaseCheck && (report.Check == nil) == (report.Failure == nil) {
				t.Error("neither a check nor a failure, or both")
			}
		}
		if _, err := json.Marshal(quote(output)); err != nil {
			t.Errorf("the quote cannot be written down: %v", err)
		}
	})
}
