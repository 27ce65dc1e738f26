package sysbench

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
)

func TestOptionsAreRefused(t *testing.T) {
	tests := map[string]struct {
		test, name, value, want string
	}{
		"one with a field":                     {TestReadWrite, "report-interval", "1", "use reportIntervalSeconds"},
		"one with a field, in the other words": {TestReadWrite, "report_interval", "1", "use reportIntervalSeconds"},
		"a field of the OLTP tests":            {TestReadWrite, "table-size", "1", "use tableSize"},
		"an old name":                          {TestReadWrite, "num-threads", "1", "use threads"},
		"the length":                           {TestReadWrite, "time", "10", "use design.duration"},
		"the warm-up of 1.1":                   {TestReadWrite, "warmup-time", "10", "use design.warmup"},
		"the password":                         {TestReadWrite, "mysql-password", "x", "spec.targets"},
		"the socket":                           {TestReadWrite, "mysql-socket", "/s", "spec.targets"},
		"TLS":                                  {TestReadWrite, "mysql-ssl", "on", "use its field tls"},
		"the engine":                           {TestReadWrite, "mysql_storage_engine", "x", "use its field storageEngine"},
		"a run without a server":               {TestReadWrite, "mysql-dry-run", "on", "no statement would reach"},
		"checkpoints":                          {TestReadWrite, "report-checkpoints", "5", "sets all counters back"},
		"other output":                         {TestReadWrite, "verbosity", "5", "it changes the output"},
		"another file of options":              {TestReadWrite, "config-file", "x", "the password travels"},
		"another database":                     {TestReadWrite, "pgsql-host", "x", "another database"},
		"the adapter's own":                    {TestReadWrite, "parts", "2", "clients share the load"},
		"dashes in front":                      {TestReadWrite, "--range-size", "2", "without leading dashes"},
		"a name with a value":                  {TestReadWrite, "range-size=5", "2", "no name of an option"},
		"no name":                              {TestReadWrite, "", "2", "no name of an option"},
		"a line break":                         {TestReadWrite, "mysql-ssl-cipher", "a\nb", "line break"},
		"half a statement":                     {TestReadWrite, "point-selects", "1.5", `"1.5" is no number`},
		"a number in words":                    {TestReadWrite, "point-selects", "ten", `"ten" is no number`},
		"fewer than none":                      {TestReadWrite, "point-selects", "-1", `"-1" is no number`},
		"too many":                             {TestReadWrite, "point-selects", "100001", "0 to 100000"},
		"yes":                                  {TestReadWrite, "range-selects", "yes", "neither on nor off"},
		"one of another test":                  {TestReadWrite, "random-points", "3", "oltp_read_write does not have it"},
		"one of the OLTP tests":                {TestBulkInsert, "range-size", "3", "bulk_insert does not have it"},
		"one that nobody knows":                {TestBulkInsert, "no-such", "3", "bulk_insert does not have it"},
		"keys that repeat":                     {TestInsert, "auto_inc", "off", "ends the trial with error 1062"},
		"an event of nothing":                  {TestUpdateIndex, "index-updates", "0", "has no statement"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			options, err := json.Marshal(map[string]string{tc.name: tc.value})
			if err != nil {
				t.Fatal(err)
			}
			_, err = decodeParams(edit(string(withField("options", string(options))), TestReadWrite, tc.test))
			if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), "workload.sysbench.options") {
				t.Errorf("got error %v, want one of options with %q", err, tc.want)
			}
		})
	}
	if _, err := decodeParams(withField("options", `{"range-size":"1","range_size":"2"}`)); err == nil || !strings.Contains(err.Error(), "the same option as range-size") {
		t.Errorf("one option in two spellings: got error %v", err)
	}
}

// Every refused name is refused for tests; a script may have tables and the like.
func TestRefusedNamesAreRefused(t *testing.T) {
	test := Params{Test: TestReadOnly}
	script := Params{Script: &v1alpha1.SysbenchScript{File: "script.lua"}}
	for _, r := range refusals {
		for _, name := range r.names {
			if test.refuses(name) != r.reason || script.refuses(name) != r.reason {
				t.Errorf("%s: test %q, script %q", name, test.refuses(name), script.refuses(name))
			}
		}
	}
	for _, r := range scriptOptions {
		for _, name := range r.names {
			if test.refuses(name) != r.reason || script.refuses(name) != "" {
				t.Errorf("%s: test %q, script %q", name, test.refuses(name), script.refuses(name))
			}
		}
	}
}

func TestOptionsAreAccepted(t *testing.T) {
	tests := map[string]struct{ test, name, value string }{
		"a number":                         {TestReadWrite, "range-size", "0"},
		"off":                              {TestReadWrite, "range_selects", "off"},
		"keys of the client":               {TestDelete, "auto-inc", "off"},
		"the usual keys":                   {TestInsert, "auto-inc", "on"},
		"one of the test":                  {TestPointSelect, "range-size", "5"},
		"a general one":                    {TestBulkInsert, "thread-stack-size", "128K"},
		"a general one of the OLTP tests":  {TestReadOnly, "forced-shutdown", "5"},
		"one that only sysbench can judge": {TestReadOnly, "reconnect", "100"},
		"a cipher":                         {TestReadOnly, "mysql-ssl-cipher", "TLS_AES_256_GCM_SHA384"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			options := fmt.Sprintf(`{%q:%q}`, tc.name, tc.value)
			if _, err := decodeParams(edit(string(withField("options", options)), TestReadWrite, tc.test)); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestScriptsAreRefused(t *testing.T) {
	tests := map[string]struct{ old, new, want string }{
		"a file that is no script":  {"mine.lua", "mine.sh", `script.file: Invalid value: "mine.sh"`},
		"a path":                    {"mine.lua", "../mine.lua", "script.file"},
		"a phase that is not known": {`"Cleanup"`, `"Warmup"`, `script.phases[1]: Unsupported value: "Warmup"`},
		"a number out of range":     {`"preparedStatements":7`, `"preparedStatements":-1`, "script.preparedStatements: Invalid value: -1"},
		"tables":                    {`"tables":1,`, `"tables":2,`, "tables, tableSize and skipTrx are fields of the bundled tests"},
		"rows":                      {`"tableSize":10000`, `"tableSize":10`, "tables, tableSize and skipTrx are fields of the bundled tests"},
		"a transaction":             {`"threads"`, `"skipTrx":true,"threads"`, "tables, tableSize and skipTrx are fields of the bundled tests"},
		"a field of the API":        {`"scale":"5"`, `"rate":"5"`, "use rate"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := decodeSpec(edit(aScript, tc.old, tc.new)); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got error %v, want one with %q", err, tc.want)
			}
		})
	}
	p, err := decodeSpec(edit(aScript, `"file":"mine.lua",`, ""))
	if err != nil || p.Script.File != "script.lua" {
		t.Errorf("without a file: %+v, %v; want script.lua", p.Script, err)
	}
}

func TestOptionsThatDecideTheData(t *testing.T) {
	tests := map[string]struct {
		workload string
		want     []string
	}{
		"of a bundled test": {`{"test":"oltp_read_only","options":{"point_selects":"10","secondary":"on","auto-inc":"off"}}`, []string{"tables", "tableSize", "auto-inc", "secondary"}},
		"of a script":       {`{"script":{"configMap":{"name":"c"}},"tables":1,"tableSize":10000,"options":{"rows":"10"}}`, []string{"tables", "tableSize", "rows"}},
		"none":              {`{"test":"oltp_read_only"}`, []string{"tables", "tableSize"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := Runner().DataFields(json.RawMessage(tc.workload))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("fields (-want +got):\n%s", diff)
			}
		})
	}
}
