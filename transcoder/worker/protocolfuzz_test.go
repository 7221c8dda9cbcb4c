package worker_test

import (
	"bytes"
	"net"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder"
	"github.com/tuttinode/tutti/transcoder/worker"
)

// FuzzMessages gives every decoder the same bytes: none may panic, and what one
// accepts it must be able to say again.
func FuzzMessages(f *testing.F) {
	job, err := worker.EncodeJob(sampleJob(), 0)
	if err != nil {
		f.Fatal(err)
	}
	res := worker.EncodeResult(&core.TranscodeResult{Renditions: make([]core.Rendition, 2)}, true)
	f.Add(job)
	f.Add(res)
	f.Add(worker.EncodeHello(worker.HelloMessage{Version: 1, Device: "cpu", Missing: []string{"x"}}))
	f.Add(worker.EncodeError(fault.New(fault.InvalidData, "op", "detail")))
	f.Add(worker.EncodeSession("s"))
	f.Add(worker.EncodeCount(8))
	f.Add(worker.EncodeSound(worker.SoundMessage{Place: worker.InputPlace{Len: 9, Slot: 1}, To: core.SoundMP3,
		Limit: 1 << 20}))
	f.Add(worker.EncodeImage(worker.ImageMessage{Place: worker.InputPlace{Len: 9}, Limit: 1 << 20}))
	f.Add(worker.EncodeProbed(transcoder.MediaInfo{Container: "mpegts", VideoCodec: "h264", FPS: 29.97, Width: 2}))
	f.Fuzz(func(t *testing.T, b []byte) {
		if job, in, err := worker.DecodeJob(b); err == nil {
			// The length stands for the input's bytes; give it that many, when few.
			if in.Len > 1<<20 {
				return
			}
			job.Input = make([]byte, in.Len)
			if again, err := worker.EncodeJob(job, in.Slot); err != nil || !bytes.Equal(again, b) {
				t.Errorf("job: %v", err)
			}
		}
		worker.DecodeHello(b)
		worker.DecodeError(b)
		worker.DecodeSession(b)
		worker.DecodeInputPlace(b)
		if n, err := worker.DecodeCount(b); err == nil && (n > worker.MaxEncoders || !bytes.Equal(worker.EncodeCount(n), b)) {
			t.Errorf("count %d", n)
		}
		if s, err := worker.DecodeSound(b); err == nil && (!s.To.Valid() || !bytes.Equal(worker.EncodeSound(s), b)) {
			t.Errorf("sound %+v", s)
		}
		if i, err := worker.DecodeImage(b); err == nil && (i.Limit < 0 || !bytes.Equal(worker.EncodeImage(i), b)) {
			t.Errorf("image %+v", i)
		}
		if info, err := worker.DecodeProbed(b); err == nil && !bytes.Equal(worker.EncodeProbed(info), b) {
			t.Error("probed changed")
		}
		if res, err := worker.DecodeResult(b, 2); err == nil {
			if len(res.Renditions) != 2 || res.Bytes < 0 {
				t.Error("a result without its renditions")
			}
		}
	})
}

// FuzzStream reads arbitrary bytes as the control process reads a worker.
func FuzzStream(f *testing.F) {
	f.Add([]byte{5, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1, 'h', 'i'})
	f.Add([]byte{3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9})
	f.Add(bytes.Repeat([]byte{255}, 40))
	f.Fuzz(func(t *testing.T, b []byte) {
		c := worker.NewConn(fixed{bytes.NewReader(b)})
		payload, _ := worker.NewPayload(1<<10, 0, 1<<12)
		for {
			h, err := c.Next()
			if err != nil {
				return
			}
			switch {
			case h.Type == worker.TypeData && !payload.Complete():
				err = payload.Receive(c, h)
			case h.Type == worker.TypeData:
				err = c.Discard(h.Len)
			default:
				_, err = c.Message(h)
			}
			if err != nil {
				return
			}
		}
	})
}

// fixed is a connection that delivers given bytes.
type fixed struct{ *bytes.Reader }

func (fixed) Write(b []byte) (int, error)      { return len(b), nil }
func (fixed) Close() error                     { return nil }
func (fixed) LocalAddr() net.Addr              { return nil }
func (fixed) RemoteAddr() net.Addr             { return nil }
func (fixed) SetDeadline(time.Time) error      { return nil }
func (fixed) SetReadDeadline(time.Time) error  { return nil }
func (fixed) SetWriteDeadline(time.Time) error { return nil }

// BenchmarkPayload is one segment of usual size in one direction.
func BenchmarkPayload(b *testing.B) {
	for name, size := range map[string]int{"1.5MB": 1_500_000, "15MB": 15_000_000} {
		b.Run(name, func(b *testing.B) {
			x, y := pair(b)
			input := make([]byte, size)
			b.SetBytes(int64(size))
			done := make(chan error, 1)
			for b.Loop() {
				go func() {
					done <- x.Send(worker.TypeJob, 1, worker.EncodeInputPlace(worker.InputPlace{Len: size}), input)
				}()
				h, err := y.Next()
				if err != nil {
					b.Fatal(err)
				}
				if _, err := y.Message(h); err != nil {
					b.Fatal(err)
				}
				payload, _ := worker.NewPayload(size)
				for !payload.Complete() {
					h, err := y.Next()
					if err != nil {
						b.Fatal(err)
					}
					if err := payload.Receive(y, h); err != nil {
						b.Fatal(err)
					}
				}
				<-done
			}
		})
	}
}

// BenchmarkArena is the same through shared memory.
func BenchmarkArena(b *testing.B) {
	a, err := worker.NewArena()
	if err != nil {
		b.Fatal(err)
	}
	defer a.Close()
	input := make([]byte, 1_500_000)
	b.SetBytes(int64(len(input)))
	for b.Loop() {
		slot, err := a.Put(input)
		if err != nil {
			b.Fatal(err)
		}
		payload, _ := worker.NewPayload(len(input))
		if err := a.Fill(slot, payload); err != nil {
			b.Fatal(err)
		}
		a.Release(slot)
	}
}
