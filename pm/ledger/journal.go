package ledger

import "sync"

// maxChanges bounds the journal to a mebibyte. On overflow everything counts as changed.
const maxChanges = 1 << 16

// journal records changes that entry numbers do not show: winners that advanced, and changed
// totals. A group is recorded before its commit, so that a reader that sees the commit finds
// the change here; a failed group leaves a harmless record. The lock is not held during
// database access.
type journal struct {
	mu sync.Mutex
	// changes are in the order of commits. lost is the newest commit whose changes were dropped
	// on overflow. Guarded by mu.
	changes []change
	lost    int64
}

// change is a winner that a commit touched; winner 0 stands for everything.
type change struct{ commit, winner int64 }

// record adds the changes of a group that is about to be committed.
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

// upTo returns the changes up to and with a commit. They stay until they are dropped.
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

// drop deletes the changes up to and with a commit.
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
