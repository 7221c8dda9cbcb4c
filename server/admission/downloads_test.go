package admission

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// newDownloads makes downloads of at most 100 bytes, with a clock of its own.
func newDownloads() (d *Downloads, clock *time.Time) {
	clock = new(time.Time)
	*clock = time.Unix(1_000_000, 0)
	return NewDownloads(func() int64 { return 100 }, func() time.Time { return *clock }), clock
}

func (d *Downloads) start(party string, size int) *Download {
	return d.Begin(party, make([]byte, size), http.NewResponseController(httptest.NewRecorder()))
}

// going reports which downloads were not cut off.
func going(all ...*Download) (out []bool) {
	for _, r := range all {
		out = append(out, r.next(make([]byte, 1)) == 1)
	}
	return out
}

func want(t *testing.T, got []bool, want ...bool) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("downloads that go on: %v, want %v", got, want)
	}
}

func TestSlowReadersAreCutOff(t *testing.T) {
	t.Parallel()
	d, clock := newDownloads()
	a, b := d.start("a", 40), d.start("b", 41)
	*clock = clock.Add(slowAfter + time.Second)
	honest := d.start("honest", 19)
	want(t, going(a, b, honest), true, true, true)
	// b holds most by slow downloads, then a; one that began now never does.
	more := d.start("honest", 60)
	want(t, going(a, b, honest, more), false, false, true, true)
	honest.End()
	more.End()
	if d.sum != 0 || d.running.Len() != 0 || len(d.readers) != 0 {
		t.Errorf("%d bytes of %d downloads are left", d.sum, d.running.Len())
	}
}

func TestManyFastReaders(t *testing.T) {
	t.Parallel()
	d, _ := newDownloads()
	first, other, second := d.start("a", 30), d.start("b", 35), d.start("a", 30)
	third := d.start("c", 10)
	want(t, going(first, other, second, third), false, true, true, true)
	alone, _ := newDownloads()
	large := alone.start("a", 500)
	want(t, going(large), true)
	want(t, going(large, alone.start("a", 400)), false, true)
}

func TestBuffersAreCountedOnce(t *testing.T) {
	t.Parallel()
	d, _ := newDownloads()
	data := make([]byte, 60)
	ctl := http.NewResponseController(httptest.NewRecorder())
	a, b := d.Begin("a", data, ctl), d.Begin("b", data, ctl)
	want(t, going(a, b), true, true)
	if d.sum != 60 {
		t.Errorf("%d bytes", d.sum)
	}
	a.End()
	if a.End(); d.sum != 60 {
		t.Errorf("%d bytes", d.sum)
	}
	if b.End(); d.sum != 0 {
		t.Errorf("%d bytes", d.sum)
	}
	empty := d.Begin("a", nil, ctl)
	if !empty.Send(httptest.NewRecorder(), make([]byte, 8)) {
		t.Error("nothing is not sent")
	}
	empty.End()
}

func TestDownloadsAreWhole(t *testing.T) {
	t.Parallel()
	d, _ := newDownloads()
	data := []byte("sixteen bytes or so, in pieces")
	w := httptest.NewRecorder()
	r := d.Begin("a", data, http.NewResponseController(w))
	if !r.Send(w, make([]byte, 7)) || !bytes.Equal(w.Body.Bytes(), data) {
		t.Errorf("%q", w.Body)
	}
	r.End()
	if r.Send(w, make([]byte, 7)) {
		t.Error("one that was cut off is whole")
	}
}
