package ledger

import "sync"

// changesMost bounds the journal to a mebibyte; what it cannot hold is told as
// everything.
const maxChanges = 1 << 16

// journal is what groups changed that nobody sees by the numbers of entries: winners
// that moved on, and totals that were made anew. A group is noted before it is
// committed, so that whoever sees it in the books finds it here; one that failed is
// noted for nothing. Its lock is held for no reading and no writing of the books.
type journal struct {
	mu sync.Mutex
	// changes are in the order of commits, lost is the newest of those for which there
	// was no room. Guarded by mu.
	changes []change
	lost    int64
}

// change is a winner that a commit touched; 0 stands for all there is.
type change struct{ commit, winner int64 }

// note adds what the group that will be a commit changed.
func (j *journal) record(commit int64, winners []int64, all bool) {
	if len(winners) == 0 && !all {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.changes)+len(winners) >= maxChanges {
		j.changes, j.lost = nil, commit
		return
	}
	for _, id := range winners {
		j.changes = append(j.changes, change{commit, id})
	}
	if all {
		j.changes = append(j.changes, change{commit, 0})
	}
}

// upTo is what changed up to and with a commit. They stay until they are dropped.
func (j *journal) upTo(commit int64) (winners []int64, all bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	all = j.lost != 0
	for _, c := range j.changes {
		switch {
		case c.commit > commit:
		case c.winner == 0:
			all = true
		default:
			winners = append(winners, c.winner)
		}
	}
	return winners, all
}

// drop forgets what changed up to and with a commit.
func (j *journal) drop(commit int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.lost <= commit {
		j.lost = 0
	}
	var left []change
	for _, c := range j.changes {
		if c.commit > commit {
			left = append(left, c)
		}
	}
	j.changes = left
}
