package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/bluenviron/mediacommon/v2/pkg/codecs/h264"
	"github.com/bluenviron/mediacommon/v2/pkg/formats/mpegts"

	"github.com/tuttinode/tutti/cmd/tutti_demo/camera"
	"github.com/tuttinode/tutti/test/whipclient"
	"github.com/tuttinode/tutti/transcoder/libav/clip"
)

const (
	// opening is what a live stream may take until its first picture; resumed is how
	// long its pictures may be missing after a kill.
	opening, resumed = time.Minute, 30 * time.Second
	// reported is how long an orchestrator may take to report a stream's status, which
	// the sample pipeline does every 5 seconds.
	reported = 12 * time.Second
	// enough pictures, two seconds and a half, say that a stream goes on.
	enough = 75
	ticks  = 90000
	// shortest is a live stream's shortest segment; pictures that are generated have a key frame every keyEvery, which
	// browsers are asked for too. The sample takes whole segments, so a short one is less that is lost with a process.
	shortest, keyEvery = 250 * time.Millisecond, 2 * shortest
)

// checkCamera publishes a generated picture through the sample pipeline and watches the
// result, while the runner and then the orchestrator that has the stream are killed. The
// viewer's connection stays. On a chain both orchestrators are paid.
func checkCamera(ctx context.Context, n *node, c *chain, page *cameraPage, out io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	s, err := publishGenerated(ctx, n, page)
	if err != nil {
		return fmt.Errorf("publish live video: %w", err)
	}
	defer s.close()
	v := &viewer{}
	if v.Watcher, err = whipclient.Watch(ctx, http.DefaultClient, camera.Address(n.gateway, "whep"), v.take); err != nil {
		return fmt.Errorf("watch live video: %w", err)
	}
	defer v.Close()
	if err := v.more(ctx, enough, opening); err != nil {
		return err
	}
	if err := v.decodes(ctx); err != nil {
		return err
	}
	fmt.Fprintf(out, "ok: live video by WHIP, transformed at %s, is watched by WHEP\n", page.Serving(ctx))
	for _, runner := range []bool{true, false} {
		what, at := map[bool]string{true: "runner", false: "orchestrator"}[runner], page.Serving(ctx)
		pause, err := v.during(ctx, func() error {
			if err := (&parties{n, c}).Kill(at, runner); err != nil || runner {
				return err
			}
			if err := awaitServing(ctx, page, at); err != nil {
				return errors.Join(err, page.Failure(ctx))
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("the %s is killed: %w", what, err)
		}
		fmt.Fprintf(out, "ok: the %s of the live stream was killed; it goes on, and no picture stays for more than %.1f s\n",
			what, pause.Seconds())
	}
	if c == nil {
		return nil
	}
	return checkLivePaid(ctx, page, out)
}

// checkLivePaid waits until the page counts tickets of both orchestrators.
func checkLivePaid(ctx context.Context, page *cameraPage, out io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, resumed)
	defer cancel()
	for {
		all, err := page.Parties(ctx)
		if err == nil && all[0].Tickets > 0 && all[1].Tickets > 0 {
			fmt.Fprintf(out, "ok: live video was paid with %d and %d tickets worth %s and %s wei\n", all[0].Tickets,
				all[1].Tickets, all[0].Paid, all[1].Paid)
			return nil
		}
		if wait(ctx, 200*time.Millisecond) != nil {
			return errors.Join(fmt.Errorf("%w: the tickets of live video are %+v", errWrong, all), err)
		}
	}
}

// sender publishes generated pictures in real time.
type sender struct {
	client *whipclient.Publisher
	stop   context.CancelFunc
	done   chan struct{}
}

// publishGenerated publishes until an orchestrator has the stream: before the gateway
// sees its deposit, none takes it.
func publishGenerated(ctx context.Context, n *node, page *cameraPage) (*sender, error) {
	ctx, cancel := context.WithTimeout(ctx, opening)
	defer cancel()
	url := camera.Address(n.gateway, "whip?pipeline=sample&streamId="+camera.Stream)
	for {
		s, err := startSender(ctx, url)
		if err != nil {
			return nil, err
		}
		if err = awaitServing(ctx, page, ""); err == nil {
			return s, nil
		}
		why := page.Failure(context.WithoutCancel(ctx)) // its requests have a limit of their own
		s.close()
		if ctx.Err() != nil {
			return nil, errors.Join(fmt.Errorf("no orchestrator takes it: %w", err), why)
		}
	}
}

// awaitServing waits until another orchestrator than one reports the stream's status.
func awaitServing(ctx context.Context, page *cameraPage, than string) error {
	ctx, cancel := context.WithTimeout(ctx, reported)
	defer cancel()
	for {
		if at := page.Serving(ctx); at != "" && at != than {
			return nil
		}
		if err := wait(ctx, 100*time.Millisecond); err != nil {
			return fmt.Errorf("%w: no orchestrator reports the stream within %s", errWrong, reported)
		}
	}
}

// startSender connects, and sends until it is closed.
func startSender(ctx context.Context, url string) (*sender, error) {
	source, err := clip.Generate(clip.Options{Width: 640, Height: 360, Segment: keyEvery, Bitrate: 800_000,
		Silent: true})
	if err != nil {
		return nil, err
	}
	client, err := whipclient.Publish(ctx, http.DefaultClient, url)
	if err != nil {
		source.Close()
		return nil, err
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	s := &sender{client: client, stop: stop, done: make(chan struct{})}
	go func() {
		defer close(s.done)
		defer source.Close()
		s.run(ctx, source)
	}()
	return s, nil
}

func (s *sender) close() {
	s.stop()
	<-s.done
	_ = s.client.Close() // nothing more is sent
}

// run sends pictures when they are due, until ctx ends.
func (s *sender) run(ctx context.Context, source clip.Source) {
	begin, first := time.Now(), int64(-1)
	for ctx.Err() == nil {
		seg, err := source.Next(ctx)
		if err != nil {
			return
		}
		_ = pictures(seg.Data, func(at int64, annexB []byte) error { // ends with ctx, or with the connection
			if first < 0 {
				first = at
			}
			if err := wait(ctx, time.Until(begin.Add(time.Duration(at-first)*time.Second/ticks))); err != nil {
				return err
			}
			// Sound that says nothing, as a microphone that is off.
			_ = s.client.Audio(uint32(at*48/90), []byte{0xf8, 0xff, 0xfe})
			return s.client.Video(uint32(at), annexB)
		})
	}
}

// pictures takes the pictures out of a segment.
func pictures(segment []byte, take func(at int64, annexB []byte) error) error {
	m := &mpegts.Reader{R: bytes.NewReader(segment)}
	if err := m.Initialize(); err != nil {
		return err
	}
	for _, t := range m.Tracks() {
		if _, ok := t.Codec.(*mpegts.CodecH264); !ok {
			continue
		}
		m.OnDataH264(t, func(pts, _ int64, unit [][]byte) error {
			annexB, err := h264.AnnexB(unit).Marshal()
			if err != nil {
				return err
			}
			return take(pts, annexB)
		})
	}
	for {
		if err := m.Read(); err != nil {
			return err
		}
	}
}

// viewer counts what a watcher gets.
type viewer struct {
	*whipclient.Watcher

	mu sync.Mutex
	// count is how many pictures came, kept the first ones; guarded by mu.
	count int
	kept  []whipclient.Unit
	// screen is the player's; guarded by mu.
	screen screen
}

func (v *viewer) take(u whipclient.Unit) {
	if u.Audio {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.count++; len(v.kept) < enough {
		v.kept = append(v.kept, u)
	}
	v.screen.picture(time.Now(), u.At)
}

func (v *viewer) pictures() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.count
}

// more waits until so many pictures came from now on, over the same connection.
func (v *viewer) more(ctx context.Context, count int, within time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	for had := v.pictures(); v.pictures() < had+count; {
		if err := wait(ctx, 50*time.Millisecond); err != nil {
			return fmt.Errorf("%w: %d pictures in %s, want %d", errWrong, v.pictures()-had, within, count)
		}
	}
	if !v.Connected() {
		return fmt.Errorf("%w: the viewer's connection is gone", errWrong)
	}
	return nil
}

// during does something to the stream, waits until it has gone on for a while, and returns the longest time for which a
// player shows one picture.
func (v *viewer) during(ctx context.Context, do func() error) (time.Duration, error) {
	v.mu.Lock()
	v.screen.reset()
	v.mu.Unlock()
	if err := do(); err != nil {
		return 0, err
	}
	if err := v.more(ctx, 3*enough, resumed); err != nil {
		return 0, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.screen.frozen > longestFreeze {
		return 0, fmt.Errorf("%w: one picture stays for %.1f s, %s are allowed", errWrong, v.screen.frozen.Seconds(),
			longestFreeze)
	}
	return v.screen.frozen, nil
}

// decodes reads the first pictures.
func (v *viewer) decodes(ctx context.Context) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	var file bytes.Buffer
	track := &mpegts.Track{Codec: &mpegts.CodecH264{}}
	m := &mpegts.Writer{W: &file, Tracks: []*mpegts.Track{track}}
	if err := m.Initialize(); err != nil {
		return err
	}
	count := 0
	for _, u := range v.kept {
		var unit h264.AnnexB
		if err := unit.Unmarshal(u.Data); err != nil {
			return fmt.Errorf("read a picture: %w", err)
		}
		if count == 0 && !h264.IsRandomAccess(unit) {
			continue // of the first one a packet was lost
		}
		at := int64(u.At - v.kept[0].At)
		if err := m.WriteH264(track, at, at, unit); err != nil {
			return err
		}
		count++
	}
	r, err := clip.ReadRendition(ctx, file.Bytes())
	if err != nil {
		return fmt.Errorf("decode the result: %w", err)
	}
	if count < enough/2 || r.Frames() < count*9/10 {
		return fmt.Errorf("%w: %d of %d pictures can be decoded", errWrong, r.Frames(), count)
	}
	return nil
}
