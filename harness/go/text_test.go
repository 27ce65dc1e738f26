package main

import "testing"

func TestTexts(t *testing.T) {
	rows := newTemplate(&request{Statement: "UPDATE t SET a = ? WHERE id = ?", Head: "INSERT INTO t VALUES ", Group: "(?, ?)", Separator: ", ", Tail: "!"})
	if got, want := rows.repeated(3), "INSERT INTO t VALUES (?, ?), (?, ?), (?, ?)!"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := rows.inlined(-7), "UPDATE t SET a = -7 WHERE id = ?"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestLiterals(t *testing.T) {
	got, err := literals(newTemplate(&request{Group: "INSERT INTO t VALUES (?, ?)", Separator: ";"}), [][]any{{int64(1), "O'Neil \\ ü\n"}, {2.5, ""}})
	if err != nil {
		t.Fatal(err)
	}
	want := `INSERT INTO t VALUES (1, 'O\'Neil \\ ü\n');INSERT INTO t VALUES (2.5, '')`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, err := literals(newTemplate(&request{Group: "SELECT ?"}), [][]any{{true}}); err == nil {
		t.Errorf("a boolean was written: %s", got)
	}
}
