package ledgercrash

import (
	"bytes"
	"io"
	"math/rand/v2"
	"sync"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs"
)

// sector is what a disk writes whole or not at all.
const sector = 512

// verb is what happened to a file.
type verb int

const (
	write verb = iota
	truncate
	flush
	remove
	// flushNames is a sync of the directory: what was removed stays removed.
	flushNames
)

// event is one step of a file's history. A write has its place and bytes, a
// truncation its size.
type event struct {
	file string
	verb verb
	off  int64
	data []byte
}

// disk is a simulated file system with one directory. It records what happens, if
// it has a log, and fails when fail says so.
type disk struct {
	mu    sync.Mutex
	files map[string][]byte
	log   bool
	// events is the history. Guarded by mu.
	events []event
	// fail may refuse an event, after a part of it was done. Guarded by mu.
	fail func(*event) (part int, err error)
}

func newDisk() *disk { return &disk{files: make(map[string][]byte)} }

// now is how much has happened.
func (d *disk) now() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.events)
}

// do lets something happen.
func (d *disk) do(e event) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fail != nil {
		if part, err := d.fail(&e); err != nil {
			if e.verb == write && part > 0 {
				e.data = bytes.Clone(e.data[:min(part, len(e.data))])
				d.record(e)
			}
			return err
		}
	}
	if d.log {
		e.data = bytes.Clone(e.data)
	}
	d.record(e)
	return nil
}

func (d *disk) record(e event) {
	if d.log {
		d.events = append(d.events, e)
	}
	e.apply(d.files)
}

// apply does to files what the event says.
func (e *event) apply(files map[string][]byte) {
	switch e.verb {
	case write:
		files[e.file] = overwrite(files[e.file], e.off, e.data)
	case truncate:
		files[e.file] = resize(files[e.file], e.off)
	case remove:
		delete(files, e.file)
	}
}

// torn does only some sectors of a write.
func (e *event) torn(files map[string][]byte, r *rand.Rand) {
	if e.verb != write {
		e.apply(files)
		return
	}
	for from := int64(0); from < int64(len(e.data)); {
		to := min(int64(len(e.data)), from+sector-(e.off+from)%sector)
		if r.IntN(2) == 0 {
			files[e.file] = overwrite(files[e.file], e.off+from, e.data[from:to])
		}
		from = to
	}
}

func overwrite(file []byte, off int64, data []byte) []byte {
	if end := off + int64(len(data)); end > int64(len(file)) {
		file = resize(file, end)
	}
	copy(file[off:], data)
	return file
}

func resize(file []byte, size int64) []byte {
	if size <= int64(len(file)) {
		return file[:size:size]
	}
	return append(file, make([]byte, size-int64(len(file)))...)
}

// Open opens a file, and makes it where that is requested.
func (d *disk) Open(name string, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	fresh := false
	if _, ok := d.files[name]; !ok {
		if flags&vfs.OPEN_CREATE == 0 {
			return nil, flags, sqlite3.CANTOPEN
		}
		d.files[name] = nil
		fresh = flags&(vfs.OPEN_WAL|vfs.OPEN_MAIN_JOURNAL) != 0
	}
	return &file{d: d, name: name, fresh: fresh}, flags, nil
}

// Delete removes a file.
func (d *disk) Delete(name string, _ bool) error { return d.do(event{file: name, verb: remove}) }

// Access reports whether a file is there.
func (d *disk) Access(name string, _ vfs.AccessFlag) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, ok := d.files[name]
	return ok, nil
}

// FullPathname is the name: there is one directory.
func (d *disk) FullPathname(name string) (string, error) { return name, nil }

// file is an open file. There is one process, so locks are always granted.
type file struct {
	d    *disk
	name string
	// fresh is a journal that was made and not synced: with it SQLite syncs the
	// directory too.
	fresh bool
}

func (f *file) ReadAt(p []byte, off int64) (int, error) {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	content := f.d.files[f.name]
	if off >= int64(len(content)) {
		return 0, io.EOF
	}
	n := copy(p, content[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f *file) WriteAt(p []byte, off int64) (int, error) {
	if err := f.d.do(event{file: f.name, verb: write, off: off, data: p}); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (f *file) Size() (int64, error) {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	return int64(len(f.d.files[f.name])), nil
}

func (f *file) Truncate(size int64) error {
	return f.d.do(event{file: f.name, verb: truncate, off: size})
}

// Sync makes what was written safe.
func (f *file) Sync(vfs.SyncFlag) error {
	err := f.d.do(event{file: f.name, verb: flush})
	if err == nil && f.fresh {
		f.fresh = false
		err = f.d.do(event{file: f.name, verb: flushNames})
	}
	return err
}

func (*file) Close() error                     { return nil }
func (*file) Lock(vfs.LockLevel) error         { return nil }
func (*file) Unlock(vfs.LockLevel) error       { return nil }
func (*file) CheckReservedLock() (bool, error) { return false, nil }
func (*file) SectorSize() int                  { return sector }

// DeviceCharacteristics are those that SQLite assumes of Unix's files: a write that
// is cut harms nothing next to it.
func (*file) DeviceCharacteristics() vfs.DeviceCharacteristic {
	return vfs.IOCAP_POWERSAFE_OVERWRITE
}
