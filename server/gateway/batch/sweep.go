package batch

import (
	"errors"
	"io/fs"
	"os"
	"time"
)

// sweepEvery is the least time between two sweeps.
const sweepEvery = time.Minute

// sweep deletes expired files, and batches that ended longer ago than the limit Age.
func (s *Server) sweep(now time.Time) {
	s.mu.Lock()
	if now.Sub(s.swept) < sweepEvery || s.leaving {
		s.mu.Unlock()
		return
	}
	s.swept = now
	var files []*file
	var jobs []*job
	for _, a := range s.accounts {
		for _, f := range a.files {
			if f.Expires <= now.Unix() && !a.usesLocked(f.ID) {
				files = append(files, f)
			}
		}
	}
	for _, j := range s.jobs {
		if j.Status.ended() && now.Unix() >= j.CreatedAt+int64(s.opt.Limits.Age/time.Second) {
			jobs = append(jobs, j)
		}
	}
	s.mu.Unlock()
	for _, f := range files {
		if err := s.drop(f); err != nil {
			s.opt.Log.Warn("an expired file cannot be deleted", "err", err)
		}
	}
	for _, j := range jobs {
		if err := os.Remove(s.path(j.ID + metaSuffix)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			s.opt.Log.Warn("an expired batch cannot be deleted", "err", err)
			continue
		}
		s.mu.Lock()
		delete(s.jobs, j.ID)
		delete(j.account.batches, j.ID)
		s.giveLocked(j.account.owner, overhead)
		s.mu.Unlock()
	}
}

// usesLocked reports whether a batch that has not ended reads a file.
func (a *account) usesLocked(id string) bool {
	for _, j := range a.batches {
		if j.InputFileID == id && !j.Status.ended() {
			return true
		}
	}
	return false
}
