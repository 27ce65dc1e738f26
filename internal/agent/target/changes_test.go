package target

import (
	"maps"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// pulling is a server that raises most to capacity, much as MariaDB does with innodb_io_capacity_max, and derives sum.
func pulling(db *fakeDatabase) {
	db.variables = map[string]string{"capacity": "200", "most": "2000", "other": "1", "sum": "2200"}
	db.broken["SET GLOBAL `sum` = ?"] = &mysql.MySQLError{Number: readOnlyVariable, Message: "Variable 'sum' is a read only variable"}
	number := func(name string) int {
		n, _ := strconv.Atoi(db.variables[name])
		return n
	}
	db.pull = func(string) {
		db.variables["most"] = strconv.Itoa(max(number("most"), number("capacity")))
		db.variables["sum"] = strconv.Itoa(number("most") + number("capacity"))
	}
}

// What changes with a variable that is set is as it was before, whatever values were set in between: the trials of one value are alike.
func TestWhatChangesAlongIsPutBack(t *testing.T) {
	r, db := newSettingsRig(t)
	pulling(db)
	r.beginReady(t)
	for i, step := range []struct {
		pairs []string
		want  map[string]string
	}{
		{[]string{"other", "7"}, map[string]string{"capacity": "200", "most": "2000", "other": "7", "sum": "2200"}},
		{[]string{"capacity", "4000", "other", "7"}, map[string]string{"capacity": "4000", "most": "4000", "other": "7", "sum": "8000"}},
		{[]string{"capacity", "100", "other", "8"}, map[string]string{"capacity": "100", "most": "2000", "other": "8", "sum": "2100"}},
		{[]string{"capacity", "3000", "other", "8"}, map[string]string{"capacity": "3000", "most": "3000", "other": "8", "sum": "6000"}},
		{[]string{"capacity", "4000", "other", "7"}, map[string]string{"capacity": "4000", "most": "4000", "other": "7", "sum": "8000"}},
		{[]string{"capacity", "200", "other", "7"}, map[string]string{"capacity": "200", "most": "2000", "other": "7", "sum": "2200"}},
	} {
		code, body := r.operation(t, contract.PathSettings, strconv.Itoa(i), step.pairs...)
		if code != http.StatusOK {
			t.Fatalf("%v: %d %s", step.pairs, code, body)
		}
		var got map[string]string
		db.set(func() { got = maps.Clone(db.variables) })
		if diff := cmp.Diff(step.want, got); diff != "" {
			t.Errorf("%v (-want +got):\n%s", step.pairs, diff)
		}
	}
}

// What an operation that was refused has changed is put back by the next one, what does not go back is said, and a start forgets all of it.
func TestWhatDoesNotGoBack(t *testing.T) {
	r, db := newSettingsRig(t)
	pulling(db)
	db.broken["SET GLOBAL `x` = ?"] = &mysql.MySQLError{Number: 1231, Message: "no"}
	r.beginReady(t)
	if code, body := r.operation(t, contract.PathSettings, "refused", "capacity", "4000", "x", "7"); code == http.StatusOK {
		t.Fatalf("%d %s", code, body)
	}
	db.set(func() { db.broken["SET GLOBAL `most` = ?"] = &mysql.MySQLError{Number: 1231, Message: "it stays"} })
	code, body := r.operation(t, contract.PathSettings, "stuck", "capacity", "100")
	for _, part := range []string{string(contract.ReasonServerRefusedSetting), "SET GLOBAL most = 2000", "it stays", "does not go back: set apply: Restart"} {
		if code == http.StatusOK || !strings.Contains(body, part) {
			t.Errorf("%q is not in %d %s", part, code, body)
		}
	}
	if code, body := r.operation(t, contract.PathRestart, "start"); code != http.StatusOK {
		t.Fatalf("%d %s", code, body)
	}
	if code, body := r.operation(t, contract.PathSettings, "anew", "capacity", "100"); code != http.StatusOK {
		t.Errorf("after a start: %d %s", code, body)
	}
}

// bounded is a server that keeps capacity within most, lowers low with high, and has a pool whose size it changes in the background, and
// refuses to change meanwhile. With raises, most goes up with capacity, as MariaDB has it; without, capacity is cut, as MySQL has it.
func bounded(db *fakeDatabase, raises bool) {
	db.variables = map[string]string{"capacity": "200", "most": "2000", "low": "10", "high": "90", "pool": "128", "gtid_executed": "1"}
	number := func(name string) int {
		n, _ := strconv.Atoi(db.variables[name])
		return n
	}
	db.pull = func(name string) {
		switch {
		case name == "pool":
			db.broken["SET GLOBAL `pool` = ?"] = &mysql.MySQLError{Number: 3170, Message: "Another buffer pool resize is already in progress."}
		case name == "capacity" && raises && number("capacity") > number("most"):
			db.variables["most"] = strconv.Itoa(2 * number("capacity"))
		default:
			db.variables["capacity"] = strconv.Itoa(min(number("capacity"), number("most")))
		}
		db.variables["low"] = strconv.Itoa(min(number("low"), number("high")))
		db.variables["gtid_executed"] += "1"
	}
}

// The second pass of a trial sets what the first one could not, and undoes nothing of it, with what changes along or without. A pool that
// is being changed is left alone.
func TestTheSecondPassUndoesNothing(t *testing.T) {
	type pass struct {
		pairs []string
		want  map[string]string
	}
	values := func(capacity, most, low, high, pool string) map[string]string {
		return map[string]string{"capacity": capacity, "most": most, "low": low, "high": high, "pool": pool}
	}
	tests := map[string]struct {
		raises bool
		passes []pass
	}{
		"a maximum that is set too, of MySQL": {false, []pass{
			{[]string{"pool", "256", "capacity", "4000", "most", "8000", "high", "5"}, values("2000", "8000", "5", "5", "256")},
			{[]string{"capacity", "4000"}, values("4000", "8000", "5", "5", "256")},
		}},
		"a maximum that changes along, of MariaDB": {true, []pass{
			{[]string{"pool", "256", "capacity", "4000", "x", "7"}, values("4000", "8000", "10", "90", "256")},
			{[]string{"x", "7"}, values("4000", "8000", "10", "90", "256")},
		}},
		"a maximum that changed along before it was set": {true, []pass{
			{[]string{"capacity", "4000"}, values("4000", "8000", "10", "90", "128")},
			{[]string{"pool", "256", "most", "9000", "capacity", "4000"}, values("4000", "9000", "10", "90", "256")},
			{[]string{"capacity", "4000"}, values("4000", "9000", "10", "90", "256")},
		}},
		"a bound that goes back with the variable that lowered it": {true, []pass{
			{[]string{"high", "5"}, values("200", "2000", "5", "5", "128")},
			{[]string{"high", "2"}, values("200", "2000", "2", "2", "128")},
			{[]string{"high", "5"}, values("200", "2000", "5", "5", "128")},
			{[]string{"high", "75"}, values("200", "2000", "10", "75", "128")},
		}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r, db := newSettingsRig(t)
			bounded(db, tc.raises)
			r.beginReady(t)
			for i, p := range tc.passes {
				if code, body := r.operation(t, contract.PathSettings, strconv.Itoa(i), p.pairs...); code != http.StatusOK {
					t.Fatalf("%v: %d %s", p.pairs, code, body)
				}
				var got map[string]string
				db.set(func() { got = maps.Clone(db.variables) })
				delete(got, "x")
				delete(got, "gtid_executed")
				if diff := cmp.Diff(p.want, got); diff != "" {
					t.Errorf("%v (-want +got):\n%s", p.pairs, diff)
				}
				for _, s := range db.said {
					if s.text == "SET GLOBAL `gtid_executed` = ?" {
						t.Error("a variable that changes by itself is put back")
					}
				}
			}
		})
	}
}

// What changed along is known to the next operation where nobody could read it, and a connection that failed says nothing of a variable.
func TestAConnectionThatFailsWhileVariablesAreSet(t *testing.T) {
	full := &mysql.MySQLError{Number: 1040, Message: "Too many connections"}
	r, db := newSettingsRig(t)
	bounded(db, true)
	pull := db.pull
	db.pull = func(name string) {
		pull(name)
		db.broken["SHOW GLOBAL VARIABLES"] = full
	}
	r.beginReady(t)
	fails := func(id string, pairs ...string) {
		t.Helper()
		code, body := r.operation(t, contract.PathSettings, id, pairs...)
		if code == http.StatusOK || !strings.Contains(body, "Too many connections") || strings.Contains(body, string(contract.ReasonServerRefusedSetting)) || strings.Contains(body, "does not go back") {
			t.Errorf("%s: %d %s", id, code, body)
		}
	}
	fails("unread", "capacity", "4000")
	db.set(func() {
		db.pull, db.broken["SHOW GLOBAL VARIABLES"], db.broken["SET GLOBAL `most` = ?"] = pull, nil, full
	})
	fails("not put back", "capacity", "100")
	db.set(func() { db.broken["SET GLOBAL `most` = ?"], db.broken["SET GLOBAL `capacity` = ?"] = nil, full })
	fails("not set", "capacity", "100")
	db.set(func() { db.broken["SET GLOBAL `capacity` = ?"] = nil })
	if code, body := r.operation(t, contract.PathSettings, "again", "capacity", "100"); code != http.StatusOK {
		t.Fatalf("%d %s", code, body)
	}
	db.set(func() {
		if got := db.variables["most"]; got != "2000" {
			t.Errorf("the maximum is %s, want 2000", got)
		}
	})
}

func TestNoteOfChanges(t *testing.T) {
	setting := func(name, value string) contract.Setting { return contract.Setting{Name: name, Value: value} }
	tests := map[string]struct {
		was           changes
		set           []contract.Setting
		before, after map[string]string
		want          changes
	}{
		"one that changed alone": {
			set: []contract.Setting{setting("A", "2")}, before: map[string]string{"a": "1", "b": "1"}, after: map[string]string{"a": "2", "b": "1"},
			want: changes{wanted: []contract.Setting{setting("A", "2")}},
		},
		"two that were set, and one that was not": {
			set: []contract.Setting{setting("b", "2"), setting("a", "2")}, before: map[string]string{"a": "1", "b": "1", "c": "1"}, after: map[string]string{"a": "2", "b": "2", "c": "2"},
			want: changes{wanted: []contract.Setting{setting("b", "2"), setting("a", "2")}, along: []contract.Setting{setting("c", "1")}},
		},
		"the values before the first change count": {
			was: changes{wanted: []contract.Setting{setting("a", "0")}, along: []contract.Setting{setting("c", "0")}},
			set: []contract.Setting{setting("a", "2")}, before: map[string]string{"a": "1", "c": "1"}, after: map[string]string{"a": "2", "c": "2"},
			want: changes{wanted: []contract.Setting{setting("a", "2")}, along: []contract.Setting{setting("c", "0")}},
		},
		"one that changed along, and is set later": {
			was: changes{wanted: []contract.Setting{setting("a", "0")}, along: []contract.Setting{setting("c", "0"), setting("d", "0")}},
			set: []contract.Setting{setting("C", "2")}, before: map[string]string{"c": "1"}, after: map[string]string{"c": "2"},
			want: changes{wanted: []contract.Setting{setting("a", "0"), setting("C", "2")}, along: []contract.Setting{setting("d", "0")}},
		},
		"one that is not shown, one that is gone, and one that changes by itself": {
			set: []contract.Setting{setting("x", "2")}, before: map[string]string{"a": "1", "gtid_executed": "1"}, after: map[string]string{"b": "1", "gtid_executed": "2"},
			want: changes{wanted: []contract.Setting{setting("x", "2")}},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			tc.was.before = tc.before
			tc.was.want(tc.set)
			tc.was.note(tc.after)
			if diff := cmp.Diff(tc.want, tc.was, cmp.AllowUnexported(changes{}), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
