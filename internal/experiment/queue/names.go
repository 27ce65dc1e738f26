package queue

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"
)

// Runs are the UIDs of the runs with a name (namespace/name) that hold nodes or wait, sorted.
// There are several when a run was deleted and created again.
func (l *Ledger) Runs(name string) []types.UID {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []types.UID
	for uid, h := range l.holds {
		if h.Name == name {
			out = append(out, uid)
		}
	}
	for uid, w := range l.waiting {
		if w.Name == name {
			out = append(out, uid)
		}
	}
	slices.Sort(out)
	return out
}

// Waiting is the name (namespace/name) of a waiting run; ok is false when it does not wait.
func (l *Ledger) Waiting(uid types.UID) (name string, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if w := l.waiting[uid]; w != nil {
		return w.Name, true
	}
	return "", false
}
