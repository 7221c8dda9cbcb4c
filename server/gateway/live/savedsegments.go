package live

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/privatefile"
	"github.com/tuttinode/tutti/server/gateway/segmenter"
)

const (
	// maxSavedSegment bounds a copy, maxSavedBytes all of them: the oldest are deleted first.
	maxSavedSegment = 16 << 20
	maxSavedBytes   = 256 << 20
	// maxSaving is how many copies may wait to be written; further ones are left out.
	maxSaving = 4
)

// savedSegments keeps copies of the first segments of streams, to look into faults. Writing never holds a stream up.
type savedSegments struct {
	dir   string
	first int
	queue chan savedSegment

	mu     sync.Mutex
	closed bool
}

type savedSegment struct {
	name string
	data []byte
}

// newSavedSegments keeps copies in a folder, which it makes.
func newSavedSegments(dir string, first int) (*savedSegments, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of saved segments: %w", err)
	}
	return &savedSegments{dir: dir, first: first, queue: make(chan savedSegment, maxSaving)}, nil
}

// run writes copies until close. failed gets what cannot be written.
func (c *savedSegments) run(failed func(error)) {
	for one := range c.queue {
		if err := c.write(one); err != nil {
			failed(err)
		}
	}
}

func (c *savedSegments) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.closed = true
		close(c.queue)
	}
}

// write writes a copy after it made space for it.
func (c *savedSegments) write(one savedSegment) error {
	if err := c.makeSpace(int64(len(one.data))); err != nil {
		return err
	}
	if err := privatefile.Replace(filepath.Join(c.dir, one.name), one.data); err != nil {
		return fmt.Errorf("save a segment: %w", err)
	}
	return nil
}

// makeSpace deletes the oldest copies until size more bytes fit.
func (c *savedSegments) makeSpace(size int64) error {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return fmt.Errorf("list saved segments: %w", err)
	}
	var files []os.FileInfo
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() && strings.HasSuffix(e.Name(), ".ts") {
			files = append(files, info)
			size += info.Size()
		}
	}
	slices.SortFunc(files, func(a, b os.FileInfo) int {
		return cmp.Or(a.ModTime().Compare(b.ModTime()), cmp.Compare(a.Name(), b.Name()))
	})
	for _, f := range files {
		if size <= maxSavedBytes {
			break
		}
		if err := os.Remove(filepath.Join(c.dir, f.Name())); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("delete a saved segment: %w", err)
		}
		size -= f.Size()
	}
	return nil
}

// segmentCopies are the copies of one stream's segments. One goroutine uses it at a time; nil keeps none.
type segmentCopies struct {
	to *savedSegments
	// name begins the names of the files.
	name  string
	begun int
}

// copies are those of a stream, which its random number names: the stream's own name is a credential.
func (s *Server) copies(request string) *segmentCopies {
	if s.saved == nil {
		return nil
	}
	s.saves.Do(func() {
		s.background(func() {
			s.saved.run(func(err error) {
				s.o.Log.Warn("segments of live video are not saved", fault.Attr(fault.Wrap(fault.DataDiskLow, "save", err)))
			})
		})
	})
	return &segmentCopies{to: s.saved, name: request}
}

// from copies what goes to a target.
func (c *segmentCopies) from(t segmenter.Target) segmenter.Target {
	if c == nil {
		return t
	}
	return &savingTarget{t, c}
}

type savingTarget struct {
	segmenter.Target
	copies *segmentCopies
}

// Next begins a segment, and a copy if it is one of the first.
func (t *savingTarget) Next() (segmenter.Output, error) {
	out, err := t.Target.Next()
	if err != nil || t.copies.begun >= t.copies.to.first {
		return out, err
	}
	t.copies.begun++
	return &savingOutput{Output: out, to: t.copies.to,
		one: savedSegment{name: fmt.Sprintf("%s-%03d.ts", t.copies.name, t.copies.begun-1)}}, nil
}

type savingOutput struct {
	segmenter.Output
	to  *savedSegments
	one savedSegment
	// over: it is too long to be kept.
	over bool
}

// Write writes, and copies.
func (o *savingOutput) Write(p []byte) (int, error) {
	if len(o.one.data)+len(p) > maxSavedSegment {
		o.one.data, o.over = nil, true
	}
	if !o.over {
		o.one.data = append(o.one.data, p...)
	}
	return o.Output.Write(p)
}

// Close ends the segment and its copy.
func (o *savingOutput) Close() error {
	o.to.save(o.one)
	return o.Output.Close()
}

// Drop gives the segment up; what there is of it is kept all the same.
func (o *savingOutput) Drop() {
	o.to.save(o.one)
	o.Output.Drop()
}

// save hands a copy over to be written.
func (c *savedSegments) save(one savedSegment) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || len(one.data) == 0 {
		return
	}
	select {
	case c.queue <- one:
	default:
	}
}
