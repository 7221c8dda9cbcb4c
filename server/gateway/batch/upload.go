package batch

import (
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/privatefile"
	"github.com/tuttinode/tutti/server/gateway/chatface"
)

const (
	// maxForm bounds an upload besides its file, in bytes, maxField one field, maxName a file's name.
	maxForm, maxField, maxName = 64 << 10, 4 << 10, 255
	// uploadGrace and uploadRate are how long an upload may take: this, and a second for each so many
	// bytes.
	uploadGrace = 30 * time.Second
	uploadRate  = 32 << 10
	// leastAge is the shortest time that a client may have its files kept.
	leastAge = time.Hour
)

// form is an upload.
type form struct {
	purpose, name   string
	anchor, seconds string
	bytes           int64
	given           bool
}

// upload stores a file.
func (s *Server) upload(c *call) error {
	limit := s.opt.Limits.File
	if c.r.ContentLength > limit+maxForm {
		return tooLarge(limit)
	}
	allowed := c.r.ContentLength
	if allowed < 0 {
		allowed = limit
	}
	_ = c.control.SetReadDeadline(time.Now().Add(uploadGrace + time.Duration(allowed/uploadRate)*time.Second))
	defer func() { _ = c.control.SetReadDeadline(time.Time{}) }()
	if err := s.roomForFile(c); err != nil {
		return err
	}
	c.r.Body = http.MaxBytesReader(c.w, c.r.Body, limit+maxForm)
	parts, err := c.r.MultipartReader()
	if err != nil {
		return chatface.Refuse("", "a form with the fields file and purpose was expected (multipart/form-data)")
	}
	id, err := s.newID(filePrefix)
	if err != nil {
		return err
	}
	part := s.path(id + partSuffix)
	defer func() { _ = os.Remove(part) }() // it has another name by then, unless something failed
	if err := s.takeFile(c, func(held *int64) error {
		in, err := s.readForm(c, parts, part, held)
		if err != nil {
			return err
		}
		return s.storeFile(c, id, part, in)
	}); err != nil {
		return err
	}
	return nil
}

// roomForFile refuses a key that has too many files.
func (s *Server) roomForFile(c *call) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.accounts[c.owner]; a != nil && len(a.files) >= s.opt.Limits.KeyFiles {
		return fault.New(fault.BatchStorageFull, "store file",
			fmt.Sprintf("this API key has %d files, and may have no more; delete some", len(a.files)))
	}
	return nil
}

// takeFile runs store with storage for a file. What it holds is given back if store fails.
func (s *Server) takeFile(c *call, store func(held *int64) error) error {
	if err := s.take(c.owner, overhead); err != nil {
		return err
	}
	held := int64(overhead)
	err := store(&held)
	if err != nil {
		s.give(c.owner, held)
	}
	return err
}

// readForm reads an upload; its file goes to disk. held counts the storage that was taken.
func (s *Server) readForm(c *call, parts *multipart.Reader, path string, held *int64) (form, error) {
	var in form
	for {
		p, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return in, s.broken(err)
		}
		switch p.FormName() {
		case "file":
			if in.given {
				return in, chatface.Refuse("file", "there are two")
			}
			in.given, in.name = true, fileName(p.FileName())
			if in.bytes, err = s.spool(c, p, path, held); err != nil {
				return in, err
			}
		case "purpose", "expires_after[anchor]", "expires_after[seconds]":
			b, err := io.ReadAll(io.LimitReader(p, maxField))
			if err != nil {
				return in, s.broken(err)
			}
			switch p.FormName() {
			case "purpose":
				in.purpose = string(b)
			case "expires_after[anchor]":
				in.anchor = string(b)
			default:
				in.seconds = string(b)
			}
		default:
			return in, chatface.Refuse(fmt.Sprintf("%.64q", p.FormName()), "the form has no such field")
		}
	}
	switch {
	case in.purpose != purposeBatch:
		return in, chatface.Refuse("purpose", `"batch" was expected: files are for batches only`)
	case !in.given:
		return in, chatface.Refuse("file", "it is missing")
	case in.anchor != "" && in.anchor != "created_at":
		return in, chatface.Refuse("expires_after.anchor", `"created_at" was expected`)
	}
	return in, nil
}

// fileName returns a client's name of a file without folders and control characters.
func fileName(given string) string {
	name := filepath.Base(strings.ReplaceAll(given, `\`, "/"))
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '\uFFFD' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(name, ""))
	for len(name) > maxName {
		name = strings.ToValidUTF8(name[:maxName], "")
	}
	return name
}

// spool writes a part to disk.
func (s *Server) spool(c *call, p io.Reader, path string, held *int64) (n int64, err error) {
	const op = "store file"
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return 0, diskFault(op, err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	buf := make([]byte, 64<<10)
	for {
		m, readErr := p.Read(buf)
		if n+int64(m) > s.opt.Limits.File {
			return n, tooLarge(s.opt.Limits.File)
		}
		if m > 0 {
			if err := s.take(c.owner, int64(m)); err != nil {
				return n, err
			}
			*held += int64(m)
			n += int64(m)
			if _, err := f.Write(buf[:m]); err != nil {
				return n, diskFault(op, err)
			}
		}
		switch {
		case errors.Is(readErr, io.EOF):
			return n, diskFault(op, f.Sync())
		case readErr != nil:
			return n, s.broken(readErr)
		}
	}
}

// broken is the fault of an upload that cannot be read.
func (s *Server) broken(err error) error {
	const op = "read request"
	if tooLong := (*http.MaxBytesError)(nil); errors.As(err, &tooLong) {
		return tooLarge(s.opt.Limits.File)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return fault.New(fault.RequestSlow, op, "the file did not arrive in time")
	}
	return &fault.Fault{Code: fault.RequestBroken, Op: op, Detail: "the form ended too early or is no form", Err: err}
}

func tooLarge(limit int64) error {
	return fault.New(fault.RequestTooLarge, "read request", fmt.Sprintf("the file is over the limit of %d bytes", limit))
}

// storeFile makes a file visible and answers.
func (s *Server) storeFile(c *call, id, part string, in form) error {
	now := s.opt.Now()
	age, err := s.ageOf(in.seconds, "expires_after.seconds")
	if err != nil {
		return err
	}
	f := &file{ID: id, Owner: c.owner.String(), Name: in.name, Purpose: purposeBatch, Bytes: in.bytes,
		Created: now.Unix(), Expires: now.Add(age).Unix()}
	if err := os.Rename(part, s.dataOf(id)); err != nil {
		return diskFault("store file", err)
	}
	if err := privatefile.SyncDir(s.opt.Dir); err != nil {
		return diskFault("store file", err)
	}
	if err := s.saveFile(f); err != nil {
		_ = s.removeFile(id) // it belongs to nothing, and is deleted later otherwise
		return err
	}
	s.mu.Lock()
	s.accountLocked(c.owner).files[id] = f
	s.mu.Unlock()
	send(c.w, http.StatusOK, f.object())
	return nil
}

// ageOf reads how long a client has a file kept.
func (s *Server) ageOf(seconds, field string) (time.Duration, error) {
	if seconds == "" {
		return s.opt.Limits.Age, nil
	}
	n, err := strconv.ParseInt(seconds, 10, 64)
	most := int64(s.opt.Limits.Age / time.Second)
	if err != nil || n < int64(leastAge/time.Second) || n > most {
		return 0, chatface.Refuse(field,
			fmt.Sprintf("a whole number from %d to %d was expected", int64(leastAge/time.Second), most))
	}
	return time.Duration(n) * time.Second, nil
}
