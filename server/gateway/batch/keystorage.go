package batch

import (
	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
)

// overhead is what a file or a batch counts for besides its content, in bytes: its entry on disk and
// in memory, rounded up.
const overhead = 4 << 10

// account is what one key has. Guarded by Server.mu.
type account struct {
	owner   apikeys.Hash
	files   map[string]*file
	batches map[string]*job
	// bytes is the storage that counts for the key; running are its lines in progress.
	bytes   int64
	running int
	// checked and started say when a file of it was checked, and a line started, in turns.
	checked, started int64
}

// accountLocked returns a key's account, and makes it.
func (s *Server) accountLocked(owner apikeys.Hash) *account {
	a := s.accounts[owner]
	if a == nil {
		a = &account{owner: owner, files: make(map[string]*file), batches: make(map[string]*job)}
		s.accounts[owner] = a
	}
	return a
}

// tidyLocked drops an account that has nothing.
func (s *Server) tidyLocked(a *account) {
	if len(a.files) == 0 && len(a.batches) == 0 && a.bytes == 0 {
		delete(s.accounts, a.owner)
	}
}

// take takes n bytes of storage for a key. The error is the fault BatchStorageFull.
func (s *Server) take(owner apikeys.Hash, n int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.takeLocked(owner, n)
}

func (s *Server) takeLocked(owner apikeys.Hash, n int64) error {
	const op = "store file"
	a := s.accountLocked(owner)
	defer s.tidyLocked(a)
	switch {
	case a.bytes+n > s.opt.Limits.KeyStorage:
		return fault.New(fault.BatchStorageFull, op, "the files and batches of this API key fill its storage; delete some")
	case s.bytes+n > s.opt.Limits.Storage:
		return fault.New(fault.BatchStorageFull, op, "the files and batches of all API keys fill this gateway's storage")
	}
	s.addLocked(a, n)
	return nil
}

// give gives n bytes back.
func (s *Server) give(owner apikeys.Hash, n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.giveLocked(owner, n)
}

func (s *Server) giveLocked(owner apikeys.Hash, n int64) {
	a := s.accountLocked(owner)
	s.addLocked(a, -n)
	s.tidyLocked(a)
}

func (s *Server) addLocked(a *account, n int64) {
	a.bytes += n
	s.bytes += n
}
