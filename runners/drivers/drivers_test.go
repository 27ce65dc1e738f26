package drivers

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/ground/contract"
)

const spec = `{
	"drivers": [
		{"language": "Node", "name": "mysql2"},
		{"language": "Node", "name": "mariadb", "version": "3.5.4", "as": "mariadb old", "options": {"bulk": "false"}},
		{"language": "Go", "name": "go-sql-driver"}
	],
	"benchmarks": [
		{"operation": "Insert", "schemes": ["SingleRow", "MultiRow"], "transactions": ["Autocommit", "One"], "rows": [10]},
		{"operation": "Update", "rows": [10]},
		{"operation": "Delete", "schemes": ["InList"], "rows": [10]},
		{"operation": "SelectByKey", "rows": [10], "measure": "Time"},
		{"operation": "SelectRows", "rows": [20]},
		{"operation": "InsertText", "storageEngine": "BLACKHOLE"},
		{"operation": "SelectCollations"},
		{"operation": "Connect"}
	],
	"language": "Node", "baseline": {"driver": "mysql2"}
}`

func trial(workload string) contract.Trial {
	return contract.Trial{
		Version: contract.TrialVersion, Runner: Name, Workload: json.RawMessage(workload), Clients: 1, DurationSeconds: 60, Seed: 42,
		Measurement: &contract.Measuring{WarmupSeconds: 0.5, DurationSeconds: 2, WarmupRounds: 1, Rounds: 2},
		Ref:         contract.TrialRef{Phase: "Run", Block: new(3)},
		Endpoint:    contract.Endpoint{Host: "db", Port: 3306, Database: "assay", TLS: contract.TLSDisabled, StorageEngine: "InnoDB"},
	}
}

// answered is a conversation in which harness and server do everything right; change makes
// something of an answer to the run of a cell wrong.
func answered(t *testing.T, trial contract.Trial, change func(c cell, a *answer, x *runner.Exchange)) runner.Output {
	t.Helper()
	p, err := decode(trial.Workload)
	if err != nil {
		t.Fatal(err)
	}
	c := converse(p, trial)
	out := make([]runner.Exchange, len(c.turns))
	for i, turn := range c.turns {
		a := answer{ID: i + 1, State: stateOK}
		out[i] = runner.Exchange{Turn: i, Request: turn.Request}
		if turn.Unsupported != nil {
			if why := turn.Unsupported(out[:i]); why != "" {
				t.Fatalf("turn %d: %s", i, why)
			}
		}
		switch i {
		case c.hello:
			a.Protocol, a.Language, a.Runtime = Protocol, "Node.js", "v20"
			a.Drivers = able("mysql2", "mariadb")
		case c.prepared["mysql2"], c.prepared["mariadb old"]:
			a.Version = "9"
		}
		if at := slices.IndexFunc(c.runs, func(r run) bool { return r.turn == i }); at >= 0 {
			cell := c.runs[at].cell
			right(c.seed, cell, &a, &out[i])
			if change != nil {
				change(cell, &a, &out[i])
			}
		} else if turn.Questions != nil {
			engine := "InnoDB"
			if strings.Contains(turn.Questions[0], "blackhole") {
				engine = "BLACKHOLE"
			}
			out[i].Rows = [][]*string{{&engine}}
		}
		if turn.Request != nil && out[i].Answer == nil && out[i].Error == "" {
			out[i].Answer, _ = json.Marshal(a)
		}
	}
	return runner.Output{Exchanges: out}
}

// right fills in what a driver that works answers, and what the server then says.
func right(seed int64, c cell, a *answer, x *runner.Exchange) {
	a.Operations, a.Nanoseconds = int64(c.concurrency), 2e6
	if c.measure == measureTime {
		a.Operations, a.Nanoseconds = 1000, 2e9/int64(c.concurrency)
	}
	a.Histogram = [][2]int64{{indexOf(1999872), a.Operations}}
	a.CPUNanoseconds = new(a.Nanoseconds / 4)
	x.Counters = map[string]int64{"questions": a.Operations * int64(c.rows), "bytes_received": 100, "connections": 0}
	switch {
	case c.operation.name == "SelectCollations":
		a.Rows = a.Operations * 322
		x.Rows = [][]*string{{new("322")}}
	case c.operation.kind == kindQuery:
		text := ""
		for _, row := range c.operation.fetched(seed, c.lastOperation(a.Operations), c.rows) {
			a.Rows += a.Operations
			text += plain(row[0]) + "\t" + plain(row[1]) + "\t" + plain(row[2]) + "\t" + plain(row[3]) + "\n"
		}
		a.Checksum = crc32.ChecksumIEEE([]byte(text))
	case c.operation.writes != "":
		rows, sum := c.tableAfter(seed, a.Operations)
		x.Rows = [][]*string{{new(strconv.FormatInt(rows, 10)), new(strconv.FormatInt(sum, 10))}}
	}
}

func named(operation, scheme string) func(cell) bool {
	return func(c cell) bool {
		return c.driver.Name == "mysql2" && c.operation.name == operation && (scheme == "" || c.scheme == scheme)
	}
}

func TestEverythingIsMeasured(t *testing.T) {
	got := parse(trial(spec), contract.PhaseRun, answered(t, trial(spec), nil))
	if got.Failure != nil || len(got.Problems) > 0 {
		t.Fatalf("failure %+v, problems %v", got.Failure, got.Problems)
	}
	if want := "Node.js v20; mysql2 9; mariadb 9"; got.ToolVersion != want {
		t.Errorf("version = %q, want %q", got.ToolVersion, want)
	}
	for _, m := range got.Measurements {
		if m.Value == nil {
			t.Errorf("%s %v has no value: %+v", m.Name, m.Labels, m.Absent)
		}
	}
	insert := map[string]string{"driver": "mysql2", "operation": "Insert", "scheme": "SingleRow", "transaction": "Autocommit", "rows": "10"}
	for name, want := range map[string]float64{
		contract.NameThroughput: 500, contract.NameRowRate: 5000, contract.NameSpeedUp: 1, NameStatements: 10, contract.NameLatencyAvg: 2.0003835,
	} {
		m, ok := contract.Find(got.Measurements, name, insert)
		if !ok || *m.Value < want*0.999 || *m.Value > want*1.001 {
			t.Errorf("%s = %+v, want %v", name, m, want)
		}
		// Two rounds count, the warm-up does not.
		if m.N != nil && *m.N != 2 {
			t.Errorf("%s has n = %d, want 2", name, *m.N)
		}
	}
	if m, ok := contract.Find(got.Measurements, contract.NameLatencyPercentile, map[string]string{"operation": "Insert"}); ok {
		t.Errorf("a percentile of two operations: %+v", m)
	}
	if _, ok := contract.Find(got.Measurements, contract.NameLatencyPercentile, map[string]string{"operation": "SelectByKey", "p": "99"}); !ok {
		t.Error("no 99th percentile of 1000 operations")
	}
}

func TestWhatIsNotAsItHasToBeHasNoNumber(t *testing.T) {
	unlike := func(text string) *string { return &text }
	tests := map[string]struct {
		of     func(cell) bool
		change func(a *answer, x *runner.Exchange)
		state  contract.AbsenceState
		reason string
	}{
		"a driver that cannot do it":               {named("Insert", "MultiRow"), func(a *answer, _ *runner.Exchange) { a.State, a.Reason = "unsupported", "no such call" }, contract.Unsupported, "no such call"},
		"a driver that failed":                     {named("Update", ""), func(a *answer, _ *runner.Exchange) { a.State, a.Reason = "failed", "1205 lock wait" }, contract.NotMeasured, "1205 lock wait"},
		"fewer rows fetched":                       {named("SelectRows", ""), func(a *answer, _ *runner.Exchange) { a.Rows -= 1000 * 6 }, contract.NotMeasured, "instead of 20000"},
		"other rows fetched":                       {named("SelectByKey", ""), func(a *answer, _ *runner.Exchange) { a.Checksum++ }, contract.NotMeasured, "checksum"},
		"fewer collations than the server has":     {named("SelectCollations", ""), func(a *answer, _ *runner.Exchange) { a.Rows-- }, contract.NotMeasured, "each had to fetch 322"},
		"fewer rows in the table":                  {named("Insert", "SingleRow"), func(_ *answer, x *runner.Exchange) { x.Rows[0][0] = unlike("9") }, contract.NotMeasured, "9 rows instead of 10"},
		"other values in the table":                {named("Update", ""), func(_ *answer, x *runner.Exchange) { x.Rows[0][1] = unlike("7") }, contract.NotMeasured, "other values"},
		"rows left by a delete":                    {named("Delete", ""), func(_ *answer, x *runner.Exchange) { x.Rows[0][0] = unlike("1") }, contract.NotMeasured, "1 rows instead of 0"},
		"statements that never reached the server": {named("SelectRows", ""), func(_ *answer, x *runner.Exchange) { x.Counters["questions"] = 3 }, contract.NotMeasured, "the server saw 3 statements"},
		"operations that are not in the histogram": {named("Update", ""), func(a *answer, _ *runner.Exchange) { a.Histogram = [][2]int64{{1, 3}} }, contract.NotMeasured, "the histogram has 3"},
		"more operations than asked for":           {named("Update", ""), func(a *answer, _ *runner.Exchange) { a.Operations = 2 }, contract.NotMeasured, "2 were done"},
		"no operation":                             {named("SelectRows", ""), func(a *answer, _ *runner.Exchange) { a.Operations = 0 }, contract.NotMeasured, "no measurement"},
		"a CPU time of nothing":                    {named("Update", ""), func(a *answer, _ *runner.Exchange) { a.CPUNanoseconds = new(int64(0)) }, contract.NotMeasured, "an unknown one has to be absent"},
		"a CPU time that runs backwards":           {named("SelectRows", ""), func(a *answer, _ *runner.Exchange) { a.CPUNanoseconds = new(int64(-5)) }, contract.NotMeasured, "a CPU time of -5 ns"},
		"a CPU time of more CPUs than there are":   {named("SelectRows", ""), func(a *answer, _ *runner.Exchange) { a.CPUNanoseconds = new(int64(2e13)) }, contract.NotMeasured, "more than 8192 CPUs have"},
		"bytes allocated that are taken back":      {named("Update", ""), func(a *answer, _ *runner.Exchange) { a.Collection = &collection{Allocated: new(int64(-1))} }, contract.NotMeasured, "-1 bytes allocated"},
		"another request's answer":                 {named("Update", ""), func(a *answer, _ *runner.Exchange) { a.ID = 1 }, contract.NotMeasured, "the id 1"},
		"no answer":                                {named("Update", ""), func(_ *answer, x *runner.Exchange) { x.Answer = json.RawMessage(`"Segmentation fault"`) }, contract.NotMeasured, "not the protocol"},
		"a server that fails before it":            {named("Update", ""), func(_ *answer, x *runner.Exchange) { x.Error = "1146 no such table" }, contract.NotMeasured, "1146"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			out := answered(t, trial(spec), func(c cell, a *answer, x *runner.Exchange) {
				if test.of(c) {
					test.change(a, x)
				}
			})
			got := parse(trial(spec), contract.PhaseRun, out)
			if got.Failure != nil {
				t.Fatalf("one wrong cell fails the whole trial: %+v", got.Failure)
			}
			absent := 0
			p, _ := decode([]byte(spec))
			for _, c := range p.cells() {
				m, ok := contract.Find(got.Measurements, contract.NameThroughput, c.labels())
				switch {
				case !ok:
					t.Errorf("%s has no throughput, not even an absent one", c.name())
				case !test.of(c) && m.Absent != nil:
					t.Errorf("%s: %+v", c.name(), m.Absent)
				case test.of(c):
					absent++
					if m.Value != nil || m.Absent == nil || m.Absent.State != test.state || !strings.Contains(m.Absent.Reason, test.reason) {
						t.Errorf("%s: value %v, absent %+v, want %s with %q", c.name(), m.Value, m.Absent, test.state, test.reason)
					}
				}
			}
			if absent == 0 {
				t.Error("the test changed nothing")
			}
		})
	}
}

func TestABaselineThatIsMissingLeavesNoSpeedUp(t *testing.T) {
	out := answered(t, trial(spec), func(c cell, a *answer, _ *runner.Exchange) {
		if named("SelectRows", "")(c) {
			a.State, a.Reason = stateUnsupported, "no"
		}
	})
	got := parse(trial(spec), contract.PhaseRun, out)
	if m, ok := contract.Find(got.Measurements, contract.NameSpeedUp, map[string]string{"operation": "SelectRows"}); ok {
		t.Errorf("speed-up without its baseline: %+v", m)
	}
	if _, ok := contract.Find(got.Measurements, contract.NameSpeedUp, map[string]string{"operation": "SelectByKey", "driver": "mariadb old"}); !ok {
		t.Error("no speed-up where the baseline was measured")
	}
}

func TestATableOfAnotherEngineIsNotMeasured(t *testing.T) {
	out := answered(t, trial(spec), nil)
	for i, x := range out.Exchanges {
		if len(x.Rows) == 1 && len(x.Rows[0]) == 1 && *x.Rows[0][0] == "BLACKHOLE" {
			out.Exchanges[i].Rows[0][0] = new("InnoDB")
		}
	}
	got := parse(trial(spec), contract.PhaseRun, out)
	m, _ := contract.Find(got.Measurements, contract.NameThroughput, map[string]string{"operation": "InsertText"})
	if m.Absent == nil || !strings.Contains(m.Absent.Reason, "InnoDB instead of BLACKHOLE") {
		t.Errorf("%+v", m)
	}
}

func TestTLSIsThatOfTheTrial(t *testing.T) {
	for mode, cipher := range map[contract.TLSMode]string{contract.TLSRequired: "", contract.TLSDisabled: "TLS_AES_256_GCM_SHA384"} {
		tr := trial(spec)
		tr.Endpoint.TLS = mode
		out := answered(t, tr, nil)
		for i, x := range out.Exchanges {
			var a answer
			if json.Unmarshal(x.Answer, &a) == nil && a.Version != "" {
				a.Cipher = cipher
				out.Exchanges[i].Answer, _ = json.Marshal(a)
			}
		}
		if got := parse(tr, contract.PhaseRun, out); got.Failure == nil || !strings.Contains(got.Failure.Message, "TLS is") {
			t.Errorf("%s with the cipher %q: %+v", mode, cipher, got.Failure)
		}
	}
}

func TestAConversationThatEndsEarly(t *testing.T) {
	out := answered(t, trial(spec), nil)
	whole := len(out.Exchanges)
	for _, n := range []int{0, 1, 3, whole / 2, whole - 5} {
		out.Exchanges = out.Exchanges[:n]
		got := parse(trial(spec), contract.PhaseRun, out)
		if n <= 3 && got.Failure == nil {
			t.Errorf("%d of %d turns are enough for a result", n, whole)
		}
		out = answered(t, trial(spec), nil)
	}
}

func TestEachBlockHasAnOrderOfItsOwn(t *testing.T) {
	p, err := decode([]byte(spec))
	if err != nil {
		t.Fatal(err)
	}
	order := func(seed int64, block int) []string {
		var names []string
		for _, c := range p.inOrder(seed, block) {
			names = append(names, c.name())
		}
		return names
	}
	if diff := cmp.Diff(order(7, 1), order(7, 1)); diff != "" {
		t.Errorf("the same block has two orders: %s", diff)
	}
	if slices.Equal(order(7, 1), order(7, 2)) || slices.Equal(order(7, 0), order(8, 0)) {
		t.Error("two pairs of blocks, or two runs, have one order")
	}
	for pair := 0; pair < 10; pair += 2 {
		there, back := order(7, pair), order(7, pair+1)
		slices.Reverse(back)
		if diff := cmp.Diff(there, back); diff != "" {
			t.Errorf("block %d does not have the opposite order of block %d: %s", pair+1, pair, diff)
		}
	}
	same := slices.Sorted(slices.Values(order(7, 1)))
	if diff := cmp.Diff(same, slices.Sorted(slices.Values(order(7, 2)))); diff != "" {
		t.Errorf("two blocks have other cells: %s", diff)
	}
}

func TestRefusals(t *testing.T) {
	tests := map[string]struct{ old, new, want string }{
		"a scheme that makes no sense":            {`"operation": "Update"`, `"operation": "Update", "schemes": ["MultiRow"]`, "Update has no scheme MultiRow"},
		"transactions of an operation that reads": {`"operation": "SelectRows"`, `"operation": "SelectRows", "transactions": ["One"]`, "writes nothing"},
		"rows where there are none":               {`"operation": "SelectCollations"`, `"operation": "SelectCollations", "rows": [5]`, "has no rows"},
		"deletes for a time":                      {`"operation": "Delete"`, `"operation": "Delete", "measure": "Time"`, "only be measured by Rounds"},
		"updates for a time":                      {`"operation": "Update"`, `"operation": "Update", "measure": "Time"`, "only be measured by Rounds"},
		"one name for two drivers":                {`"as": "mariadb old"`, `"as": "mysql2"`, "a second driver is called mysql2"},
		"a baseline that is not there":            {`"baseline": {"driver": "mysql2"}`, `"baseline": {"driver": "mysql"}`, "no driver is called mysql"},
		"a language without drivers":              {`"language": "Node", "baseline"`, `"language": "Rust", "baseline"`, "no entry of drivers"},
		"nothing at all at once":                  {`{"operation": "Connect"}`, `{"operation": "Encode", "concurrency": [1, 2]}`, "benchmarks[7].concurrency: Encode has no connection"},
		"a round that the client cannot hold":     {`{"operation": "Connect"}`, `{"operation": "Insert", "rows": [1, 10000], "concurrency": [8, 11]}`, "benchmarks[7].concurrency: a round of 11 operations with 10000 rows each has 110000 rows"},
		"one benchmark twice":                     {`{"operation": "Connect"}`, `{"operation": "Connect"}, {"operation": "Connect"}`, "is there twice"},
		"a field that is not there":               {`"baseline"`, `"seed": 42, "baseline"`, "unknown field"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := decode([]byte(strings.Replace(spec, test.old, test.new, 1)))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error = %v, want one with %q", err, test.want)
			}
		})
	}
}

func TestLanguagesMakeAnAxis(t *testing.T) {
	every := strings.Replace(spec, `"language": "Node", "baseline"`, `"baseline"`, 1)
	varied, err := axis([]byte(every))
	if err != nil || varied.Field != "language" || !slices.Equal(varied.Values, []string{"Node", "Go"}) {
		t.Errorf("axis = %+v, %v", varied, err)
	}
	if varied, _ = axis([]byte(spec)); varied.Values != nil {
		t.Errorf("one language was chosen, and still %v vary", varied.Values)
	}
	if got, err := pods([]byte(spec)); err != nil || got.Variant != "node" {
		t.Errorf("pods = %+v, %v", got, err)
	}
	if _, err := command(trial(every), contract.PhaseRun, runner.Credentials{}); err == nil {
		t.Error("a trial of two languages has a command")
	}
}

// What has changed here changes every stored transcript's meaning, and is another experiment.
func TestTheDataFollowsFromTheSeed(t *testing.T) {
	got := fmt.Sprint(newUsers(42, 2), newAges(42, 2), keys(42, 2), numbers(42, 2))
	if again := fmt.Sprint(newUsers(42, 2), newAges(42, 2), keys(42, 2), numbers(42, 2)); got != again {
		t.Errorf("%s\nis not\n%s", got, again)
	}
	if other := fmt.Sprint(newUsers(43, 2), newAges(43, 2), keys(43, 2), numbers(43, 2)); got == other {
		t.Error("another seed gives the same data")
	}
	if long := newUsers(42, 5)[:2]; fmt.Sprint(long) != fmt.Sprint(newUsers(42, 2)) {
		t.Error("more rows are other rows")
	}
	for _, row := range textRows(2)(42, 3) {
		for _, v := range row {
			if n := len([]rune(v.(string))); n != 100 {
				t.Errorf("a text has %d characters", n)
			}
		}
	}
}

func TestSecretsAreNotSaid(t *testing.T) {
	c, err := command(trial(spec), contract.PhaseRun, runner.Credentials{Username: "somebody", Password: "open sesame", CA: []byte("pem")})
	if err != nil {
		t.Fatal(err)
	}
	for _, turn := range c.Dialogue {
		if strings.Contains(string(turn.Request), "sesame") {
			t.Errorf("%s", turn.Request)
		}
	}
	if c.Env["ASSAY_PASSWORD"] != "open sesame" || c.Env["ASSAY_CA"] != "ca.pem" || string(c.Files["ca.pem"]) != "pem" {
		t.Errorf("%+v", c.Env)
	}
}
