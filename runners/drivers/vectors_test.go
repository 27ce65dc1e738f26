package drivers

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A case of each scheme, as a vector has it: four operations of three rows, of six in all, two rows in a text.
func TestVectors(t *testing.T) {
	one := between(0, 1)
	const insert = "INSERT INTO assay_text (t0) VALUES ("
	tests := map[string]struct {
		scheme, transaction string
		counters            map[string]Bounds
		seen                Seen
	}{
		"one by one": {
			"SingleRow", "Autocommit", map[string]Bounds{"com_insert": between(12, 12), "com_commit": between(0, 0), "connections": one},
			Seen{Begins: insert, Bounds: between(12, 12)},
		},
		"in a transaction": {
			"SingleRow", "One", map[string]Bounds{"com_insert": between(12, 12), "com_commit": between(4, 4), "connections": one},
			Seen{Begins: insert, Bounds: between(12, 12)},
		},
		"prepared": {
			"Prepared", "Autocommit",
			map[string]Bounds{
				"com_insert": between(12, 13), "com_stmt_execute": between(12, 13), "com_stmt_prepare": {Least: 1}, "com_commit": between(0, 0), "connections": one,
			},
			Seen{Begins: insert, As: "Execute", Bounds: between(12, 13)},
		},
		"rows in a text": {
			"MultiRow", "Autocommit", map[string]Bounds{"com_insert": between(8, 8), "com_commit": between(0, 0), "connections": one},
			Seen{Begins: "INSERT INTO assay_text (t0) VALUES ", Bounds: between(8, 8)},
		},
		"statements in a text": {
			"MultiStatement", "Autocommit", map[string]Bounds{"com_insert": between(12, 12), "com_commit": between(0, 0), "connections": one},
			Seen{Begins: insert, Bounds: between(8, 12)},
		},
		"as the driver likes": {
			"Batch", "Autocommit", map[string]Bounds{"com_insert": between(4, 13), "com_commit": between(0, 0), "connections": one},
			Seen{Begins: insert, Bounds: between(4, 13)},
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
				Operations: 4, Counters: tt.counters, Statements: &tt.seen,
				Question: "SELECT COUNT(*), COALESCE(SUM(CRC32(CONCAT_WS('|', t0))), 0) FROM assay_text",
				Rows:     [][]*string{{new("12"), new("18789921352")}},
			}
			if d := cmp.Diff(want, c.Turns[0].Want); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(map[string]Known{"forgetful": {"it forgets", " answers [["}}, c.Known); d != "" || c.Can[0] != tt.scheme {
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
		Operations: 4, RowsEach: 1, Checksum: new(uint32(0x6751fc53)),
		Counters:   map[string]Bounds{"com_select": {Least: 4}, "com_commit": between(0, 0), "connections": between(0, 1)},
		Statements: &Seen{Begins: "SELECT 1", Bounds: between(4, 4)},
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

// A harness that begins with the first row in each operation is found: by the last operation's rows, which are not the first ones, and
// by the texts, where nothing in the answer is of the values.
func TestVectorsTellOperationsApart(t *testing.T) {
	vectors, err := VectorsOf(`{"operation": "SelectByKey", "rows": [3]}, {"operation": "Do"}, {"operation": "SelectWideUncached"}`, nil)
	if err != nil {
		t.Fatal(err)
	}
	keys := vectors[0]
	turn := keys.Cases[0].Turns[0]
	if rows := keys.Data[turn.Request.(*runRequest).Data]; len(rows) != 6 {
		t.Errorf("%d rows of parameters, want 6", len(rows))
	}
	first, second := checksumOf(pick(seededUsers, 42, []int{0, 1, 2})), checksumOf(pick(seededUsers, 42, []int{3, 4, 5}))
	if got := *turn.Want.Checksum; got != second || got == first {
		t.Errorf("the last operation has the checksum %d; the first rows have %d, those after them %d", got, first, second)
	}
	for _, v := range vectors[1:3] {
		values := v.Cases[0].Turns[0].Want.Statements.Values
		if len(values) != 4 || values[0] == values[1] || values[2] != values[0] || values[3] != values[1] {
			t.Errorf("%s has the values %v, want two of them in turn", v.Name, values)
		}
	}
}

// What a session is shows in how many connections are made.
func TestVectorsOfSessions(t *testing.T) {
	vectors, err := VectorsOf(`{"operation": "Delete", "sessions": ["Dedicated", "Pool", "New"]}, {"operation": "Connect"}`, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []Bounds
	for _, v := range vectors[:2] {
		for _, c := range v.Cases {
			got = append(got, c.Turns[0].Want.Counters["connections"])
		}
	}
	if d := cmp.Diff([]Bounds{between(0, 1), between(0, 2), {Least: 4}, {Least: 4}}, got); d != "" {
		t.Error(d)
	}
}
