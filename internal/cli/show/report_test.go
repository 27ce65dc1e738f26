package show

import (
	"bytes"
	"strings"
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/show/readout"
)

// Below the servers stands what became of a VolumeSnapshot, in one line, and nothing of a run that makes none.
func TestVolumeSnapshotsAreTold(t *testing.T) {
	run := with(false, "Complete=True", "Valid=True")
	run.Spec.Targets = []v1alpha1.Target{{Name: "db", MySQL: &v1alpha1.MySQLTarget{Storage: v1alpha1.Storage{Snapshot: &v1alpha1.MadeSnapshot{Name: "tables"}}}}}
	run.Status.Targets = []v1alpha1.TargetStatus{{Name: "db", ServerVersion: "9.7.0", LoadResult: "loaded"}}
	want := "\ndb      9.7.0\nVolumeSnapshot tables of target db was not ready to use yet: the volume is kept until it is\n"
	if text := told(t, run, readout.View{}, 0); !strings.Contains(text, want) {
		t.Errorf("want %q:\n%s", want, text)
	}
	run.Spec.Targets[0].MySQL.Storage.Snapshot = nil
	if text := told(t, run, readout.View{}, 0); strings.Contains(text, "VolumeSnapshot") {
		t.Errorf("of a run that makes none:\n%s", text)
	}
}

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
