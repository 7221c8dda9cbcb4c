package endpoints

import "sync"

// drops is how many transactions are still to be lost, whichever endpoint takes
// them.
type drops struct {
	mu   sync.Mutex
	left uint64
}

func (d *drops) set(n uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.left = n
}

func (d *drops) take() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.left == 0 {
		return false
	}
	d.left--
	return true
}
