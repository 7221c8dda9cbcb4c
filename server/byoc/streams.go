package byoc

import (
	"context"
	"encoding/hex"
	"io"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/byoc"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/liverunner"
	"github.com/tuttinode/tutti/server/trickle"
)

// A stream's channels are named after it.
const (
	suffixOut     = "-out"
	suffixControl = "-control"
	suffixEvents  = "-events"
	suffixData    = "-data"

	typeMedia = "video/MP2T"
	typeLines = "application/jsonl"
)

const (
	// maxStreams bounds all streams, maxPartyStreams those of one party.
	maxStreams, maxPartyStreams = 4096, 64
	// maxPeers bounds the addresses from which a stream may be used.
	maxPeers = 16
	// stopTime is how long a capability is waited for when a stream ends without its gateway.
	stopTime = 5 * time.Second
)

// streamKey names a stream: its id is its gateway's choice, so that of another gateway may be the same.
type streamKey struct {
	sender core.Address
	id     string
}

// stream is one at a capability. supervise owns its end.
type stream struct {
	streamKey
	// name is what the capability knows it by, which no other stream has. base begins the channels' names, so it is a
	// credential.
	name, base string
	party      string
	media      byoc.Media
	*paidJob
	hub *trickle.Hub
	// input and output are nil without such a channel.
	input, output, control, events *trickle.Channel
	// peers are the network addresses from which it was begun and paid. Guarded by the server's mu.
	peers []string
	// ctx ends with the stream, ended is closed then. started says that the capability knows it.
	ctx     context.Context
	cancel  context.CancelFunc
	ended   chan struct{}
	started bool
}

// add adds a stream that begins, unless its gateway has one of its id. Its capability gets the id as well, with random
// digits behind it where it knows the stream of another gateway by that. The caller must call forget in the end.
func (s *Server) add(x *stream) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := 0
	for _, o := range s.streams {
		if o.party == x.party {
			own++
		}
	}
	switch {
	case s.closed || len(s.streams) >= maxStreams || own >= maxPartyStreams:
		return errNoCapacity
	case s.streams[x.streamKey] != nil:
		return errStreamKnown
	}
	x.name = x.id
	if s.names[x.name] {
		var b [8]byte
		if _, err := io.ReadFull(s.o.Rand, b[:]); err != nil {
			return fault.Wrap(fault.Unexpected, "name a stream", err)
		}
		x.name += "-" + hex.EncodeToString(b[:])
	}
	s.names[x.name], s.streams[x.streamKey] = true, x
	return nil
}

// forget frees a stream's name, when its capability gets no more calls about it: what it gets late ends no
// other stream.
func (s *Server) forget(x *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.names, x.name)
}

// remove removes a stream, and reports whether it was there: its end is then the caller's.
func (s *Server) remove(x *stream) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.streams[x.streamKey] != x {
		return false
	}
	delete(s.streams, x.streamKey)
	return true
}

// find returns a stream that is the sender's, at an address from which it was begun or paid: the signature of a
// request is the same at every orchestrator, and off-chain there is none.
func (s *Server) find(r *http.Request, job *byoc.Job) (*stream, error) {
	d, err := details(job)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.streams[streamKey{job.Sender, d.StreamID}]
	if x == nil || !x.started || x.work.Capability != job.Capability ||
		!slices.Contains(x.peers, core.PeerName(r.RemoteAddr)) {
		return nil, errNoStream
	}
	return x, nil
}

// open makes the stream's channels.
func (x *stream) open(random io.Reader) error {
	var b [16]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return fault.Wrap(fault.Unexpected, "name a stream", err)
	}
	x.base = hex.EncodeToString(b[:])
	if x.media.Input {
		x.input = x.hub.Open(x.base, x.base, typeMedia)
	}
	if x.media.Output {
		x.output = x.hub.Open(x.base, x.base+suffixOut, typeMedia)
	}
	if x.media.Data {
		x.hub.Open(x.base, x.base+suffixData, typeLines)
	}
	x.control = x.hub.Open(x.base, x.base+suffixControl, typeJSON)
	x.events = x.hub.Open(x.base, x.base+suffixEvents, typeJSON)
	return nil
}

func (x *stream) close() {
	if x.base == "" {
		return
	}
	for _, suffix := range []string{"", suffixOut, suffixControl, suffixEvents, suffixData} {
		x.hub.Close(x.base + suffix)
	}
}

// finish ends all that the stream holds at this node.
func (x *stream) finish() {
	x.close()
	x.end()
}

// supervise waits until a side ends the stream, and ends it for the others.
func (s *Server) supervise(x *stream) {
	defer close(x.ended)
	defer x.cancel()
	s.o.Log.Info("a stream begins at an external capability", "model", x.work.Capability)
	why := x.wait()
	own := s.remove(x)
	s.o.Log.Info("a stream ended at an external capability", "model", x.work.Capability, "reason", why)
	x.finish()
	if own {
		s.tellStopped(x)
		s.forget(x)
	}
}

// tellStopped tells the capability that a stream has ended without its gateway's request.
func (s *Server) tellStopped(x *stream) {
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	res, err := s.callStream(ctx, x, "stream/stop", http.Header{}, []byte("{}"))
	if err == nil {
		_ = res.Body.Close()
	}
}

// callStream sends a request about a stream to its capability.
func (s *Server) callStream(ctx context.Context, x *stream, path string, header http.Header, body []byte) (
	*http.Response, error) {
	header.Set(headerStream, x.name)
	return s.call(ctx, &x.slot.Capability, path, header, body)
}

// wait returns why the stream ends.
func (x *stream) wait() string {
	control, events := x.control.Done(), x.events.Done()
	for control != nil || events != nil {
		select {
		case <-closing(x.input):
			return "its input was closed or idle"
		case <-closing(x.output):
			return "its output was closed or idle"
		case <-control:
			control = nil
		case <-events:
			events = nil
		case <-x.meter.Unpaid():
			return "it is not paid"
		case <-x.ctx.Done():
			return "it was stopped"
		}
	}
	return "its channels were closed or idle"
}

// closing is closed with a channel; a stream may be without.
func closing(c *trickle.Channel) <-chan struct{} {
	if c == nil {
		return nil
	}
	return c.Done()
}

// urls are the stream's channels as one side reaches them, by the network's names for the gateway's side.
type urls struct{ publish, subscribe, control, events, data string }

func (x *stream) urls(base string) (u urls) {
	base += liverunner.ChannelPath + x.base
	if x.media.Input {
		u.publish = base
	}
	if x.media.Output {
		u.subscribe = base + suffixOut
	}
	if x.media.Data {
		u.data = base + suffixData
	}
	u.control, u.events = base+suffixControl, base+suffixEvents
	return u
}

// insideURI is the orchestrator's address as capabilities know it.
func (s *Server) insideURI() string {
	u, err := url.Parse(s.o.ServiceURI)
	if err != nil || s.o.RunnerHost == "" {
		return s.o.ServiceURI
	}
	return u.Scheme + "://" + s.o.RunnerHost
}
