package target

import (
	"maps"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/google/go-cmp/cmp"

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
			want: changes{named: []contract.Setting{setting("a", "1")}},
		},
		"two that were set, and one that was not": {
			set: []contract.Setting{setting("b", "2"), setting("a", "2")}, before: map[string]string{"a": "1", "b": "1", "c": "1"}, after: map[string]string{"a": "2", "b": "2", "c": "2"},
			want: changes{named: []contract.Setting{setting("b", "1"), setting("a", "1")}, along: []contract.Setting{setting("c", "1")}},
		},
		"the values before the first change count": {
			was: changes{named: []contract.Setting{setting("a", "0")}, along: []contract.Setting{setting("c", "0")}},
			set: []contract.Setting{setting("a", "2")}, before: map[string]string{"a": "1", "c": "1"}, after: map[string]string{"a": "2", "c": "2"},
			want: changes{named: []contract.Setting{setting("a", "0")}, along: []contract.Setting{setting("c", "0")}},
		},
		"one that is not shown, and one that is gone": {
			set: []contract.Setting{setting("x", "2")}, before: map[string]string{"a": "1"}, after: map[string]string{"b": "1"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			tc.was.note(tc.set, tc.before, tc.after)
			if diff := cmp.Diff(tc.want, tc.was, cmp.AllowUnexported(changes{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
