package main

import "testing"

func TestMultiRow(t *testing.T) {
	for statement, want := range map[string]string{
		"INSERT INTO t (a, b) VALUES (?, ?)":                                  "INSERT INTO t (a, b) VALUES (?, ?), (?, ?), (?, ?)",
		"insert into t values(?, concat('x', ?)) on duplicate key update b=1": "insert into t values(?, concat('x', ?)), (?, concat('x', ?)), (?, concat('x', ?)) on duplicate key update b=1",
	} {
		repeated, err := newTemplate(statement).multiRow()
		if err != nil {
			t.Errorf("%s: %v", statement, err)
		} else if got := repeated.text(3); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	for _, statement := range []string{"UPDATE t SET a = ?", "INSERT INTO t VALUES ?", "INSERT INTO t VALUES (?",
		"INSERT INTO t VALUES (?) ON DUPLICATE KEY UPDATE a = ?"} {
		if got, err := newTemplate(statement).multiRow(); err == nil {
			t.Errorf("%s was taken: %v", statement, got)
		}
	}
}

func TestInList(t *testing.T) {
	repeated, err := newTemplate("DELETE FROM t WHERE id IN (?)").inList()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := repeated.text(3), "DELETE FROM t WHERE id IN (?, ?, ?)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, statement := range []string{"DELETE FROM t WHERE id = ?", "DELETE FROM t WHERE a = ? AND id IN (?)", "SELECT f(?)"} {
		if got, err := newTemplate(statement).inList(); err == nil {
			t.Errorf("%s was taken: %v", statement, got)
		}
	}
}

func TestJoinedAndInlined(t *testing.T) {
	statement := newTemplate("UPDATE t SET a = ? WHERE id = ?")
	if got, want := statement.joined().text(2), "UPDATE t SET a = ? WHERE id = ?;UPDATE t SET a = ? WHERE id = ?"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := statement.inlined(-7), "UPDATE t SET a = -7 WHERE id = ?"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestLiterals(t *testing.T) {
	got, err := literals(newTemplate("INSERT INTO t VALUES (?, ?)"), [][]any{{int64(1), "O'Neil \\ ü\n"}, {2.5, nil}})
	if err != nil {
		t.Fatal(err)
	}
	want := `INSERT INTO t VALUES (1, 'O\'Neil \\ ü\n');INSERT INTO t VALUES (2.5, NULL)`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, err := literals(newTemplate("SELECT ?"), [][]any{{true}}); err == nil {
		t.Errorf("a boolean was written: %s", got)
	}
}
