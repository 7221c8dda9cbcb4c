package admission_test

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/tuttinode/tutti/server/admission"
)

func TestReadBody(t *testing.T) {
	t.Parallel()
	const limit = 10 << 20
	for name, row := range map[string]struct {
		have int   // bytes that come
		size int64 // announced
		err  error
	}{
		"announced":              {1_500_000, 1_500_000, nil},
		"announced large":        {9 << 20, 9 << 20, nil},
		"unknown":                {1_500_000, -1, nil},
		"unknown, buffer's size": {256 << 10, -1, nil},
		"empty":                  {0, 0, nil},
		"empty, unknown":         {0, -1, nil},
		"short":                  {10, 11, io.ErrUnexpectedEOF},
		"announced too large":    {0, limit + 1, admission.ErrBodyTooLarge},
		"unknown at the limit":   {limit, -1, nil},
		"unknown too large":      {limit + 1, -1, admission.ErrBodyTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := bytes.Repeat([]byte("tutti"), row.have/5+1)[:row.have]
			var seen bytes.Buffer
			var grown int64
			got, err := admission.BodyReader{
				Limit: limit, Size: row.size,
				Grow: func(n int64) error { grown += n; return nil },
				Sink: func(b []byte) { seen.Write(b) },
			}.Read(bytes.NewReader(want))
			if !errors.Is(err, row.err) {
				t.Fatalf("error %v, want %v", err, row.err)
			}
			if row.err != nil {
				return
			}
			if !bytes.Equal(got, want) || !bytes.Equal(seen.Bytes(), want) {
				t.Fatalf("got %d bytes, saw %d, want %d", len(got), seen.Len(), len(want))
			}
			if grown != int64(cap(got)) {
				t.Errorf("asked for %d bytes, holds %d", grown, cap(got))
			}
			if row.size >= 0 && int64(cap(got)) != row.size {
				t.Errorf("buffer of %d bytes for %d", cap(got), row.size)
			}
		})
	}
}

func TestReadBodyDoesNotTrustALength(t *testing.T) {
	t.Parallel()
	var grown int64
	_, err := admission.BodyReader{
		Limit: 300_000_000, Size: 299_000_000,
		Grow: func(n int64) error { grown += n; return nil },
	}.Read(bytes.NewReader(make([]byte, 1000)))
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Fatal(err)
	}
	if grown > 4<<20 {
		t.Errorf("%d bytes allocated for a body of 1000", grown)
	}
}

// Where little is trusted, memory is taken as the bytes come: never more than
// twice what is there, beyond the start.
func TestReadBodyTakesMemoryAsBytesCome(t *testing.T) {
	t.Parallel()
	const trust = 16 << 10
	for name, size := range map[string]int64{"announced": 3_000_000, "unknown": -1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := bytes.Repeat([]byte("tutti"), 600_000)
			var came, grown int64
			in := iotest.HalfReader(io.TeeReader(bytes.NewReader(want), counter(func(n int) { came += int64(n) })))
			got, err := admission.BodyReader{
				Limit: 10 << 20, Size: size, Trust: trust,
				Grow: func(n int64) error {
					if grown += n; grown > max(trust, 2*came) {
						t.Errorf("%d bytes taken when %d had come", grown, came)
					}
					return nil
				},
			}.Read(in)
			if err != nil || !bytes.Equal(got, want) || grown != int64(cap(got)) {
				t.Errorf("%d bytes, %d taken: %v", len(got), grown, err)
			}
		})
	}
}

// counter is a Writer that only counts.
type counter func(n int)

func (c counter) Write(b []byte) (int, error) { c(len(b)); return len(b), nil }

func TestReadBodyErrors(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	if _, err := (admission.BodyReader{Limit: 10, Size: -1}).Read(iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("read error came as %v", err)
	}
	refused := errors.New("no room")
	r := admission.BodyReader{Limit: 10, Size: 5, Grow: func(int64) error { return refused }}
	if _, err := r.Read(bytes.NewReader(make([]byte, 5))); !errors.Is(err, refused) {
		t.Errorf("refusal came as %v", err)
	}
	r = admission.BodyReader{Limit: 1000, Size: -1}
	if b, err := r.Read(iotest.OneByteReader(bytes.NewReader(make([]byte, 999)))); err != nil || len(b) != 999 {
		t.Errorf("byte by byte: %d, %v", len(b), err)
	}
}
