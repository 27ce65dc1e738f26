package writeup

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/budget"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/record/stored"
	"github.com/assay-bench/assay/internal/show/readout"
	"github.com/assay-bench/assay/internal/show/report"
	"github.com/assay-bench/assay/test/helpers/finished"
)

// writerOf a run in a cluster, with so much memory.
func writerOf(t *testing.T, run *finished.Run, memory int) Writer {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := errors.Join(v1alpha1.AddToScheme(scheme), corev1.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	return Writer{API: fake.NewClientBuilder().WithScheme(scheme).WithObjects(run.Objects()...).Build(), Memory: memory, Measurements: 20000}
}

const enough = 64 << 20

// The parts are those that kubectl assay makes, the same each time, whatever becomes of the report itself.
func TestThePartsAreThoseOfTheCommands(t *testing.T) {
	run := finished.New(t, finished.Options{})
	w := writerOf(t, run, enough)
	tables, err := w.Tables(t.Context(), run.Object)
	if err != nil {
		t.Fatal(err)
	}
	page, err := w.Page(t.Context(), run.Object)
	if err != nil {
		t.Fatal(err)
	}
	read, err := stored.Read(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	in, err := Input(t.Context(), read)
	if err != nil {
		t.Fatal(err)
	}
	if err := report.Write(&want, in); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(page, want.Bytes()) || !strings.Contains(string(page), "Latency spectrum") {
		t.Error("the page is not that of the command")
	}
	for _, text := range []string{"# ns/run\n", "## Comparisons\n", "## Medians\n", "## Quoted numbers", "| b against a, throughput, threads=2 |"} {
		if !strings.Contains(tables[contract.KeyReport], text) {
			t.Errorf("the Markdown lacks %q:\n%s", text, tables[contract.KeyReport])
		}
	}
	var doc readout.Run
	if err := json.Unmarshal([]byte(tables[contract.KeyReportSummary]), &doc); err != nil || doc.Version != readout.RunVersion || len(doc.Measurements) == 0 || doc.Verdict == "" {
		t.Errorf("the document: %+v, %v", doc, err)
	}
	later := run.Object.DeepCopy()
	later.Status.Report = &v1alpha1.ReportStatus{Reason: v1alpha1.ReasonRetrying, Message: "again", ConfigMap: "run-report"}
	later.Status.Notifications = []v1alpha1.NotificationStatus{{Receiver: "ci", Time: metav1.Now()}}
	time.Sleep(time.Millisecond)
	again, err := w.Tables(t.Context(), later)
	if err != nil || again[contract.KeyReport] != tables[contract.KeyReport] || again[contract.KeyReportSummary] != tables[contract.KeyReportSummary] {
		t.Errorf("the tables of the same run differ (%v)", err)
	}
	if againPage, err := w.Page(t.Context(), later); err != nil || !bytes.Equal(againPage, page) {
		t.Errorf("the page of the same run differs (%v)", err)
	}
}

// A run that was refused has a report, too: it says why.
func TestARunThatWasRefused(t *testing.T) {
	run := finished.New(t, finished.Options{})
	run.Maps = nil
	run.Object.Status = v1alpha1.BenchmarkRunStatus{Phase: v1alpha1.PhaseFailed, Conditions: []metav1.Condition{
		{Type: v1alpha1.ConditionFailed, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonShapeNotFound, Message: "there is no InstanceShape big"},
	}}
	w := writerOf(t, run, enough)
	tables, err := w.Tables(t.Context(), run.Object)
	if err != nil || !strings.Contains(tables[contract.KeyReport], "**FAILED** ShapeNotFound: there is no InstanceShape big") ||
		!strings.Contains(tables[contract.KeyReportSummary], `"outcome": "Failed"`) {
		t.Errorf("%v\n%v", err, tables)
	}
	if page, err := w.Page(t.Context(), run.Object); err != nil || !strings.Contains(string(page), "there is no InstanceShape big") {
		t.Errorf("the page: %v\n%s", err, page)
	}
}

// What takes too much memory is not read: the tables are those of the status, and say so, and there is no page.
func TestWhatIsTooLarge(t *testing.T) {
	run := finished.New(t, finished.Options{})
	w := writerOf(t, run, 2000)
	tables, err := w.Tables(t.Context(), run.Object)
	if err != nil || !strings.Contains(tables[contract.KeyReport], "takes more memory than the manager gives") || !strings.Contains(tables[contract.KeyReport], "## Medians\n") {
		t.Errorf("%v\n%v", err, tables)
	}
	_, err = w.Page(t.Context(), run.Object)
	if !errors.Is(err, contract.ErrTooLarge) || !strings.Contains(err.Error(), "more than 2000 bytes of memory") {
		t.Errorf("the page: %v", err)
	}
	// Plan, records and summary fit, and the results of a trial do not.
	var read *stored.Run
	if read, err = stored.Read(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	in, err := input(t.Context(), read, 2000)
	if err != nil {
		t.Fatal(err)
	}
	if err := report.Write(&bytes.Buffer{}, in); !errors.Is(err, contract.ErrTooLarge) {
		t.Errorf("the results of a trial: %v", err)
	}
}

// A summary that somebody changed does not keep the rest from being stored, and an API server that does not answer does.
func TestWhatCannotBeRead(t *testing.T) {
	run := finished.New(t, finished.Options{})
	run.Maps[contract.SummaryName("run", 0)].BinaryData = map[string][]byte{contract.KeySummary: []byte("no gzip")}
	w := writerOf(t, run, enough)
	if tables, err := w.Tables(t.Context(), run.Object); err != nil || !strings.Contains(tables[contract.KeyReport], "`kubectl assay verify run` says what is wrong") {
		t.Errorf("%v\n%v", err, tables)
	}
	away := apierrors.NewServerTimeout(corev1.Resource("configmaps"), "get", 1)
	w.API = interceptor.NewClient(w.API.(client.WithWatch), interceptor.Funcs{
		Get: func(context.Context, client.WithWatch, client.ObjectKey, client.Object, ...client.GetOption) error {
			return away
		},
	})
	if tables, err := w.Tables(t.Context(), run.Object); !errors.Is(err, away) || tables != nil {
		t.Errorf("%v\n%v", err, tables)
	}
}

// Whatever tenants write, the ConfigMap has its bound, and what is cut is said.
func TestTheTablesAreBounded(t *testing.T) {
	run := finished.New(t, finished.Options{})
	long := strings.Repeat("<|> ", 500)
	entry := run.Object.Status.Summary[0]
	run.Object.Status.Results = nil // so that the summary is that of the status
	for i := range 128 {
		entry.Labels = map[string]string{"statement": fmt.Sprint(i) + long}
		run.Object.Status.Summary = append(run.Object.Status.Summary, entry)
	}
	for range 20 {
		run.Object.Status.Findings = append(run.Object.Status.Findings, v1alpha1.Finding{Check: "clock-step", Severity: v1alpha1.SeverityWarning, Message: strings.Repeat(long, 9)})
	}
	tables, err := writerOf(t, run, enough).Tables(t.Context(), run.Object)
	if err != nil {
		t.Fatal(err)
	}
	summary, markdown := tables[contract.KeyReportSummary], tables[contract.KeyReport]
	if len(summary) > int(budget.MostReportSummary) || len(summary)+len(markdown) > int(budget.MostReport) {
		t.Errorf("%d bytes of the document and %d of Markdown", len(summary), len(markdown))
	}
	var doc readout.Run
	if err := json.Unmarshal([]byte(summary), &doc); err != nil {
		t.Fatal(err)
	}
	all := 0
	for _, e := range run.Object.Status.Summary {
		if e.Name == entry.Name {
			all++
		}
	}
	if len(doc.Measurements) == 0 || int(doc.MoreMeasurements)+len(doc.Measurements) < all {
		t.Errorf("%d measurements and %d more, of at least %d", len(doc.Measurements), doc.MoreMeasurements, all)
	}
	if !strings.HasSuffix(markdown, "`kubectl assay report run --format markdown` writes them.\n") || !strings.Contains(markdown, "|\n\nThe tables end here: all of them have ") {
		t.Errorf("the end of the Markdown: %q", markdown[len(markdown)-300:])
	}
}

// What the page keeps of all results is bounded, not only those of one trial: it is made without the trials beyond.
func TestWhatThePageKeepsIsBounded(t *testing.T) {
	run := finished.New(t, finished.Options{})
	read, err := stored.Read(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	one := 0
	for client, err := range read.Results(t.Context(), read.Records[0]) {
		if err != nil {
			t.Fatal(err)
		}
		one += client.Result.Memory()
	}
	for name, tt := range map[string]struct {
		most  int
		whole bool
	}{"all": {math.MaxInt, true}, "the first one": {one + 64, false}} {
		in, err := input(t.Context(), read, tt.most)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 2 {
			if _, ok, err := in.Result(read.Records[0]); err != nil || ok != (tt.whole || i == 0) {
				t.Errorf("%s: time %d: %t, %v", name, i, ok, err)
			}
		}
		if err := report.Write(&bytes.Buffer{}, in); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
