package admission

import (
	"container/list"
	"io"
	"net/http"
	"sync"
	"time"
)

// slowAfter is how long a download may take before its bytes count as held by a slow reader.
const slowAfter = 4 * time.Second

// Downloads bounds the memory of what is being downloaded. A result that its store no longer
// keeps stays in memory until the last download of it ends, which a slow reader delays for
// minutes. When all of them together hold more than they may, the oldest download of the
// party that holds most by slow ones is cut off. Parties that read at a usual pace lose none.
//
// A download is the only holder of its data and sends copies of small pieces, so that
// cutting it off releases the data at once. The end of a blocked write takes seconds:
// TLS sends a last message, and HTTP/2 finishes its frame.
type Downloads struct {
	// most is the bound in bytes. It may change.
	most func() int64
	now  func() time.Time

	mu sync.Mutex // covers the fields below
	// running are of type *Download, oldest first.
	running list.List
	// readers is how many read a buffer, sum the size of all buffers.
	readers map[*byte]int
	sum     int64
}

// Download is one that is in progress.
type Download struct {
	of    *Downloads
	party string
	size  int
	since time.Time
	// ctl ends a blocked write. It may be used only as long as it is in running.
	ctl *http.ResponseController

	// data is nil after the end, sent is what of it went; guarded by of.mu.
	data    []byte
	sent    int
	element *list.Element
}

// NewDownloads makes a bound of most bytes.
func NewDownloads(most func() int64, now func() time.Time) *Downloads {
	return &Downloads{most: most, now: now, readers: make(map[*byte]int)}
}

// Begin counts a download of a party's data until it ends.
func (d *Downloads) Begin(party string, data []byte, ctl *http.ResponseController) *Download {
	d.mu.Lock()
	defer d.mu.Unlock()
	mine := &Download{of: d, party: party, size: len(data), since: d.now(), ctl: ctl}
	if len(data) == 0 {
		return mine
	}
	mine.data, mine.element = data, d.running.PushBack(mine)
	if d.readers[&data[0]]++; d.readers[&data[0]] == 1 {
		d.sum += int64(len(data))
	}
	for d.sum > d.most() && d.running.Len() > 1 {
		d.cut(d.victim())
	}
	return mine
}

// Send writes the data by way of a buffer, and reports whether all of it went. End must be
// called before the handler returns.
func (r *Download) Send(w io.Writer, buf []byte) bool {
	for left := r.size; left > 0; {
		n := r.next(buf)
		if n == 0 {
			return false
		}
		if _, err := w.Write(buf[:n]); err != nil {
			return false
		}
		left -= n
	}
	return true
}

// next copies the next piece; it is 0 after the end.
func (r *Download) next(buf []byte) int {
	r.of.mu.Lock()
	defer r.of.mu.Unlock()
	if r.data == nil {
		return 0
	}
	n := copy(buf, r.data[r.sent:])
	r.sent += n
	return n
}

// ReadAt copies a part of the data, for readers that choose what they read. It fails after the
// end of the download.
func (r *Download) ReadAt(p []byte, off int64) (int, error) {
	r.of.mu.Lock()
	defer r.of.mu.Unlock()
	switch {
	case r.data == nil:
		return 0, io.ErrUnexpectedEOF
	case off >= int64(len(r.data)):
		return 0, io.EOF
	}
	n := copy(p, r.data[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// End releases the data. Further calls do nothing.
func (r *Download) End() {
	r.of.mu.Lock()
	defer r.of.mu.Unlock()
	r.of.remove(r)
}

// at returns what an element of running holds.
func (d *Downloads) at(e *list.Element) *Download { return e.Value.(*Download) }

// victim returns the oldest download of the party that holds most by slow ones or, where
// none is slow, by all. The caller holds mu, and something is running.
func (d *Downloads) victim() *Download {
	before := d.now().Add(-slowAfter)
	anySlow := d.at(d.running.Front()).since.Before(before)
	held, oldest := make(map[string]int64), make(map[string]*Download)
	seen := make(map[*byte]struct{}, len(d.readers))
	victim := d.at(d.running.Front())
	for e := d.running.Front(); e != nil; e = e.Next() {
		r := d.at(e)
		if anySlow && !r.since.Before(before) {
			break
		}
		if oldest[r.party] == nil {
			oldest[r.party] = r
		}
		if _, again := seen[&r.data[0]]; again {
			continue
		}
		seen[&r.data[0]] = struct{}{}
		if held[r.party] += int64(len(r.data)); held[r.party] > held[victim.party] {
			victim = oldest[r.party]
		}
	}
	return victim
}

// cut ends a download. The caller holds mu.
func (d *Downloads) cut(r *Download) {
	_ = r.ctl.SetWriteDeadline(r.since) // has passed
	d.remove(r)
}

// remove forgets a download, unless that was done before. The caller holds mu.
func (d *Downloads) remove(r *Download) {
	if r.data == nil {
		return
	}
	d.running.Remove(r.element)
	first := &r.data[0]
	if d.readers[first]--; d.readers[first] == 0 {
		delete(d.readers, first)
		d.sum -= int64(len(r.data))
	}
	r.data = nil
}
