package incidents

import "time"

// table holds at most maxEntries values, each with the time of its latest change.
type table[V any] map[sum]entry[V]

type entry[V any] struct {
	value V
	at    time.Time
}

// get returns a value that was changed within the last while, and drops an older one.
func (t table[V]) get(key sum, now time.Time, while time.Duration) (V, bool) {
	e, ok := t[key]
	if ok && now.Sub(e.at) >= while {
		delete(t, key)
		ok = false
	}
	if !ok {
		var none V
		return none, false
	}
	return e.value, true
}

// put keeps a value, in the place of the one that was changed longest ago where the
// table is full.
func (t table[V]) put(key sum, value V, now time.Time) {
	if _, known := t[key]; !known && len(t) >= maxEntries {
		t.dropOldest()
	}
	t[key] = entry[V]{value, now}
}

func (t table[V]) dropOldest() {
	var oldest sum
	var at time.Time
	for key, e := range t {
		if at.IsZero() || e.at.Before(at) {
			oldest, at = key, e.at
		}
	}
	delete(t, oldest)
}
