package verify

import "testing"

// writer writes bits as encoders do.
type writer struct {
	b []byte
	n int
}

func (w *writer) u(n int, v uint) {
	for i := n - 1; i >= 0; i-- {
		if w.n%8 == 0 {
			w.b = append(w.b, 0)
		}
		w.b[w.n/8] |= byte(v>>i&1) << (7 - w.n%8)
		w.n++
	}
}

func (w *writer) ue(v uint) {
	n := 0
	for (v+1)>>(n+1) > 0 {
		n++
	}
	w.u(n, 0)
	w.u(n+1, v+1)
}

// protected puts emulation prevention in.
func protected(b []byte) (out []byte) {
	zeros := 0
	for _, c := range b {
		if zeros >= 2 && c <= 3 {
			out = append(out, 3)
			zeros = 0
		}
		if zeros++; c != 0 {
			zeros = 0
		}
		out = append(out, c)
	}
	return out
}

func unitOf(header byte, w *writer) []byte {
	w.u(1, 1)
	return append([]byte{header}, protected(w.b)...)
}

// fieldStream makes the parameter sets of an interlaced stream of 320×160.
func fieldStream(a *avc) {
	w := &writer{}
	w.u(8, 77)
	w.u(16, 30)
	for _, v := range []uint{0, 0, 0, 0, 1} { // id, frame number bits, order type, order bits, references
		w.ue(v)
	}
	w.u(1, 0)
	w.ue(19) // 320
	w.ue(4)  // 5 × 32 = 160
	w.u(1, 0)
	w.u(4, 0b0000)
	a.unit(unitOf(0x67, w))
	w = &writer{}
	w.ue(0)
	w.ue(0)
	w.u(2, 0)
	for range 3 {
		w.ue(0)
	}
	w.u(3, 0)
	for range 3 {
		w.ue(0)
	}
	w.u(3, 0)
	a.unit(unitOf(0x68, w))
}

type sliceOf struct {
	header        byte
	first, kind   uint
	frame, order  uint
	field, bottom bool
}

func (s sliceOf) to(a *avc) {
	w := &writer{}
	w.ue(s.first)
	w.ue(s.kind)
	w.ue(0)
	w.u(4, s.frame)
	if s.field {
		w.u(1, 1)
		bottom := uint(0)
		if s.bottom {
			bottom = 1
		}
		w.u(1, bottom)
	} else {
		w.u(1, 0)
	}
	if s.header&0x1f == 5 {
		w.ue(0)
	}
	w.u(4, s.order)
	w.u(40, 0x123456789a)
	a.unit(unitOf(s.header, w))
}

func TestFields(t *testing.T) {
	t.Parallel()
	const idr, ref, other = 0x65, 0x41, 0x01
	for name, row := range map[string]struct {
		slices []sliceOf
		want   int
	}{
		"a pair is a frame": {[]sliceOf{
			{header: idr, kind: 7, field: true}, {header: ref, kind: 5, field: true, bottom: true, order: 1}}, 1},
		"bottom first": {[]sliceOf{
			{header: idr, kind: 7, field: true, bottom: true}, {header: ref, kind: 5, field: true, order: 1}}, 1},
		"slices of fields": {[]sliceOf{
			{header: idr, kind: 7, field: true}, {header: idr, kind: 7, field: true, first: 40},
			{header: ref, kind: 5, field: true, bottom: true, order: 1},
			{header: ref, kind: 5, field: true, bottom: true, order: 1, first: 40}}, 1},
		"two pairs": {[]sliceOf{
			{header: idr, kind: 7, field: true}, {header: ref, kind: 5, field: true, bottom: true, order: 1},
			{header: ref, kind: 5, frame: 1, field: true, order: 2},
			{header: ref, kind: 5, frame: 1, field: true, bottom: true, order: 3}}, 2},
		"one without partner": {[]sliceOf{
			{header: idr, kind: 7, field: true}, {header: ref, kind: 5, field: true, bottom: true, order: 1},
			{header: ref, kind: 5, frame: 1, field: true, order: 2}, {header: ref, kind: 5, frame: 2, field: true, order: 4},
			{header: ref, kind: 5, frame: 2, field: true, bottom: true, order: 5}}, 3},
		"fields and frames": {[]sliceOf{
			{header: idr, kind: 7}, {header: ref, kind: 5, frame: 1, field: true, order: 2},
			{header: ref, kind: 5, frame: 1, field: true, bottom: true, order: 3},
			{header: other, kind: 6, frame: 2, order: 1}, {header: other, kind: 6, frame: 2, order: 4}}, 4},
		"pairs that nothing refers to": {[]sliceOf{
			{header: idr, kind: 7}, {header: other, kind: 6, frame: 1, field: true, order: 2},
			{header: other, kind: 6, frame: 1, field: true, bottom: true, order: 3},
			{header: other, kind: 6, frame: 1, field: true, order: 4},
			{header: other, kind: 6, frame: 1, field: true, bottom: true, order: 5}}, 3},
	} {
		a := &avc{}
		fieldStream(a)
		for _, s := range row.slices {
			s.to(a)
		}
		if v := a.video(); int(v.Frames) != row.want || v.Frames > 0 && (v.Width != 320 || v.Height != 160) {
			t.Errorf("%s: %+v, want %d frames of 320×160", name, v, row.want)
		}
	}
}
