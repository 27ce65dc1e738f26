package benchmarkrun

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// alive are the UIDs of runs by their names, as they were read last. The zero value is ready.
type alive struct {
	mu   sync.Mutex
	uids map[types.NamespacedName]types.UID
}

// of a name; empty for none.
func (a *alive) of(name types.NamespacedName) types.UID {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.uids[name]
}

// is remembers which run has a name now, empty for none. It returns the one that had it before, if
// that is gone.
func (a *alive) is(name types.NamespacedName, now types.UID) (before types.UID, gone bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	before = a.uids[name]
	if now == "" {
		delete(a.uids, name)
	} else {
		if a.uids == nil {
			a.uids = map[types.NamespacedName]types.UID{}
		}
		a.uids[name] = now
	}
	return before, before != "" && before != now
}
