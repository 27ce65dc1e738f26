package show

import (
	"bytes"
	"strings"
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/show/readout"
)

// The numbers of a run say where its report is stored, and nothing where it is not.
func TestWhereTheReportIs(t *testing.T) {
	for name, tt := range map[string]struct {
		report *v1alpha1.ReportStatus
		want   string
	}{
		"not made":                {nil, ""},
		"not stored":              {&v1alpha1.ReportStatus{Reason: v1alpha1.ReasonReportNotStored}, ""},
		"its tables":              {&v1alpha1.ReportStatus{ConfigMap: "run-report"}, "ConfigMap/run-report"},
		"its page in a store too": {&v1alpha1.ReportStatus{ConfigMap: "run-report", Page: &v1alpha1.StoredPage{URL: "https://s3.example/results/report.html"}}, "https://s3.example/results/report.html"},
	} {
		run := with(false, "Complete=True", "Valid=True")
		run.Status.Report = tt.report
		doc := readout.FromStatus(run)
		var out bytes.Buffer
		if err := Tell(&out, doc, false); err != nil {
			t.Fatal(err)
		}
		if doc.Report != tt.want || strings.Contains(out.String(), "\nreport:\n  "+tt.want+"\n") != (tt.want != "") {
			t.Errorf("%s: %q, and people are told:\n%s", name, doc.Report, out.String())
		}
	}
}
