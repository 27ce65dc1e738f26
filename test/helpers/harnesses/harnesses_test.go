package harnesses

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/runners/drivers"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// What a driver cannot do is known by its name, the server's version and TLS.
func TestRefusal(t *testing.T) {
	tests := map[string]struct {
		driver, version string
		tls             contract.TLSMode
		want            string
	}{
		"MySql.Data on MariaDB of Debian":        {"MySql.Data", "10.11.19-MariaDB-0+deb12u1", contract.TLSDisabled, "109331"},
		"MySql.Data on a newer MariaDB":          {"MySql.Data", "11.4.5-MariaDB", contract.TLSRequired, "109331"},
		"MySql.Data on an older MariaDB":         {"MySql.Data", "10.6.22-MariaDB-log", contract.TLSDisabled, ""},
		"MySql.Data on MySQL":                    {"MySql.Data", "9.7.4-2", contract.TLSDisabled, ""},
		"NewLife.MySql with TLS":                 {"NewLife.MySql", "9.7.4-2", contract.TLSRequired, "accepts any certificate"},
		"NewLife.MySql without":                  {"NewLife.MySql", "10.11.19-MariaDB-0+deb12u1", contract.TLSDisabled, ""},
		"another driver on MariaDB, and with it": {"MySqlConnector", "10.11.19-MariaDB-0+deb12u1", contract.TLSRequired, ""},
	}
	for name, tt := range tests {
		if got := Refusal(tt.driver, tt.version, tt.tls); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// The vectors have every driver by the name that its harness says of its language, and who is refused.
func TestVectors(t *testing.T) {
	v := Vectors()
	if len(v.Languages) != len(All) {
		t.Errorf("%d languages, want %d", len(v.Languages), len(All))
	}
	want := []drivers.VectorDriver{
		{Name: "MySqlConnector", Least: 10},
		{Name: "MySql.Data", Least: 10, Refused: &drivers.VectorRefusal{MariaDB: [2]int{10, 10}, Reason: "109331"}},
		{Name: "NewLife.MySql", Least: 10},
	}
	if d := cmp.Diff(want, v.Languages[".NET"]); d != "" {
		t.Error(d)
	}
}
