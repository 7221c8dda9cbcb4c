package verify_test

import (
	"bytes"
	"testing"

	"github.com/tuttinode/tutti/server/gateway/verify"
)

func TestBits(t *testing.T) {
	t.Parallel()
	// 1 | 010 | 011 | 00100 | 00101 | 1 0000000
	r := verify.NewBits([]byte{0b10100110, 0b01000010, 0b11000000}, 100)
	for i, want := range []uint{0, 1, 2, 3, 4} {
		if got := r.UE(); got != want {
			t.Errorf("number %d is %d, want %d", i, got, want)
		}
	}
	if !r.Flag() || r.U(6) != 0 || r.Over() {
		t.Error("the rest is not as written")
	}
	if r.U(1); !r.Over() {
		t.Error("read past the end unnoticed")
	}
	for raw, want := range map[byte]int{0b10000000: 0, 0b01000000: 1, 0b01100000: -1, 0b00100000: 2, 0b00101000: -2} {
		r := verify.NewBits([]byte{raw}, 1)
		if got := r.SE(); got != want {
			t.Errorf("%08b is %d, want %d", raw, got, want)
		}
	}
}

func TestEmulationPrevention(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ in, want []byte }{
		{[]byte{0, 0, 3, 1}, []byte{0, 0, 1}},
		{[]byte{0, 0, 3, 0, 0, 3, 0}, []byte{0, 0, 0, 0, 0}},
		{[]byte{0, 3, 0, 0, 4}, []byte{0, 3, 0, 0, 4}},
		{[]byte{0, 0, 3}, []byte{0, 0}},
	} {
		r := verify.NewBits(row.in, 100)
		var got []byte
		for range row.want {
			got = append(got, byte(r.U(8)))
		}
		if !bytes.Equal(got, row.want) || r.Over() {
			t.Errorf("% x gives % x, want % x", row.in, got, row.want)
		}
	}
}

func TestBefore(t *testing.T) {
	t.Parallel()
	at := func(order uint) *verify.AVCSlice { return &verify.AVCSlice{Order: order, OrderBits: 4} }
	for _, row := range []struct {
		a, b uint
		want bool
	}{{1, 2, true}, {2, 1, false}, {3, 3, false}, {15, 1, true}, {1, 15, false}} {
		if got := at(row.a).Before(at(row.b)); got != row.want {
			t.Errorf("%d before %d: %t", row.a, row.b, got)
		}
	}
	if (&verify.AVCSlice{}).Before(&verify.AVCSlice{}) {
		t.Error("an order that is not told")
	}
}

func TestRecoveryPoint(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		in     []byte
		frames uint
		ok     bool
	}{
		"alone":          {[]byte{6, 1, 0b10000000, 0x80}, 0, true},
		"after fifteen":  {[]byte{6, 2, 0b00001000, 0b00000000, 0x80}, 15, true},
		"behind another": {[]byte{5, 2, 9, 9, 6, 1, 0b01000000, 0x80}, 1, true},
		"another":        {[]byte{5, 2, 9, 9, 0x80}, 0, false},
		"cut":            {[]byte{255, 255}, 0, false},
		"nothing":        {nil, 0, false},
	} {
		if frames, ok := verify.RecoveryPoint(row.in); frames != row.frames || ok != row.ok {
			t.Errorf("%s: %d %t", name, frames, ok)
		}
	}
}

func FuzzParameterSets(f *testing.F) {
	f.Add([]byte{0x64, 0, 0x1f, 0xac, 0xd9, 0x40, 0x50, 0x05, 0xbb, 0x01, 0x6a, 0x02, 0x02, 0x02, 0x80, 0, 0, 3, 0, 0x80})
	f.Fuzz(func(t *testing.T, b []byte) {
		sane := func(w, h int) {
			if w <= 0 || h <= 0 || w > 1<<15 || h > 1<<15 {
				t.Errorf("%d×%d", w, h)
			}
		}
		if s, ok := verify.ReadAVCSPS(b); ok {
			sane(s.Width, s.Height)
			if p, ok := verify.ReadAVCPPS(b); ok && p.ID < 256 {
				verify.ReadAVCSlice(0x65, b, &s, &p)
				verify.ReadAVCSlice(0x41, b, &s, &p)
			}
		}
		if s, ok := verify.ReadHEVCSPS(b); ok {
			sane(s.Width, s.Height)
		}
		p, ok := verify.ReadHEVCPPS(b)
		verify.ReadHEVCSlice(19, b, func(uint) *verify.HEVCPPS {
			if !ok {
				return nil
			}
			return &p
		})
		verify.RecoveryPoint(b)
	})
}
