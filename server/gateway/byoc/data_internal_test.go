package byoc

import (
	"bytes"
	"testing"
)

// Readers of data that take nothing hold bounded memory together, of one client its share: they are cut off, and
// another client's reader goes on. What they held is free when they leave, and what one took when it is written.
func TestSlowReadersOfDataAreBounded(t *testing.T) {
	t.Parallel()
	const limit = 8 << 20
	m := &memory{limit: limit, by: make(map[string]int64)}
	slow := readers{most: 16, memory: m, client: caller{name: "one"}}
	other := readers{most: 16, memory: m, client: caller{name: "two"}}
	var all []*reader
	for range 16 {
		r, ok := slow.join()
		if !ok {
			t.Fatal("no place for a reader")
		}
		all = append(all, r)
	}
	good, _ := other.join()
	line := bytes.Repeat([]byte("a"), 60<<10)
	for range 400 { // 24 MB for each reader
		slow.send(line)
	}
	held := 0
	for _, r := range all {
		held += len(r.waiting)
	}
	if held > limit/2 || held < limit/4 {
		t.Errorf("%d MB wait for one client's readers", held>>20)
	}
	for range 400 {
		other.send(line)
		if events, over := good.take(); over || len(events) != len(line)+eventCost {
			t.Fatalf("another client's reader got %d bytes, over: %v", len(events), over)
		}
		other.written(good)
	}
	for _, r := range all {
		if _, over := r.take(); !over {
			t.Error("a slow reader was not cut off")
		}
		slow.leave(r)
	}
	other.leave(good)
	if m.used != 0 || len(m.by) != 0 {
		t.Errorf("%d bytes of %v are still counted", m.used, m.by)
	}
}
