package drivers

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A case of each scheme, as a vector has it: two operations of three rows, two rows in a text.
func TestVectors(t *testing.T) {
	counted := func(least, most int64) Bounds { return Bounds{least, &most} }
	const insert = "INSERT INTO assay_text (t0) VALUES ("
	tests := map[string]struct {
		scheme, transaction string
		counters            map[string]Bounds
		seen                Seen
	}{
		"one by one": {"SingleRow", "Autocommit", map[string]Bounds{"com_insert": counted(6, 7), "com_commit": counted(0, 0)}, Seen{Begins: insert, Bounds: counted(6, 7)}},
		"in a transaction": {
			"SingleRow", "One", map[string]Bounds{"com_insert": counted(6, 7), "com_commit": counted(2, 2)}, Seen{Begins: insert, Bounds: counted(6, 7)},
		},
		"prepared": {
			"Prepared", "Autocommit",
			map[string]Bounds{"com_insert": counted(6, 7), "com_stmt_execute": counted(6, 7), "com_stmt_prepare": {Least: 1}, "com_commit": counted(0, 0)},
			Seen{Begins: insert, As: "Execute", Bounds: counted(6, 7)},
		},
		"rows in a text": {
			"MultiRow", "Autocommit", map[string]Bounds{"com_insert": counted(4, 4), "com_commit": counted(0, 0)},
			Seen{Begins: "INSERT INTO assay_text (t0) VALUES ", Bounds: counted(4, 5)},
		},
		"statements in a text": {
			"MultiStatement", "Autocommit", map[string]Bounds{"com_insert": counted(6, 6), "com_commit": counted(0, 0)}, Seen{Begins: insert, Bounds: counted(4, 7)},
		},
		"as the driver likes": {
			"Batch", "Autocommit", map[string]Bounds{"com_insert": counted(2, 7), "com_commit": counted(0, 0)}, Seen{Begins: insert, Bounds: counted(2, 7)},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			vectors, err := VectorsOf(`{"operation": "InsertText", "schemes": ["`+tt.scheme+`"], "transactions": ["`+tt.transaction+`"], "rows": [3], "chunk": 2}`,
				[]Fault{{"forgetful", "InsertText", tt.scheme, "it forgets"}})
			if err != nil {
				t.Fatal(err)
			}
			c := vectors[0].Cases[0]
			want := &Want{
				Operations: 2, Counters: tt.counters, Statements: &tt.seen,
				Question: "SELECT COUNT(*), COALESCE(SUM(CRC32(CONCAT_WS('|', t0))), 0) FROM assay_text",
				Rows:     [][]*string{{new("6"), new("11780596460")}},
			}
			if d := cmp.Diff(want, c.Turns[0].Want); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(map[string]string{"forgetful": "it forgets"}, c.Known); d != "" || c.Can[0] != tt.scheme {
				t.Errorf("%v needs %v: %s", c.Name, c.Can, d)
			}
		})
	}
}

// What is read is known before, by the rows and their checksum; of a time, only the rows of each operation.
func TestVectorsOfReads(t *testing.T) {
	vectors, err := VectorsOf(`{"operation": "SelectOne"}`, nil)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]Vectors{}
	for _, v := range vectors {
		names[v.Name] = v
	}
	want := &Want{
		Operations: 2, RowsEach: 1, Checksum: new(uint32(0x6751fc53)), Counters: map[string]Bounds{"com_select": {Least: 2}, "com_commit": between(0, 0)},
		Statements: &Seen{Begins: "SELECT 1", Bounds: between(2, 3)},
	}
	if d := cmp.Diff(want, names["SelectOne"].Cases[0].Turns[0].Want); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(&Want{RowsEach: 2}, names["Limits"].Cases[1].Turns[0].Want); d != "" {
		t.Error(d)
	}
	for _, name := range []string{"Limits", "ValuesWritten", "ValuesRead", "Errors"} {
		if len(names[name].Cases) == 0 {
			t.Errorf("there are no vectors %s", name)
		}
	}
}
