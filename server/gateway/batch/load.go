package batch

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
)

// orphanAge is how old a file is that belongs to nothing when it is deleted: the previous process may
// still write it.
const orphanAge = time.Hour

// open reads all files and batches.
func (s *Server) open() error {
	const op = "open batches"
	if err := os.MkdirAll(s.opt.Dir, 0o700); err != nil {
		return diskFault(op, err)
	}
	locks, err := os.OpenFile(s.path("lock"), os.O_RDWR|os.O_CREATE, mode)
	if err != nil {
		return diskFault(op, err)
	}
	s.locks = locks
	entries, err := os.ReadDir(s.opt.Dir)
	if err != nil {
		return diskFault(op, err)
	}
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), metaSuffix)
		switch {
		case !ok:
		case isID(id, filePrefix):
			s.loadFile(id)
		case isID(id, batchPrefix):
			s.loadJob(id)
		}
	}
	s.mu.Lock()
	slices.SortFunc(s.active, func(a, b *job) int {
		return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	s.mu.Unlock()
	s.removeOrphans(entries)
	s.adopt()
	return nil
}

// loadFile reads what is known of a file; nil where that is nothing.
func (s *Server) loadFile(id string) *file {
	f := new(file)
	err := readJSON(s.path(id+metaSuffix), f)
	owner, bad := apikeys.ParseHash(f.Owner)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || bad != nil || f.ID != id {
		s.opt.Log.Warn("a file of a batch cannot be read", "err", errors.Join(err, bad))
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.accountLocked(owner)
	if known := a.files[id]; known != nil {
		return known
	}
	a.files[id] = f
	s.addLocked(a, f.Bytes+overhead)
	return f
}

// loadJob reads a batch. One that has not ended is adopted later.
func (s *Server) loadJob(id string) {
	var r record
	err := readJSON(s.path(id+metaSuffix), &r)
	owner, bad := apikeys.ParseHash(r.Owner)
	if err != nil || bad != nil || r.ID != id || !isID(r.Out, filePrefix) || !isID(r.Err, filePrefix) ||
		!isID(r.InputFileID, filePrefix) {
		s.opt.Log.Warn("a batch cannot be read", "err", errors.Join(err, bad))
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	j := newJob(r, s.accountLocked(owner))
	j.account.batches[id] = j
	s.jobs[id] = j
	s.addLocked(j.account, overhead+r.Reserved)
	if !r.Status.ended() {
		j.foreign = true
		s.active = append(s.active, j)
	}
}

// adopt takes over the batches that no other process has any more.
func (s *Server) adopt() {
	s.mu.Lock()
	var all []*job
	if !s.leaving {
		for _, j := range s.active {
			if j.foreign {
				all = append(all, j)
			}
		}
	}
	s.mu.Unlock()
	for _, j := range all {
		if ok, err := lockByte(s.locks, lockOffset(j.ID), true); !ok {
			if err != nil {
				s.opt.Log.Warn("a batch cannot be locked; it is tried again", "err", err)
			}
			continue
		}
		if err := s.resume(j); err != nil {
			s.opt.Log.Warn("a batch cannot be read; it is tried again", "err", err)
			_, _ = lockByte(s.locks, lockOffset(j.ID), false)
		}
	}
}

// resume reads where a batch stands that this process has locked.
func (s *Server) resume(j *job) error {
	var r record
	if err := readJSON(s.path(j.ID+metaSuffix), &r); err != nil {
		return err
	}
	var done lineSet
	good, _, err := readAnswers(s.dataOf(r.Out), &done)
	if err != nil {
		return err
	}
	completed := done.count
	bad, _, err := readAnswers(s.dataOf(r.Err), &done)
	if err != nil {
		return err
	}
	if r.Status.ended() {
		s.loadFile(r.Out)
		s.loadFile(r.Err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.addLocked(j.account, r.Reserved-j.Reserved)
	j.record, j.foreign = r, false
	if r.Status.ended() {
		s.endLocked(j)
		return nil
	}
	s.addLocked(j.account, good+bad)
	j.done, j.left = done, max(0, r.Counts.Total-done.count)
	j.Counts.Completed, j.Counts.Failed = completed, done.count-completed
	if r.End != "" {
		j.haltLocked(r.End)
	}
	s.poke()
	return nil
}

// endLocked takes a batch that has ended from the active ones, and makes its files known.
func (s *Server) endLocked(j *job) {
	s.active = slices.DeleteFunc(s.active, func(other *job) bool { return other == j })
	if s.locks != nil {
		_, _ = lockByte(s.locks, lockOffset(j.ID), false)
	}
}

// removeOrphans deletes files that belong to nothing: their uploads or batches ended too early.
func (s *Server) removeOrphans(entries []os.DirEntry) {
	known := make(map[string]bool)
	s.mu.Lock()
	for _, a := range s.accounts {
		for id := range a.files {
			known[id] = true
		}
	}
	for _, j := range s.active {
		known[j.Out], known[j.Err] = true, true
	}
	s.mu.Unlock()
	for _, e := range entries {
		id, data := strings.CutSuffix(e.Name(), dataSuffix)
		_, part := strings.CutSuffix(e.Name(), partSuffix)
		info, err := e.Info()
		if err != nil || !(data && !known[id] || part) || s.opt.Now().Sub(info.ModTime()) < orphanAge {
			continue
		}
		if err := os.Remove(s.path(e.Name())); err != nil {
			s.opt.Log.Warn("a file that belongs to no batch cannot be deleted", "err", err)
		}
	}
}
