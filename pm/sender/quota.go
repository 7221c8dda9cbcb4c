package sender

// quota counts what is remembered, for each who made it necessary and in all: what
// peers name may not fill the memory.
type quota[K comparable] struct {
	each, most int
	all        int
	by         map[K]int
}

func newQuota[K comparable](each, most int) quota[K] {
	return quota[K]{each: each, most: most, by: make(map[K]int)}
}

// enter counts one more; false when there is no room for it.
func (q *quota[K]) acquire(key K) bool {
	if q.all >= q.most || q.by[key] >= q.each {
		return false
	}
	q.all++
	q.by[key]++
	return true
}

// leave counts one less of somebody who entered.
func (q *quota[K]) release(key K) {
	q.all--
	if q.by[key]--; q.by[key] == 0 {
		delete(q.by, key)
	}
}
