package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"

	"github.com/assay-bench/assay/runners/drivers"
	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/contract"
)

// harnesses are the drivers of each language whose image can be built anywhere.
var harnesses = []struct {
	language string
	drivers  []string
}{
	{"Node", []string{"mysql", "promise-mysql", "mysql2", "mariadb"}},
	{"Python", []string{"PyMySQL", "mysqlclient", "mysql-connector-python", "mysql-connector-python-pure", "mariadb", "asyncmy", "aiomysql"}},
	{"Go", []string{"go-sql-driver", "go-mysql"}},
	{"Java", []string{"mysql-connector-j", "mariadb-java-client"}},
	{"Rust", []string{"mysql", "mysql_async", "sqlx"}},
	{"C", []string{"libmariadb"}},
	{"PHP", []string{"mysqli", "pdo_mysql"}},
	{"Ruby", []string{"mysql2"}},
}

// driversYAML is a run of drivers; each entry is a language and a driver.
func driversYAML(name, targets, entries, benchmarks, more string) string {
	return fmt.Sprintf(`
apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: %s}
spec:
  targets:
%s
  clients: {shape: {name: kind-client}}
  workload:
    drivers:
      drivers:
%s
      benchmarks:
%s
%s
  design: {blocks: 1, warmup: 0s, duration: 10m}
  deadline: 30m
`, name, targets, entries, benchmarks, more)
}

// One small cell per language: every harness starts, and every driver does what it is
// meant to.
func TestDrivers(t *testing.T) {
	ns := newNamespace(t)
	var entries strings.Builder
	for _, h := range harnesses {
		for _, name := range []string{h.drivers[len(h.drivers)-1], "null"} {
			fmt.Fprintf(&entries, "      - {language: %s, name: %q, as: %s (%s)}\n", h.language, name, name, h.language)
		}
	}
	run := apply(t, ns, driversYAML("drivers", mariadb, entries.String(),
		"      - {operation: SelectByKey, rows: [10]}\n      - {operation: Insert, schemes: [SingleRow, MultiRow], rows: [100]}\n", "      rounds: 1\n"))
	got := awaitRun(t, run, 6*time.Minute)
	complete(t, got)
	if want := len(harnesses); len(got.Status.Trials) != want {
		t.Fatalf("%d trials, want one of each of %d languages", len(got.Status.Trials), want)
	}
	for _, trial := range got.Status.Trials {
		res := storedResult(t, ns, trial.Result)
		if res.Tool.Version == "" {
			t.Errorf("trial %d does not say what ran", trial.Index)
		}
		for _, m := range res.Measurements {
			if m.Absent != nil {
				t.Errorf("trial %d (%s): %v: %s: %s", trial.Index, res.Tool.Version, m.Labels, m.Absent.State, m.Absent.Reason)
			}
		}
		for _, name := range []string{contract.NameThroughput, drivers.NameRows, contract.NameLatencyAvg} {
			if m, ok := res.Find(name, map[string]string{drivers.LabelScheme: "MultiRow"}); !ok || m.Value == nil || *m.Value <= 0 {
				t.Errorf("trial %d (%s): %s of MultiRow is %+v", trial.Index, res.Tool.Version, name, m)
			}
		}
	}
}

// Every driver of every language goes through all operations, schemes, transactions and
// sessions on both servers. Each answer has to be one of the protocol; what a driver says
// that it can do, it has to do, and what it does not name it has to refuse.
func TestDriverConformance(t *testing.T) {
	if testing.Short() {
		t.Skip("one of all stories")
	}
	for server, target := range map[string]string{"MariaDB": mariadb, "MySQL": mysql} {
		for _, h := range harnesses {
			t.Run(server+"/"+h.language, func(t *testing.T) { conforms(t, target, h.language, h.drivers) })
		}
	}
}

func conforms(t *testing.T, target, language string, names []string) {
	ns := newNamespace(t)
	var entries strings.Builder
	for _, name := range append([]string{"null"}, names...) {
		fmt.Fprintf(&entries, "      - {language: %s, name: %q}\n", language, name)
	}
	const benchmarks = `
      - {operation: Insert, schemes: [SingleRow, Prepared, ExecuteMany, Pipelined, MultiRow, MultiStatement, Batch], transactions: [Autocommit, One], rows: [3, 25], chunk: 10}
      - {operation: Update, schemes: [SingleRow, Prepared, ExecuteMany, Pipelined, MultiStatement, Batch], transactions: [Autocommit, One], rows: [25], chunk: 10}
      - {operation: Delete, schemes: [SingleRow, Prepared, ExecuteMany, Pipelined, MultiStatement, InList, Batch], transactions: [Autocommit, One], rows: [25], chunk: 10}
      - {operation: InsertTexts, schemes: [SingleRow, Prepared, MultiRow], rows: [5]}
      - {operation: SelectByKey, schemes: [SingleRow, Prepared, Pipelined], sessions: [Dedicated, Pool, New], rows: [7]}
      - {operation: SelectRows, schemes: [SingleRow, Prepared], rows: [1, 1000]}
      - {operation: SelectOne, schemes: [SingleRow, Prepared]}
      - {operation: SelectParameter, schemes: [SingleRow, Prepared]}
      - {operation: SelectParameters, schemes: [SingleRow, Prepared]}
      - {operation: SelectWide, schemes: [SingleRow, Prepared]}
      - {operation: SelectWideUncached}
      - {operation: SelectCollations, schemes: [SingleRow, Prepared]}
      - {operation: Do, schemes: [SingleRow, Prepared]}
      - {operation: Connect}
      - {operation: Encode}`
	run := apply(t, ns, driversYAML("conformance", target, entries.String(), benchmarks, "      rounds: 1\n      window: 50ms\n      warmup: 20ms\n"))
	got := awaitRun(t, run, 10*time.Minute)
	if condition(got, v1alpha1.ConditionComplete) == nil {
		t.Fatalf("not complete: %s", message(got, v1alpha1.ConditionFailed))
	}
	trial := got.Status.Trials[0]
	res := storedResult(t, ns, trial.Result)
	can := checkTranscript(t, ns, trial.Result)
	measured, refused := 0, map[string]bool{}
	for _, m := range res.Measurements {
		if m.Name != contract.NameThroughput {
			continue
		}
		_, able := can[m.Labels[drivers.LabelDriver]][m.Labels[drivers.LabelScheme]]
		switch {
		case m.Value != nil:
			measured++
			if scheme := m.Labels[drivers.LabelScheme]; scheme != "" && !able {
				t.Errorf("%v was measured, and %s is not among what the driver says that it can do", m.Labels, scheme)
			}
		case isKnown(m):
			t.Logf("%v: %s", m.Labels, m.Absent.Reason)
		case m.Absent.State == contract.NotMeasured:
			t.Errorf("%v: %s", m.Labels, m.Absent.Reason)
		case able && m.Labels[drivers.LabelSession] == "" && !dependsOn(m):
			t.Errorf("%v is among what the driver says that it can do, and it answers: %s", m.Labels, m.Absent.Reason)
		default:
			refused[m.Labels[drivers.LabelDriver]+" "+m.Labels[drivers.LabelScheme]+" "+m.Labels[drivers.LabelSession]+": "+m.Absent.Reason] = true
		}
	}
	for _, line := range slices.Sorted(maps.Keys(refused)) {
		t.Logf("unsupported: %s", line)
	}
	t.Logf("%s: %d combinations measured", res.Tool.Version, measured)
	if measured < 10*len(names) {
		t.Errorf("only %d combinations were measured", measured)
	}
}

// dependsOn: what a driver can do depends on more than the scheme. It may not know how to log
// in to the server; the server may lack the command; and not every driver that sends
// statements without waiting can fetch rows in this way.
func dependsOn(m contract.Measurement) bool {
	reason := strings.ToLower(m.Absent.Reason)
	reads := strings.HasPrefix(m.Labels[contract.LabelOperation], "Select")
	return strings.Contains(reason, "auth") || strings.Contains(reason, "server doesn't support") ||
		reads && m.Labels[drivers.LabelScheme] == "Pipelined"
}

// isKnown: the C extension of MySQL Connector/Python 26.10.0 binds a float of a prepared
// statement as one of four bytes, so that 12.34 is written as 12.34000015258789. It has to be
// found out, every time.
func isKnown(m contract.Measurement) bool {
	l := m.Labels
	return l[drivers.LabelDriver] == "mysql-connector-python" && l[contract.LabelOperation] == "Insert" && l[drivers.LabelScheme] == "Prepared" &&
		m.Absent.State == contract.NotMeasured && strings.Contains(m.Absent.Reason, "other values were written")
}

// checkTranscript holds every line of a conversation against the schema of the protocol, and
// returns what each driver says that it can do.
func checkTranscript(t *testing.T, ns, name string) map[string]map[string]string {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile("../../docs/contracts/driver-protocol.v1.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	cm := &corev1.ConfigMap{}
	if err := api.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: name}, cm); err != nil {
		t.Fatal(err)
	}
	text := untar(t, cm.BinaryData[contract.KeyRaw])["run/dialogue.jsonl"]
	can := map[string]map[string]string{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 16<<20)
	answers := 0
	for lines.Scan() {
		var x runner.Exchange
		if err := json.Unmarshal(lines.Bytes(), &x); err != nil {
			t.Fatal(err)
		}
		if x.Answer == nil {
			continue
		}
		answers++
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(x.Answer))
		if err == nil {
			err = schema.Validate(document)
		}
		if err != nil {
			t.Errorf("%.300s: %v", x.Answer, err)
		}
		var hello struct {
			Drivers []struct {
				Name    string
				Schemes map[string]string
			}
		}
		if json.Unmarshal(x.Answer, &hello) == nil {
			for _, d := range hello.Drivers {
				can[d.Name] = d.Schemes
			}
		}
	}
	if answers == 0 || len(can) == 0 {
		t.Fatalf("the transcript has %d answers and %d drivers", answers, len(can))
	}
	return can
}

// A server that only takes encrypted connections: every driver encrypts, and says so.
func TestDriversWithTLSRequired(t *testing.T) {
	if testing.Short() {
		t.Skip("one of all stories")
	}
	ns := newNamespace(t)
	var entries strings.Builder
	for _, h := range harnesses {
		for _, name := range h.drivers {
			fmt.Fprintf(&entries, "      - {language: %s, name: %q, as: %s (%s)}\n", h.language, name, name, h.language)
		}
	}
	target := strings.Replace(mariadb, "flavor: MariaDB", "flavor: MariaDB, tls: Required", 1)
	run := apply(t, ns, driversYAML("drivers-tls", target, entries.String(), "      - {operation: SelectOne}\n", "      window: 100ms\n      warmup: 0s\n"))
	got := awaitRun(t, run, 10*time.Minute)
	complete(t, got)
	measured := 0
	for _, trial := range got.Status.Trials {
		for _, m := range storedResult(t, ns, trial.Result).Measurements {
			if m.Absent != nil {
				t.Errorf("%v: %s", m.Labels, m.Absent.Reason)
			} else if m.Name == contract.NameThroughput {
				measured++
			}
		}
	}
	if measured != strings.Count(entries.String(), "\n") {
		t.Errorf("%d drivers were measured, want %d", measured, strings.Count(entries.String(), "\n"))
	}
}

// The published comparisons, small, as their samples say. The driver mysql cannot log in to
// MySQL 9.7; what the server says is the reason.
func TestPublishedDriverComparisons(t *testing.T) {
	if testing.Short() {
		t.Skip("one of all stories")
	}
	for _, name := range []string{"drivers-node-small", "drivers-python-small", "drivers-batch-small", "drivers-batch-small on MySQL 9.7"} {
		t.Run(name, func(t *testing.T) {
			file, onMySQL := strings.CutSuffix(name, " on MySQL 9.7")
			data, err := os.ReadFile(filepath.Join(samples, file+".yaml"))
			if err != nil {
				t.Fatal(err)
			}
			text := string(data)
			if onMySQL {
				text = strings.Replace(text, `flavor: MariaDB, version: "10.11"`, `flavor: MySQL, version: "9.7"`, 1)
			}
			run := &v1alpha1.BenchmarkRun{}
			if err := yaml.UnmarshalStrict([]byte(text), run); err != nil {
				t.Fatal(err)
			}
			ns := newNamespace(t)
			got := awaitRun(t, apply(t, ns, text), 20*time.Minute)
			complete(t, got)
			checkComparison(t, ns, got)
		})
	}
}

// checkComparison: nothing failed, and what is absent says why.
func checkComparison(t *testing.T, ns string, run *v1alpha1.BenchmarkRun) {
	t.Helper()
	measured, unsupported := 0, map[string]string{}
	for _, rec := range records(t, run) {
		for _, m := range storedResult(t, ns, rec.Result).Measurements {
			switch {
			case m.Absent == nil && m.Name == contract.NameThroughput:
				measured++
			case m.Absent == nil || isKnown(m):
			case m.Absent.State == contract.NotMeasured:
				t.Errorf("trial %d on %s: %v: %s", rec.Index, rec.Target, m.Labels, m.Absent.Reason)
			default:
				unsupported[rec.Target+" "+m.Labels[drivers.LabelDriver]+" "+m.Labels[drivers.LabelScheme]] = m.Absent.Reason
			}
		}
	}
	for what, why := range unsupported {
		t.Logf("%s: %s", what, why)
	}
	if measured == 0 {
		t.Error("nothing was measured")
	}
	t.Logf("%d measured", measured)
}
