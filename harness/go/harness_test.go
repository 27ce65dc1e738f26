package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// talk sends lines to a new harness and returns what it answers to each.
func talk(t *testing.T, lines ...string) []map[string]any {
	t.Helper()
	var out bytes.Buffer
	if err := newHarness().serve(strings.NewReader(strings.Join(lines, "\n")), &out); err != nil {
		t.Fatal(err)
	}
	var answers []map[string]any
	for line := range strings.Lines(out.String()) {
		var answer map[string]any
		if err := json.Unmarshal([]byte(line), &answer); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		answers = append(answers, answer)
	}
	if len(answers) != len(lines) {
		t.Fatalf("%d answers to %d requests", len(answers), len(lines))
	}
	return answers
}

const (
	prepareNull = `{"id":1,"do":"prepare","connection":"c","driver":"null"}`
	someRows    = `{"id":2,"do":"data","name":"d","rows":[[1,"a"],[2,null],[3,1.5]]}`
)

func TestHello(t *testing.T) {
	answer := talk(t, `{"id":7,"do":"hello","protocol":"assay.dev/driver/v1"}`)[0]
	if answer["id"] != 7.0 || answer["state"] != "ok" || answer["protocol"] != protocolVersion {
		t.Errorf("got %v", answer)
	}
	var names []string
	for _, d := range answer["drivers"].([]any) {
		d := d.(map[string]any)
		names = append(names, d["name"].(string))
		if version := d["versions"].([]any)[0].(string); version == "" || version[0] == 'v' {
			t.Errorf("%s has the version %q", d["name"], version)
		}
	}
	if want := []string{"go-sql-driver", "go-mysql", "null"}; !slices.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
}

func TestNullDoesEverything(t *testing.T) {
	for _, scheme := range []string{"SingleRow", "Prepared", "ExecuteMany", "Pipelined", "MultiRow", "MultiStatement", "InList", "Batch"} {
		for _, session := range []string{"Dedicated", "Pool", "New"} {
			for _, transaction := range []string{"Autocommit", "One"} {
				statement, data := "INSERT INTO t VALUES (?, ?)", someRows
				if scheme == "InList" {
					statement, data = "DELETE FROM t WHERE id IN (?)", `{"id":2,"do":"data","name":"d","rows":[[1],[2],[3]]}`
				}
				answers := talk(t, prepareNull, data, fmt.Sprintf(`{"id":3,"do":"run","connection":"c",`+
					`"kind":"Query","scheme":%q,"transaction":%q,"session":%q,"statement":%q,`+
					`"data":"d","rowsPerOperation":2,"chunk":1,"operations":5}`, scheme, transaction, session, statement), `{"id":4,"do":"close","connection":"c"}`)
				answer := answers[2]
				if answer["state"] != "ok" || answer["operations"] != 5.0 || answer["rows"] != 0.0 || answer["checksum"] != 0.0 {
					t.Errorf("%s, %s, %s: %v", scheme, session, transaction, answer)
				}
				total := 0.0
				for _, bucket := range answer["histogram"].([]any) {
					total += bucket.([]any)[1].(float64)
				}
				if total != 5 {
					t.Errorf("%s, %s, %s: the histogram has %v operations", scheme, session, transaction, total)
				}
				if answers[3]["state"] != "ok" {
					t.Errorf("close: %v", answers[3])
				}
			}
		}
	}
}

func TestSeconds(t *testing.T) {
	answer := talk(t, prepareNull, `{"id":3,"do":"run","connection":"c","kind":"Connect","seconds":0.02}`)[1]
	// The last operation begins before the time is over, and may end before it, too.
	if took := answer["nanoseconds"].(float64); answer["state"] != "ok" || took < 1e7 || answer["operations"].(float64) < 2 {
		t.Errorf("%v operations in %v ns", answer["operations"], answer["nanoseconds"])
	}
}

// Every answer that is not ok has a reason, and the harness goes on after it.
func TestRefusals(t *testing.T) {
	run := func(rest string) string { return `{"id":3,"do":"run","connection":"c",` + rest + `}` }
	for line, want := range map[string]string{
		`{"id":3,"do":"dance"}`:                                                                                                           "unsupported",
		`{"id":3,"do":"hello","protocol":"assay.dev/driver/v2"}`:                                                                          "unsupported",
		`{"id":3,"do":"close","connection":"x"}`:                                                                                          "failed",
		`{"id":3,"do":"prepare","connection":"c","driver":"null"}`:                                                                        "failed",
		`{"id":3,"do":"prepare","connection":"x","driver":"odbc"}`:                                                                        "unsupported",
		`{"id":3,"do":"prepare","connection":"x","driver":"null","version":"2"}`:                                                          "unsupported",
		`{"id":3,"do":"prepare","connection":"x","driver":"null","options":{"a":"b"}}`:                                                    "unsupported",
		`{"id":3,"do":"prepare","connection":"x","driver":"null","tls":"Preferred"}`:                                                      "unsupported",
		`{"id":3,"do":"prepare","connection":"x","driver":"go-sql-driver","host":"h","port":1,"options":{"sql_mode":"''"}}`:               "unsupported",
		`{"id":3,"do":"prepare","connection":"x","driver":"go-sql-driver","host":"h","port":1,"options":{"tls":"false"}}`:                 "unsupported",
		`{"id":3,"do":"prepare","connection":"x","driver":"go-sql-driver","host":"h","port":1,"options":{"interpolateParams":"perhaps"}}`: "unsupported",
		`{"id":3,"do":"prepare","connection":"x","driver":"go-mysql","host":"h","port":1,"options":{"compress":"lzma"}}`:                  "unsupported",
		`{"id":3,"do":"prepare","connection":"x","driver":"go-mysql","host":"127.0.0.1","port":1}`:                                        "failed",
		`{"id":3,"do":"data","name":"d","rows":[[true]]}`:                                                                                 "unsupported",
		`{"id":3,"do":"data","name":"d","rows":[[99999999999999999999]]}`:                                                                 "failed",
		`{"do":"close","id":3,"surprise":1}`:                                                                                              "failed",
		run(`"kind":"Execute","scheme":"SingleRow","statement":"DO 1"`):                                                                   "failed",
		run(`"kind":"Execute","scheme":"SingleRow","statement":"DO 1","operations":1,"seconds":1`):                                        "failed",
		run(`"kind":"Execute","scheme":"SingleRow","statement":"DO ?","operations":1`):                                                    "failed",
		run(`"kind":"Execute","scheme":"SingleRow","statement":"DO ?","operations":1,"data":"x","rowsPerOperation":1`):                    "failed",
		run(`"kind":"Execute","scheme":"SingleRow","statement":"DO ?","operations":1,"data":"d","rowsPerOperation":1`):                    "failed",
		run(`"kind":"Execute","scheme":"SingleRow","statement":"DO ?,?","operations":1,"data":"d"`):                                       "failed",
		run(`"kind":"Execute","scheme":"Telepathy","statement":"DO 1","operations":1`):                                                    "unsupported",
		run(`"kind":"Execute","scheme":"Batch","statement":"DO 1","operations":1`):                                                        "unsupported",
		run(`"kind":"Execute","scheme":"MultiRow","statement":"DO ?,?","operations":1,"data":"d","rowsPerOperation":1`):                   "failed",
		run(`"kind":"Execute","scheme":"MultiRow","statement":"DO ?,?","operations":1,"data":"d","rowsPerOperation":1,"chunk":1`):         "unsupported",
		run(`"kind":"Execute","scheme":"Batch","statement":"DO ?,?","operations":1,"data":"d","rowsPerOperation":1,"inline":true`):        "unsupported",
		run(`"kind":"Execute","scheme":"SingleRow","session":"Shared","statement":"DO 1","operations":1`):                                 "unsupported",
		run(`"kind":"Execute","scheme":"SingleRow","transaction":"Two","statement":"DO 1","operations":1`):                                "unsupported",
		run(`"kind":"Guess","operations":1`):                                                                                              "unsupported",
	} {
		answers := talk(t, prepareNull, someRows, line, run(`"kind":"Connect","operations":1`))
		refused := answers[2]
		if refused["id"] != 3.0 || refused["state"] != want || refused["reason"] == nil {
			t.Errorf("%s\ngot %v, want %s", line, refused, want)
		}
		if answers[3]["state"] != "ok" {
			t.Errorf("%s\nand then: %v", line, answers[3])
		}
	}
}
