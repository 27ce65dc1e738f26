package stats

import "sync"

// Memo keeps what is dear to compute and asked for often, such as null distributions. It is bounded:
// users choose the numbers of blocks and comparisons, and the manager lives long. It is
// safe for concurrent use.
type Memo[K comparable, V any] struct {
	// Most values are kept. Where another one comes, all are forgotten.
	Most  int
	mu    sync.Mutex
	known map[K]V
}

// Of is the value for the key, computed where it is not kept. Values are shared: nobody
// changes them.
func (m *Memo[K, V]) Of(key K, compute func(K) V) V {
	value, _ := m.Try(key, func(key K) (V, error) { return compute(key), nil })
	return value
}

// Try is as Of, for what may fail: that is not kept.
func (m *Memo[K, V]) Try(key K, compute func(K) (V, error)) (V, error) {
	m.mu.Lock()
	value, ok := m.known[key]
	m.mu.Unlock()
	if ok {
		return value, nil
	}
	value, err := compute(key) // twice for two callers at once, which is as good
	if err != nil {
		return value, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil || len(m.known) >= m.Most {
		m.known = map[K]V{}
	}
	m.known[key] = value
	return value, nil
}
