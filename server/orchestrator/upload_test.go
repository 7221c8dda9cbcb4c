package orchestrator

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/signature"
)

// endless is a body without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestReceive(t *testing.T) {
	t.Parallel()
	noted := 0
	for _, size := range []int{0, 1, 100, smallSize, smallSize + 1, trustedSize, trustedSize + 1, 3*trustedSize + 7} {
		body := bytes.Repeat([]byte("0123456789abcde"), size/15+1)[:size]
		for name, said := range map[string]int64{"right": int64(size), "unknown": -1, "too little": int64(size / 2), "too much": int64(size) * 2} {
			for kind, r := range map[string]io.Reader{
				"whole": bytes.NewReader(body), "end with data": iotest.DataErrReader(bytes.NewReader(body)), "halves": iotest.HalfReader(bytes.NewReader(body)),
			} {
				b := &budget{max: core.MaxSegmentBytes}
				u, err := receive(r, said, b, func(n int) { noted = n })
				if err != nil {
					t.Fatal(err)
				}
				want := signature.Keccak(body)
				if !bytes.Equal(u.data, body) || !bytes.Equal(u.sum(), want[:]) {
					t.Errorf("%d bytes, length %s, %s: other bytes", size, name, kind)
				}
				if b.used.Load() != int64(cap(u.data)) {
					t.Errorf("%d bytes booked for %d", b.used.Load(), cap(u.data))
				}
				if name == "right" && cap(u.data) != size {
					t.Errorf("%d bytes: a buffer of %d", size, cap(u.data))
				}
				if size > 0 && noted == 0 {
					t.Error("no progress was told")
				}
				u.release()
				if b.used.Load() != 0 {
					t.Errorf("%d bytes stay booked", b.used.Load())
				}
			}
		}
	}
}

func TestReceiveFails(t *testing.T) {
	t.Parallel()
	const limit = 1_000_000
	broken := errors.New("connection lost")
	for _, tc := range []struct {
		name string
		body io.Reader
		size int64
		max  int64
		want fault.Code
	}{
		{"said to be too large", bytes.NewReader(nil), limit + 1, limit, fault.SegmentUnreadable},
		{"too large", endless{}, -1, 4 * limit, fault.SegmentUnreadable},
		{"lost", iotest.ErrReader(broken), 100, limit, fault.SegmentUnreadable},
		{"lost in the middle", io.MultiReader(bytes.NewReader(make([]byte, 50)), iotest.ErrReader(broken)), 100, limit, fault.SegmentUnreadable},
		{"lost at its end", io.MultiReader(bytes.NewReader(make([]byte, 100)), iotest.ErrReader(broken)), 100, limit, fault.SegmentUnreadable},
		{"no room at the start", bytes.NewReader(nil), 100, 99, fault.UploadsFull},
		{"no room later", endless{}, -1, 2 * smallSize, fault.UploadsFull},
	} {
		b := &budget{max: tc.max}
		u := &upload{hash: signature.StartBackground(), budget: b, most: limit}
		err := u.receive(tc.body, tc.size, func(int) {})
		if fault.CodeOf(err) != tc.want {
			t.Errorf("%s: %v", tc.name, err)
		}
		if b.used.Load() != 0 {
			t.Errorf("%s: %d bytes stay booked", tc.name, b.used.Load())
		}
	}
}

func BenchmarkReceive(b *testing.B) {
	body := make([]byte, 1_500_000)
	budget := &budget{max: core.MaxSegmentBytes}
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		u, err := receive(bytes.NewReader(body), int64(len(body)), budget, func(int) {})
		if err != nil {
			b.Fatal(err)
		}
		u.sum()
		u.release()
	}
}
