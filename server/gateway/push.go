package gateway

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/keccak"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/core/videorouting"
	"github.com/tuttinode/tutti/server/admission"
	"github.com/tuttinode/tutti/server/gateway/body"
	"github.com/tuttinode/tutti/server/gateway/hls"
	"github.com/tuttinode/tutti/server/gateway/upstream"
	"github.com/tuttinode/tutti/server/gateway/verify"
	"github.com/tuttinode/tutti/server/origin"
	"github.com/tuttinode/tutti/server/rpc"
)

// push is one segment on its way through the gateway.
type push struct {
	req    *pushRequest
	stream *stream
	plan   plan
	// place is the segment's turn to be published, nil when it had it.
	place  *hls.Place
	at     time.Time
	data   []byte
	hash   [keccak.Size]byte
	input  *input
	reinit bool
	// plays is how long it plays, as measured where that could be; times are its clock's,
	// nil where it has none.
	plays time.Duration
	times *verify.Times
	// unchecked: everyone who reaches the gateway may push like this.
	unchecked bool
	trail     trail
	// from is the client's address. read, queue and away are times that were not ours:
	// until the segment was here, for the stream's earlier segments, with orchestrators.
	from              string
	read, queue, away time.Duration
	// client is who causes the payment, see upstream.Segment.
	client string
	// held is the memory, which is given back once the push is over and its segment does not
	// wait for earlier ones.
	held *hold
}

// servePush takes a segment, has it transcoded and answers with the renditions
// when the client asked for them.
func (g *Gateway) servePush(w http.ResponseWriter, r *http.Request) {
	begun := time.Now()
	if r.Method != http.MethodPost && r.Method != http.MethodPut {
		w.Header().Set("Allow", "POST, PUT")
		refuse(w, r, http.StatusMethodNotAllowed, fault.New(fault.PushPath, "take segment", "segments are sent by POST or PUT"))
		return
	}
	if g.opt.NoPush {
		g.refusePush(w, r, fault.New(fault.PushOff, "take segment", ""))
		return
	}
	key, err := g.opt.Access.Push(r)
	if err != nil {
		g.refusePush(w, r, err)
		return
	}
	req, err := readPush(r.URL.Path, r.Header)
	if err != nil {
		g.refusePush(w, r, err)
		return
	}
	if req.Playlist {
		g.discardPlaylist(w, r)
		return
	}
	from := g.stranger(r, key)
	s, err := g.join(r, key, from, req)
	if err != nil {
		g.refusePush(w, r, err)
		return
	}
	defer g.pushes.leave(from)
	defer func() { s.leave(g.opt.Now()) }()
	p := &push{req: req, stream: s, place: s.order.Begin(req.Number), at: g.opt.Now(), from: clientIP(r),
		client: clientOf(r, key, req.Manifest)}
	defer p.release() // should something below panic, later segments must not wait for this one
	// The client's slowness to take its answer keeps the renditions in memory.
	room := g.bodies.share(from)
	p.held = holdUntil(room)
	defer p.held.done()
	p.unchecked = g.opt.Access.Unchecked(key)
	renditions, err := g.take(w, r, p, room)
	g.conclude(p, renditions, time.Since(begun), err)
	if err != nil {
		g.refusePush(w, r, err)
		return
	}
	if req.Multipart {
		g.writeRenditions(w, p, renditions)
	}
}

// discardPlaylist takes an encoder's own playlist, of which nothing is kept. It has no place
// among the segments: no service is asked about it, so everyone may send one.
func (g *Gateway) discardPlaylist(w http.ResponseWriter, r *http.Request) {
	if g.pushes.isDraining() {
		g.refusePush(w, r, g.pushes.why())
		return
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(r.Body, 1<<20))
}

// searchCost is what a segment of an unchecked stream counts for its address that has no
// result yet (admission.Cause): it has every orchestrator asked.
const searchCost = 1 << 10

// take reads the body and has it transcoded.
func (g *Gateway) take(w http.ResponseWriter, r *http.Request, p *push, room *share) ([][]byte, error) {
	begun := time.Now()
	err := g.readBody(w, r, p, room)
	if p.read = time.Since(begun); err != nil {
		return nil, err
	}
	p.stream.encoders.saw(pushed{number: p.req.Number, hash: p.hash, from: p.from}, p.at)
	ctx, cancel := g.lifetime(r.Context(), p.req.Multipart)
	defer cancel()
	// A segment that is refused changes nothing of the stream.
	if p.input, err = g.examine(ctx, p.data, p.req.Format, p.stream.lastInput()); err != nil {
		return nil, err
	}
	g.prepare(p)
	if p.plays = p.req.Duration; p.input.NoFrames {
		return bypass(p), nil
	}
	if p.unchecked && !p.stream.hasSucceeded() && !admission.Cause(ctx, searchCost) {
		return nil, fault.New(fault.AddressBusy, "find orchestrators", "too many streams of this address without a result")
	}
	begun = time.Now()
	select {
	case p.stream.gate <- struct{}{}:
		p.queue = time.Since(begun)
		defer func() { <-p.stream.gate }()
	case <-ctx.Done():
		return nil, fault.Wrap(fault.Canceled, "wait for the stream's segments", ctx.Err())
	}
	j := g.job(p, room)
	begun = time.Now()
	renditions, t, err := g.transcode(ctx, j)
	p.trail, p.away = t, time.Since(begun)
	if err == nil {
		p.stream.told(p.reinit)
		g.opt.Recorder.SegmentTranscoded(&core.Transcoded{
			Manifest: p.stream.id, Profiles: signature.ProfileNames(p.plan.profiles), Duration: p.req.Duration,
			Took: time.Since(p.at), Encoded: t.pixels, Verified: g.opt.LocalVerify, By: t.by,
		})
	}
	return renditions, err
}

// job describes a segment to orchestrators. What it is paid for, and announced as, is its
// measured length: a client's word must not raise the price.
func (g *Gateway) job(p *push, room *share) *job {
	source := verify.ReadSource(p.data, p.req.Duration)
	length := source.Length()
	p.plays, p.times = source.Plays(), source.Times
	patience := length
	if source.Pictures == 0 {
		patience = max(length, p.req.Duration)
	}
	j := &job{
		stream: p.stream, wants: g.wants(&p.plan, p.input), room: room,
		source: verify.Size{Width: p.input.Width, Height: p.input.Height}, input: source,
	}
	j.seg = upstream.Segment{
		Data: p.data, Client: p.client, Estimate: videorouting.Estimate(p.plan.profiles, length),
		Timing: videorouting.TimingOf(patience, p.plan.multiplier),
		Meta: rpc.SegmentMeta{
			Manifest: p.stream.id, Number: p.req.Number, Hash: p.hash, Duration: length,
			Profiles: p.plan.profiles, Capabilities: j.wants.Capabilities, Clip: p.req.Clip, Reinit: p.reinit,
		},
	}
	return j
}

// clientOf is who pushes, as the bounds of payments count: the holder of a key, an address,
// or on the own machine, where all have one address, a stream.
func clientOf(r *http.Request, key string, stream core.ManifestID) string {
	network, own := origin.Client(r)
	switch {
	case key != "":
		return "key " + key
	case own:
		return "stream " + string(stream)
	}
	return "address " + network
}

// ownerOf is the client that begins a stream: the holder of a key, or an address. The own
// machine's programs are one.
func ownerOf(r *http.Request, key string) string {
	if key != "" {
		return "key " + key
	}
	network, _ := origin.Client(r)
	return "address " + network
}

// lifetime is how long a segment is worked on: at most as long as the gateway
// runs. A client that waits for the renditions ends it by going away; without
// one the players are still there, and many encoders do not wait for the answer.
func (g *Gateway) lifetime(request context.Context, awaited bool) (context.Context, context.CancelFunc) {
	if !awaited {
		request = context.WithoutCancel(request)
	}
	ctx, cancel := context.WithCancel(request)
	release := context.AfterFunc(g.ctx, cancel)
	return ctx, func() { release(); cancel() }
}

// prepare has the stream take what the push asks for and what its segment is.
func (g *Gateway) prepare(p *push) {
	var changed bool
	p.plan, changed = p.stream.configure(p.req.Config, p.req.Format)
	if changed {
		g.endAll(p.stream.pool.Reset())
		g.windows.Open(p.stream.id, p.plan.variants(p.req))
	}
	p.reinit = p.stream.note(p.input)
}

// bypass gives the source as every rendition. Only MPEG-TS that declares video and has
// not one picture in the whole segment is passed on so.
func bypass(p *push) [][]byte {
	out := make([][]byte, len(p.plan.profiles))
	for i := range out {
		out[i] = p.data
	}
	return out
}

// readBody reads and hashes the segment. Errors are faults PushEmpty,
// PushTooLarge, PushSlow, PushBroken and PushesFull.
func (g *Gateway) readBody(w http.ResponseWriter, r *http.Request, p *push, room *share) error {
	const op = "read segment"
	hash := keccak.StartBackground()
	patient := g.patientReader(w, r.Body)
	data, err := body.Reader{
		Limit: core.MaxSegmentBytes, Size: r.ContentLength,
		Grow: room.grow, Sink: hash.Add,
	}.Read(patient)
	patient.done()
	p.hash = hash.Sum()
	var full *fault.Fault
	switch {
	case err == nil && len(data) == 0:
		return fault.New(fault.PushEmpty, op, "the segment has no bytes")
	case err == nil:
	case errors.As(err, &full):
		return err
	case errors.Is(err, body.ErrTooLarge):
		return fault.New(fault.PushTooLarge, op, "the segment is larger than 300000000 bytes")
	case patient.late():
		return &fault.Fault{Code: fault.PushSlow, Op: op, Detail: "the segment's bytes did not come in time", Err: err}
	default:
		return fault.Wrap(fault.PushBroken, op, err)
	}
	p.data = data
	g.opt.Recorder.SegmentReceived(p.stream.id, len(data), p.req.Duration, g.opt.Now().Sub(p.at))
	return nil
}

// conclude publishes a segment, or its absence, to players and to the feed.
func (g *Gateway) conclude(p *push, renditions [][]byte, took time.Duration, err error) {
	var seg *hls.Segment
	if err == nil {
		g.describe(p, renditions)
		seg = &hls.Segment{
			Number: p.req.Number, Duration: p.plays, Times: p.times, Reinit: p.reinit, At: p.at,
			Data: append([][]byte{p.data}, renditions...), Release: p.held.more(),
		}
	} else {
		code := fault.CodeOf(err)
		g.opt.Recorder.SegmentFailed(p.stream.id, string(code))
	}
	g.logSegment(p, renditions, took, err)
	p.stream.order.Finish(p.place, seg, func(s hls.Segment) { g.windows.Publish(p.stream.id, s) })
	p.place = nil
	p.stream.feed.add(p.figures(renditions, took, err))
}

// release gives up the segment's place among those to be published.
func (p *push) release() {
	if p.place != nil {
		p.stream.order.Finish(p.place, nil, func(hls.Segment) {})
	}
}
