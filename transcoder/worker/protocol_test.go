package worker_test

import (
	"bytes"
	"errors"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder/worker"
)

// pair is a connected socket pair as the worker gets it.
func pair(t testing.TB) (a, b *worker.Conn) {
	t.Helper()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	open := func(fd int) *worker.Conn {
		f := os.NewFile(uintptr(fd), "pair")
		defer f.Close()
		c, err := net.FileConn(f)
		if err != nil {
			t.Fatal(err)
		}
		conn := worker.NewConn(c)
		t.Cleanup(func() { conn.Close() })
		return conn
	}
	return open(fds[0]), open(fds[1])
}

func sampleJob() *core.TranscodeJob {
	return &core.TranscodeJob{
		Session: "s1", Manifest: "m/1", Number: -7, Input: bytes.Repeat([]byte{1, 2, 3}, 400_000),
		Duration: 2 * time.Second, Signature: true, Reinit: true, Effect: core.EffectGray, Origin: "offchain",
		Clip: &core.Clip{From: time.Second, To: 3 * time.Second},
		Profiles: []core.Profile{
			{Name: "P720", Width: 1280, Height: 720, Bitrate: 3_000_000, FPS: core.Framerate{Num: 30000, Den: 1001},
				Profile: core.ProfileHigh, GOP: core.GOPIntra},
			{Name: "", Width: 0, Height: 360, Format: core.FormatMP4, Encoder: core.CodecHEVC, Quality: 30, ColorDepth: 2,
				Chroma: core.Chroma444},
		},
	}
}

func TestJobSurvivesTheSocket(t *testing.T) {
	t.Parallel()
	a, b := pair(t)
	job := sampleJob()
	msg, err := worker.EncodeJob(job, 0)
	if err != nil {
		t.Fatal(err)
	}
	sent := make(chan error, 1)
	go func() { sent <- a.Send(worker.TypeJob, 42, msg, job.Input) }()

	h, err := b.Next()
	if err != nil || h.Type != worker.TypeJob || h.ID != 42 {
		t.Fatalf("next: %+v, %v", h, err)
	}
	body, err := b.Message(h)
	if err != nil {
		t.Fatal(err)
	}
	got, place, err := worker.DecodeJob(body)
	if err != nil {
		t.Fatal(err)
	}
	payload, bufs := worker.NewPayload(place.Len)
	for !payload.Complete() {
		h, err := b.Next()
		if err != nil || h.Type != worker.TypeData {
			t.Fatalf("data: %+v, %v", h, err)
		}
		if err := payload.Receive(b, h); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-sent; err != nil {
		t.Fatal(err)
	}
	got.Input = bufs[0]
	if !equalJobs(got, job) {
		t.Errorf("got %+v\nwant %+v", got, job)
	}
}

func equalJobs(a, b *core.TranscodeJob) bool {
	x, errx := worker.EncodeJob(a, 0)
	y, erry := worker.EncodeJob(b, 0)
	return errx == nil && erry == nil && bytes.Equal(x, y) && bytes.Equal(a.Input, b.Input)
}

func TestJobsThatTheWorkerWouldRefuseAreNotSent(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 5<<10)
	for name, change := range map[string]func(*core.TranscodeJob){
		"session":  func(j *core.TranscodeJob) { j.Session = core.SessionID(long) },
		"manifest": func(j *core.TranscodeJob) { j.Manifest = core.ManifestID(long) },
		"name":     func(j *core.TranscodeJob) { j.Profiles[1].Name = long },
		"profiles": func(j *core.TranscodeJob) { j.Profiles = make([]core.Profile, 65) },
		"sum":      func(j *core.TranscodeJob) { fillNames(j, long[:4000]) },
	} {
		job := sampleJob()
		change(job)
		if _, err := worker.EncodeJob(job, 0); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func fillNames(j *core.TranscodeJob, name string) {
	j.Profiles = nil
	for range 60 {
		j.Profiles = append(j.Profiles, core.Profile{Name: name})
	}
}

func TestResult(t *testing.T) {
	t.Parallel()
	res := &core.TranscodeResult{
		DecodedFrames: 60, DecodedPixels: 60 * 1920 * 1080, MediaTime: 300 * time.Millisecond,
		SourceDuration: 2 * time.Second,
		Renditions: []core.Rendition{
			{Data: bytes.Repeat([]byte("a"), 300<<10), Frames: 60, Pixels: 60 * 1280 * 720, Signature: []byte("sig")},
			{Data: bytes.Repeat([]byte("b"), 30), Frames: 30, Pixels: 30 * 640 * 360},
		},
	}
	msg, payloads := worker.EncodeResult(res, false), worker.ResultPayloads(res)
	a, b := pair(t)
	go a.Send(worker.TypeResult, 1, msg, payloads...)
	h, err := b.Next()
	if err != nil {
		t.Fatal(err)
	}
	body, err := b.Message(h)
	if err != nil {
		t.Fatal(err)
	}
	announced, err := worker.DecodeResult(body, 2)
	if err != nil {
		t.Fatal(err)
	}
	got, payload := announced.TranscodeResult, announced.Allocate()
	for !payload.Complete() {
		if h, err = b.Next(); err != nil {
			t.Fatal(err)
		}
		if err := payload.Receive(b, h); err != nil {
			t.Fatal(err)
		}
	}
	again, more := worker.EncodeResult(got, false), worker.ResultPayloads(got)
	if !bytes.Equal(again, msg) || !bytes.Equal(bytes.Join(more, nil), bytes.Join(payloads, nil)) {
		t.Errorf("got %+v", got)
	}
	if got.Renditions[1].Signature != nil {
		t.Error("a signature came from nowhere")
	}
	if _, err := worker.DecodeResult(body, 3); err == nil {
		t.Error("two renditions passed for three")
	}
}

func TestHostileResults(t *testing.T) {
	t.Parallel()
	for name, res := range map[string]*core.TranscodeResult{
		"negative pixels": {Renditions: []core.Rendition{{Pixels: -1}}},
		"negative frames": {Renditions: []core.Rendition{{Frames: -1}}},
		"absurd frames":   {Renditions: []core.Rendition{{Frames: 1 << 40}}},
		"negative time":   {MediaTime: -1, Renditions: make([]core.Rendition, 1)},
		"absurd decoded":  {DecodedFrames: 1 << 50, Renditions: make([]core.Rendition, 1)},
	} {
		msg := worker.EncodeResult(res, true)
		if _, err := worker.DecodeResult(msg, 1); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestPayloadRefusesMoreThanAnnounced(t *testing.T) {
	t.Parallel()
	a, b := pair(t)
	go a.Send(worker.TypeJob, 1, nil, []byte("12345"))
	if _, err := b.Next(); err != nil {
		t.Fatal(err)
	}
	h, err := b.Next()
	if err != nil {
		t.Fatal(err)
	}
	payload, _ := worker.NewPayload(4)
	var malformed *worker.ProtocolError
	if err := payload.Receive(b, h); !errors.As(err, &malformed) {
		t.Errorf("got %v", err)
	}
}

func TestHelloAndErrors(t *testing.T) {
	t.Parallel()
	hello := worker.HelloMessage{Version: worker.ProtocolVersion, Device: "0", Missing: []string{"a", "b"}}
	got, err := worker.DecodeHello(worker.EncodeHello(hello))
	if err != nil || got.Version != hello.Version || got.Device != "0" || len(got.Missing) != 2 {
		t.Errorf("got %+v, %v", got, err)
	}

	in := &fault.Fault{Code: fault.InvalidData, Op: "encode", Detail: "seen by all", Err: errors.New("not seen")}
	f, err := worker.DecodeError(worker.EncodeError(in))
	if err != nil || f.Error() != in.Error() {
		t.Errorf("got %v, %v", f, err)
	}
	f, err = worker.DecodeError(worker.EncodeError(&fault.Fault{Code: "Invented", Detail: "lies"}))
	if err != nil || f.Code != fault.Unexpected || f.Detail != "" {
		t.Errorf("an invented code came through: %+v, %v", f, err)
	}
	f, err = worker.DecodeError(worker.EncodeError(errors.New(strings.Repeat("x", 1<<20))))
	if err != nil || f.Code != fault.Unexpected || len(f.Err.Error()) > 8<<10 {
		t.Errorf("a long cause: %v, %v", f.Code, err)
	}
}

func TestSendersInterleaveWhole(t *testing.T) {
	t.Parallel()
	a, b := pair(t)
	const senders, size = 8, 1 << 20
	var wg sync.WaitGroup
	for id := range senders {
		wg.Go(func() {
			a.Send(worker.TypeJob, uint64(id), nil, bytes.Repeat([]byte{byte(id)}, size))
		})
	}
	got := make([]int, senders)
	for done := 0; done < senders; {
		h, err := b.Next()
		if err != nil {
			t.Fatal(err)
		}
		body, err := b.Message(h)
		if err != nil {
			t.Fatal(err)
		}
		if h.Type != worker.TypeData {
			continue
		}
		if n := bytes.Count(body, []byte{byte(h.ID)}); n != len(body) {
			t.Fatalf("frame of %d mixed", h.ID)
		}
		if got[h.ID] += len(body); got[h.ID] == size {
			done++
		}
	}
	wg.Wait()
}

func TestArena(t *testing.T) {
	t.Parallel()
	a, err := worker.NewArena()
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	view, err := worker.MapArena(int(a.File().Fd()))
	if err != nil {
		t.Fatal(err)
	}
	input := bytes.Repeat([]byte("in"), 500_000)
	slot, err := a.Put(input)
	if err != nil || slot == 0 {
		t.Fatalf("slot %d, %v", slot, err)
	}
	other, err := a.Put([]byte("other"))
	if err != nil || other == slot {
		t.Fatalf("slot %d twice, %v", other, err)
	}
	if got, err := view.Input(slot, len(input)); err != nil || !bytes.Equal(got, input) {
		t.Errorf("the input did not arrive: %v", err)
	}
	if !view.Leave(slot, [][]byte{[]byte("first"), nil, []byte("second")}) {
		t.Fatal("a small result does not fit")
	}
	payload, bufs := worker.NewPayload(5, 0, 6)
	if err := a.Fill(slot, payload); err != nil || !payload.Complete() ||
		string(bytes.Join(bufs, []byte("|"))) != "first||second" {
		t.Errorf("got %q, %v", bufs, err)
	}
	if got, err := view.Input(other, 5); err != nil || string(got) != "other" {
		t.Errorf("a neighbor's slot: %q, %v", got, err)
	}
	a.Release(slot)
	if again, err := a.Put(nil); err != nil || again != slot {
		t.Errorf("slot %d, not the warm %d: %v", again, slot, err)
	}
}

func TestArenaRunsOutPolitely(t *testing.T) {
	t.Parallel()
	a, err := worker.NewArena()
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if slot, err := a.Put(make([]byte, 9<<20)); slot != 0 || err != nil {
		t.Errorf("too large: slot %d, %v", slot, err)
	}
	n := 0
	for ; ; n++ {
		slot, err := a.Put([]byte("x"))
		if err != nil {
			t.Fatal(err)
		}
		if slot == 0 {
			break
		}
	}
	if n != 64 {
		t.Errorf("%d slots", n)
	}
	large, _ := worker.NewPayload(9 << 20)
	small, _ := worker.NewPayload(1)
	if a.Fill(1, large) == nil || a.Fill(0, small) == nil {
		t.Error("a result came from nowhere")
	}
	if err := a.File().Truncate(1 << 40); err == nil {
		t.Error("the arena can grow")
	}
}
