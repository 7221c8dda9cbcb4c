package remote

import (
	"strconv"
	"sync"
)

// Names keeps the names of workers unique. The zero value has none. Its methods may
// be called at the same time.
type Names struct {
	mu    sync.Mutex
	taken map[string]bool
}

// Take reserves the name, or where another has it, the name with the first free
// number behind it: "rig7", "rig7-2".
func (n *Names) Take(wanted string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.taken == nil {
		n.taken = make(map[string]bool)
	}
	name := wanted
	for i := 2; n.taken[name]; i++ {
		name = wanted + "-" + strconv.Itoa(i)
	}
	n.taken[name] = true
	return name
}

// Release frees a name.
func (n *Names) Release(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.taken, name)
}
