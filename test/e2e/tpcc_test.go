package e2e

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

// TPC-C on a real server: loaded, measured, checked for consistency after the window, and never
// shown without saying that it is derived from TPC-C and not audited.
func TestTPCC(t *testing.T) {
	if testing.Short() {
		t.Skip("one of all stories: the check of a warehouse takes minutes")
	}
	ns := cluster.Namespace(t)
	const bench = "{sysbench: {test: oltp_read_write, threads: 2, tables: 2, tableSize: 2000}}"
	text := cluster.RunYAML("orders", cluster.MariaDB, "  design: {blocks: 1, warmup: 2s, duration: 10s}\n")
	text = strings.Replace(text, bench, "{tpcc: {threads: 4}}", 1)
	got := cluster.AwaitRun(t, cluster.Apply(t, ns, text), 20*time.Minute)
	cluster.Complete(t, got)

	const derived = "derived from TPC-C, not audited"
	if !strings.Contains(got.Status.Headline, derived) || !strings.HasPrefix(got.Status.Headline, "tpmC: mariadb ") {
		t.Errorf("the headline is %q", got.Status.Headline)
	}
	for _, entry := range got.Status.Summary {
		if entry.Name == contract.NameNewOrders && !strings.Contains(entry.Unit, derived) {
			t.Errorf("the unit of %s in the summary is %q", entry.Name, entry.Unit)
		}
	}

	loaded := cluster.Stored(t, ns, contract.LoadName(got.Name, "mariadb"), 0)
	rows := map[string]int64{}
	if loaded.Data != nil {
		for _, table := range loaded.Data.Tables {
			rows[table.Name] = table.Rows
		}
	}
	if len(rows) != 9 || rows["stock"] != 100000 || rows["order_line"] < 150000 {
		t.Errorf("loaded were %v", rows)
	}

	res := cluster.Stored(t, ns, contract.TrialName(got.Name, 0, 0), 0)
	orders, ok := res.Find(contract.NameNewOrders, nil)
	if !ok || orders.Value == nil || *orders.Value <= 0 || len(orders.Intervals) == 0 {
		t.Errorf("new orders: %+v", orders)
	}
	payments, ok := res.Find(contract.NameLatencyAvg, map[string]string{contract.LabelOperation: "payment"})
	if !ok || payments.Value == nil || *payments.Value <= 0 {
		t.Errorf("latency of payments: %+v", payments)
	}
	if res.Data == nil || res.Data.Check == nil || res.Data.Check.Rules != 11 || len(res.Data.Check.Violations) > 0 {
		t.Errorf("the check of the data: %+v", res.Data)
	}
	if !res.Tool.Unseeded || strings.Contains(strings.Join(res.Tool.Args, " "), "password") {
		t.Errorf("the tool: %+v", res.Tool)
	}
}

// Queries beside the transactions of TPC-C: the same tables with and without them, each reported for itself, in the window of the transactions.
func TestTPCCWithQueries(t *testing.T) {
	if testing.Short() {
		t.Skip("one of all stories: it loads a warehouse of its own")
	}
	ns := cluster.Namespace(t)
	const bench = "{sysbench: {test: oltp_read_write, threads: 2, tables: 2, tableSize: 2000}}"
	const matrix = "  matrix:\n  - {name: analyticalThreads, values: [0, 1]}\n"
	text := cluster.RunYAML("mixed", cluster.MariaDB, matrix+"  design: {blocks: 1, warmup: 2s, duration: 30s}\n")
	text = strings.Replace(text, "  clients: {", "  clients: {count: 2, ", 1) // they begin together, and q15 takes 2 to 5 s
	text = strings.Replace(text, bench, "{tpcc: {threads: 2, analyticalQueries: [q1, q6, q15], checkWarehouses: 0}}", 1)
	got := cluster.AwaitRun(t, cluster.Apply(t, ns, text), 20*time.Minute)
	cluster.Complete(t, got)

	rows := map[string]int64{}
	if loaded := cluster.Stored(t, ns, contract.LoadName(got.Name, "mariadb"), 0); loaded.Data != nil {
		for _, table := range loaded.Data.Tables {
			rows[table.Name] = table.Rows
		}
	}
	if len(rows) != 12 || rows["supplier"] != 10000 || rows["nation"] != 25 || rows["region"] != 5 {
		t.Errorf("loaded were %v", rows)
	}
	for index := range int32(2) {
		res := cluster.Stored(t, ns, contract.TrialName(got.Name, index, 0), 0)
		if orders, ok := res.Find(contract.NameNewOrders, nil); !ok || orders.Value == nil || *orders.Value <= 0 {
			t.Errorf("trial %d: new orders: %+v", index, orders)
		}
		with := res.Trial.Cell != nil && *res.Trial.Cell == 1
		rate, has := res.Find(contract.NameThroughput, map[string]string{contract.LabelOperation: "query"})
		if has != with || with && (rate.Value == nil || *rate.Value <= 0 || rate.Unit != "queries/s") {
			t.Errorf("trial %d, with queries %v: %+v", index, with, rate)
		}
		for _, query := range []string{"q1", "q6", "q15"} {
			latency, has := res.Find(contract.NameLatencyAvg, map[string]string{contract.LabelOperation: query})
			if has != with || with && (latency.Value == nil || *latency.Value <= 0) {
				t.Errorf("trial %d, with queries %v: latency of %s: %+v", index, with, query, latency)
			}
		}
		costs := slices.ContainsFunc(got.Status.Trials[index].Values, func(v v1alpha1.Value) bool { return v.Name == "cost.cpu.server" })
		if costs == with {
			t.Errorf("trial %d, with queries %v: costs of an operation %v: what server and client used for queries is none of them", index, with, costs)
		}
		from, to, known := contract.MeasuredWindow(res)
		total, has := res.Find(contract.NameTotalTime, nil)
		if !known || !has || math.Abs(to.Sub(from).Seconds()-*total.Value) > 1e-6 || to.After(*res.Times.MeasureEnded) {
			t.Errorf("trial %d: the window is %s to %s, the process ended at %s, and transactions took %+v", index, from, to, res.Times.MeasureEnded, total)
		}
	}
}
