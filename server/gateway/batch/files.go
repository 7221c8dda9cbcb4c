package batch

import (
	"cmp"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
)

// sortPage sorts a list as a client asks.
func sortPage(all []listed, p page) {
	slices.SortFunc(all, func(a, b listed) int {
		order := cmp.Or(cmp.Compare(b.created, a.created), cmp.Compare(b.id, a.id))
		if p.ascending {
			return -order
		}
		return order
	})
}

// listFiles lists the files of a key.
func (s *Server) listFiles(c *call) error {
	const most = 10_000 // OpenAI's bound, of which a page has fewer
	p, err := pageOf(c.r, maxPage, most)
	if err != nil {
		return err
	}
	p.limit = min(p.limit, maxPage)
	purpose := c.r.URL.Query().Get("purpose")
	var all []listed
	s.mu.Lock()
	if a := s.accounts[c.owner]; a != nil {
		for _, f := range a.files {
			if purpose == "" || purpose == f.Purpose {
				all = append(all, listed{f.ID, f.Created, f.object()})
			}
		}
	}
	s.mu.Unlock()
	sortPage(all, p)
	return sendPage(c.w, all, p)
}

// fileOf returns a file of a key. One of another key is as unknown as one that there is not.
func (s *Server) fileOf(owner apikeys.Hash, id string) (*file, error) {
	unknown := fault.New(fault.FileUnknown, "find file", "this API key has no such file")
	if !isID(id, filePrefix) {
		return nil, unknown
	}
	s.mu.Lock()
	var f *file
	if a := s.accounts[owner]; a != nil {
		f = a.files[id]
	}
	s.mu.Unlock()
	if f == nil { // the previous process may have stored it a moment ago
		f = s.loadFile(id)
	}
	if f == nil || f.Owner != owner.String() || f.Expires <= s.opt.Now().Unix() {
		return nil, unknown
	}
	return f, nil
}

func (s *Server) getFile(c *call) error {
	f, err := s.fileOf(c.owner, c.r.PathValue("id"))
	if err != nil {
		return err
	}
	send(c.w, http.StatusOK, f.object())
	return nil
}

func (s *Server) deleteFile(c *call) error {
	done, err := s.change()
	if err != nil {
		return err
	}
	defer done()
	f, err := s.fileOf(c.owner, c.r.PathValue("id"))
	if err != nil {
		return err
	}
	s.mu.Lock()
	a := s.accounts[c.owner]
	used := a != nil && a.usesLocked(f.ID)
	s.mu.Unlock()
	if used {
		return fault.New(fault.FileInUse, "delete file", "a batch that has not ended reads this file; cancel it first")
	}
	if err := s.drop(f); err != nil {
		return diskFault("delete file", err)
	}
	send(c.w, http.StatusOK, map[string]any{"id": f.ID, "object": "file", "deleted": true})
	return nil
}

// drop deletes a file.
func (s *Server) drop(f *file) error {
	if err := s.removeFile(f.ID); err != nil {
		return err
	}
	owner, err := apikeys.ParseHash(f.Owner)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.accounts[owner]; a != nil && a.files[f.ID] != nil {
		delete(a.files, f.ID)
		s.giveLocked(owner, f.Bytes+overhead)
	}
	return nil
}

// content sends what a file holds. A slow client holds no memory.
func (s *Server) content(c *call) error {
	const op = "read file"
	f, err := s.fileOf(c.owner, c.r.PathValue("id"))
	if err != nil {
		return err
	}
	in, err := os.Open(s.dataOf(f.ID))
	if err != nil {
		return diskFault(op, err)
	}
	defer in.Close()
	h := c.w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Length", strconv.FormatInt(f.Bytes, 10))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	c.w.WriteHeader(http.StatusOK)
	if c.r.Method == http.MethodHead {
		return nil
	}
	buf := make([]byte, 32<<10)
	from := io.LimitReader(in, f.Bytes)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			_ = c.control.SetWriteDeadline(time.Now().Add(stall)) // a transport without deadlines has none to set
			if _, err := c.w.Write(buf[:n]); err != nil {
				return nil // a client that left needs no answer
			}
		}
		if err != nil {
			break // at the end, or the client misses bytes of the length
		}
	}
	_ = c.control.Flush()
	_ = c.control.SetWriteDeadline(time.Time{})
	return nil
}
