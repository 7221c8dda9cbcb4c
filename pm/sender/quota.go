package sender

// quota bounds the remembered items, for each key and in all: names chosen by peers must not
// fill the memory.
type quota[K comparable] struct {
	each, most int
	all        int
	by         map[K]int
}

func newQuota[K comparable](each, most int) quota[K] {
	return quota[K]{each: each, most: most, by: make(map[K]int)}
}

// acquire counts one more item; false if a bound is reached.
func (q *quota[K]) acquire(key K) bool {
	if q.all >= q.most || q.by[key] >= q.each {
		return false
	}
	q.all++
	q.by[key]++
	return true
}

// release counts one item less.
func (q *quota[K]) release(key K) {
	q.all--
	if q.by[key]--; q.by[key] == 0 {
		delete(q.by, key)
	}
}
