package ingest

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/admission"
	"github.com/tuttinode/tutti/server/gateway"
	"github.com/tuttinode/tutti/server/gateway/live"
	"github.com/tuttinode/tutti/server/gateway/segmenter"
)

const (
	// segmentLength is the length of segments for transcoding, if the encoder's key frames permit it. fastest is the
	// least wall time between two segments: a stream that is sent faster is cut into longer segments.
	segmentLength = 2 * time.Second
	fastest       = 250 * time.Millisecond
)

// Options make an Ingest. Gateway, Log and Now must be set.
type Options struct {
	Gateway *gateway.Gateway
	// Live serves live video; nil refuses it.
	Live *live.Server
	// Silence is how long a publisher may send no picture and no key frame; default 30 s. Watch is how often that
	// is checked; default 1 s.
	Silence, Watch time.Duration
	Log            *slog.Logger
	Now            func() time.Time
}

// Ingest has the streams that are published now. Safe for concurrent use.
type Ingest struct {
	o Options

	mu sync.Mutex
	// streams are those for transcoding, by name.
	streams map[string]*stream
}

// New makes an Ingest.
func New(o Options) *Ingest {
	o.Silence = cmp.Or(o.Silence, 30*time.Second)
	o.Watch = cmp.Or(o.Watch, time.Second)
	return &Ingest{o: o, streams: make(map[string]*stream)}
}

// stream is a published stream. Its segmenter takes the media.
type stream struct {
	*segmenter.Segmenter
	i     *Ingest
	name  string
	owner string
	begun time.Time
	// ctx ends with the stream, stop ends it with a reason, ended is closed when all of it is over.
	ctx   context.Context
	stop  context.CancelCauseFunc
	ended chan struct{}
	live  bool
	// finish ends the media, drain waits until all of it is served. over is closed when the serving side ends first;
	// why returns the reason.
	finish, drain func()
	over          <-chan struct{}
	why           func() error
	wg            sync.WaitGroup
}

// Publish begins a stream that ends with ctx. A client that publishes it already and connects again replaces its
// first connection; others are refused. The caller closes the stream. Errors are faults.
func (i *Ingest) Publish(ctx context.Context, p gateway.Publisher, a Address) (*stream, error) {
	p.Name, p.Key = a.Name, a.Key
	a.Query.Del("key")
	p.Query = a.Query.Encode()
	s := &stream{i: i, name: a.Name, live: a.Live, begun: i.o.Now(), ended: make(chan struct{})}
	s.ctx, s.stop = context.WithCancelCause(ctx)
	// The names of live streams are those of WHIP too: live.Server knows their owners.
	if !a.Live {
		key, err := i.o.Gateway.MayPublish(ctx, &p)
		if err == nil {
			s.owner = cmp.Or(key, admission.NetworkOf(p.Addr).String())
			err = i.claim(s)
		}
		if err != nil {
			s.stop(err)
			return nil, err
		}
	}
	if err := s.open(p, a); err != nil {
		s.stop(err)
		i.release(s)
		return nil, err
	}
	s.wg.Go(s.watch)
	return s, nil
}

// claim takes the stream's name, and waits until one of the same client that had it is over.
func (i *Ingest) claim(s *stream) error {
	for {
		i.mu.Lock()
		old := i.streams[s.name]
		if old == nil {
			i.streams[s.name] = s
			i.mu.Unlock()
			return nil
		}
		i.mu.Unlock()
		if old.owner != s.owner {
			return fault.New(fault.PublishTaken, "publish", "")
		}
		old.stop(fault.New(fault.PublishTaken, "publish", "the same client published it again"))
		select {
		case <-old.ended:
		case <-s.ctx.Done():
			return fault.Wrap(fault.Canceled, "publish", s.ctx.Err())
		}
	}
}

func (i *Ingest) release(s *stream) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.streams[s.name] == s {
		delete(i.streams, s.name)
	}
	close(s.ended)
}

// open connects the media to the transcoding gateway or to live video.
func (s *stream) open(p gateway.Publisher, a Address) error {
	if !a.Live {
		// Segments that are in progress continue when the client leaves.
		pub, err := s.i.o.Gateway.Publish(context.WithoutCancel(s.ctx), p)
		if err != nil {
			return err
		}
		s.Segmenter = segmenter.New(segmenter.Options{Least: segmentLength, LeastWall: fastest, Now: s.i.o.Now})
		s.Direct(pub)
		s.over, s.why = pub.Done(), pub.Err
		s.finish, s.drain = s.Finish, pub.Close
		return nil
	}
	if s.i.o.Live == nil {
		return fault.New(fault.PublishAddress, "publish", "live video is off; start the gateway with -liveMediaAddr")
	}
	pub, err := s.i.o.Live.Publish(s.ctx, live.Publisher{Name: a.Name, Addr: p.Addr, Host: p.Host, Key: p.Key,
		Query: a.Query, Unknown: s.i.o.Gateway.UnknownAddress(p.Addr)})
	if err != nil {
		return err
	}
	s.Segmenter = pub.Segmenter()
	s.over, s.why, s.finish, s.drain = pub.Done(), pub.Err, pub.End, pub.Close
	return nil
}

// Context ends with the stream; its cause is the reason.
func (s *stream) Context() context.Context { return s.ctx }

// Close ends the stream, once its last segment is on its way, and waits until all of it is over.
func (s *stream) Close() {
	s.stop(nil)
	s.wg.Wait()
	s.finish()
	s.i.release(s)
	s.drain()
}

// watch ends the stream when its publisher is silent, or when the serving side ends.
func (s *stream) watch() {
	tick := time.NewTicker(s.i.o.Watch)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if err := s.check(); err != nil {
				s.stop(err)
			}
		case <-s.over:
			s.stop(s.why())
			return
		case <-s.ctx.Done():
			return
		}
	}
}

// check returns why the stream has to end, nil for nothing.
func (s *stream) check() error {
	picture, fed, failed := s.Last()
	if picture.IsZero() {
		picture = s.begun
	}
	switch now := s.i.o.Now(); {
	case failed != nil && !s.live: // live video goes on at another orchestrator
		return failed
	case now.Sub(picture) > s.i.o.Silence:
		return fault.New(fault.PublishSilent, "publish", "")
	case !s.live && fed.IsZero() && now.Sub(s.begun) > s.i.o.Silence:
		return fault.New(fault.PublishNoKeyFrame, "publish", "")
	}
	return nil
}
