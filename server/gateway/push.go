package gateway

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/core/videorouting"
	"github.com/tuttinode/tutti/server/access"
	"github.com/tuttinode/tutti/server/admission"
	"github.com/tuttinode/tutti/server/gateway/hls"
	"github.com/tuttinode/tutti/server/gateway/upstream"
	"github.com/tuttinode/tutti/server/gateway/verify"
	"github.com/tuttinode/tutti/server/rpc"
)

// push is one pushed segment.
type push struct {
	req    *pushRequest
	stream *stream
	plan   plan
	// pending is the segment's position in the order of publication, nil once it was published.
	pending *hls.PendingSegment
	at      time.Time
	data    []byte
	hash    signature.Digest
	input   *input
	reinit  bool
	// plays is its playing time, measured if possible; times are those of its own clock, nil
	// without one.
	plays time.Duration
	times *verify.Times
	// unchecked: any client that reaches the gateway may push like this.
	unchecked bool
	attempts  segmentAttempts
	// from is the client's address. read, queue and away are waiting times: for the client's data,
	// for the stream's earlier segments, and for orchestrators.
	from              string
	read, queue, away time.Duration
	// client identifies the client for the payment, see upstream.Segment.
	client string
	// held is the memory, which is freed once the push is over and its segment does not wait for
	// earlier ones.
	held *shareRef
}

// servePush receives a segment, has it transcoded and answers with the renditions if the client
// asked for them.
func (g *Gateway) servePush(w http.ResponseWriter, r *http.Request) {
	begun := time.Now()
	if r.Method != http.MethodPost && r.Method != http.MethodPut {
		w.Header().Set("Allow", "POST, PUT")
		refuse(w, r, http.StatusMethodNotAllowed, fault.New(fault.PushPath, "take segment",
			"segments are sent by POST or PUT"))
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
	by := g.partyOf(r, key)
	s, err := g.join(r, by, req)
	if err != nil {
		g.refusePush(w, r, err)
		return
	}
	defer g.pushes.leave(by)
	defer func() { s.leave(g.opt.Now()) }()
	p := &push{req: req, stream: s, pending: s.order.Begin(req.Number), at: g.opt.Now(), from: access.Host(r.RemoteAddr),
		client: clientOf(r, key, req.Manifest)}
	defer p.release() // also after a panic: later segments must not wait for this one
	// A client that reads its answer slowly keeps the renditions in memory.
	memory := g.bodies.share(by)
	p.held = newShareRef(memory)
	defer p.held.release()
	p.unchecked = g.opt.Access.Unchecked(key)
	renditions, err := g.take(w, r, p, memory)
	g.conclude(p, renditions, time.Since(begun), err)
	if err != nil {
		g.refusePush(w, r, err)
		return
	}
	if req.Multipart {
		g.writeRenditions(w, p, renditions)
	}
}

// discardPlaylist accepts an encoder's own playlist and discards it. It is not published and costs
// nothing, so every client may send one.
func (g *Gateway) discardPlaylist(w http.ResponseWriter, r *http.Request) {
	if g.pushes.isDraining() {
		g.refusePush(w, r, g.pushes.refusal())
		return
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(r.Body, 1<<20))
}

// searchCost is what a segment of an unchecked stream without a result counts for its address
// (admission.Cause): it makes the gateway ask every orchestrator.
const searchCost = 1 << 10

// take reads the body and has it transcoded.
func (g *Gateway) take(w http.ResponseWriter, r *http.Request, p *push, memory *share) ([][]byte, error) {
	begun := time.Now()
	err := g.readBody(w, r, p, memory)
	if p.read = time.Since(begun); err != nil {
		return nil, err
	}
	return g.process(r.Context(), p, memory)
}

// transcodeSegment is process without its span.
func (g *Gateway) transcodeSegment(request context.Context, p *push, memory *share) ([][]byte, error) {
	p.stream.encoders.add(pushed{number: p.req.Number, hash: p.hash, from: p.from}, p.at)
	ctx, cancel := g.lifetime(request, p.req.Multipart)
	defer cancel()
	var err error
	// A segment that is refused does not change the stream.
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
	begun := time.Now()
	select {
	case p.stream.gate <- struct{}{}:
		p.queue = time.Since(begun)
		defer func() { <-p.stream.gate }()
	case <-ctx.Done():
		return nil, fault.Wrap(fault.Canceled, "wait for the stream's segments", ctx.Err())
	}
	j := g.job(p, memory)
	begun = time.Now()
	renditions, t, err := g.transcode(ctx, j)
	p.attempts, p.away = t, time.Since(begun)
	if err == nil {
		p.stream.recordSuccess(p.reinit)
		g.opt.Recorder.SegmentTranscoded(&core.Transcoded{
			Manifest: p.stream.id, Profiles: signature.ProfileNames(p.plan.profiles), Duration: p.req.Duration,
			Took: time.Since(p.at), Encoded: t.pixels, Verified: g.opt.LocalVerify, By: t.by,
		})
	}
	return renditions, err
}

// job describes a segment to orchestrators. Payment and announced duration use its measured length:
// a client's statement must not raise the price.
func (g *Gateway) job(p *push, memory *share) *job {
	source := verify.ReadSource(p.data, p.req.Duration)
	length := source.Length()
	p.plays, p.times = source.Plays(), source.Times
	patience := length
	if source.Pictures == 0 {
		patience = max(length, p.req.Duration)
	}
	j := &job{
		stream: p.stream, wants: g.wants(&p.plan, p.input), memory: memory,
		source: verify.Size{Width: p.input.Width, Height: p.input.Height}, input: source,
		container: p.input.headers.Known || p.input.headers.Video != "",
	}
	j.seg = upstream.Segment{
		Data: p.data, Client: p.client, Estimate: videorouting.Estimate(p.plan.profiles, length),
		Timing: videorouting.TimingOf(patience, p.plan.multiplier),
		Meta: rpc.SegmentMeta{
			Manifest: p.stream.id, Number: p.req.Number, Duration: length,
			Hash: p.hash.Sum, SHA256: p.hash.Algorithm == signature.SHA256,
			Profiles: p.plan.profiles, Capabilities: j.wants.Capabilities, Clip: p.req.Clip, Reinit: p.reinit,
		},
	}
	return j
}

// clientOf identifies the pushing client in payment limits: its key, its address, or on the own
// machine, where all clients have one address, the stream.
func clientOf(r *http.Request, key string, stream core.ManifestID) string {
	network, own := access.Client(r)
	switch {
	case key != "":
		return "key " + key
	case own:
		return "stream " + string(stream)
	}
	return "address " + network
}

// ownerOf identifies the client that begins a stream: its key, or its address.
func ownerOf(r *http.Request, by party) streamOwner {
	if by.key != "" {
		return streamOwner{owner: "key " + by.key, party: by, claims: "key " + by.key}
	}
	network, own := access.Client(r)
	owner := streamOwner{owner: "address " + network, party: by}
	if own && !by.from.IsValid() {
		owner.claims = "machine"
	}
	return owner
}

// lifetime returns the context of a segment's work: it ends with the gateway. If the client waits for
// the renditions it also ends when the client disconnects; otherwise the players still need the
// segment, and many encoders do not wait for the answer.
func (g *Gateway) lifetime(request context.Context, awaited bool) (context.Context, context.CancelFunc) {
	if !awaited {
		request = context.WithoutCancel(request)
	}
	ctx, cancel := context.WithCancel(request)
	release := context.AfterFunc(g.ctx, cancel)
	return ctx, func() { release(); cancel() }
}

// prepare applies the push's configuration and input to the stream.
func (g *Gateway) prepare(p *push) {
	var changed bool
	p.plan, changed = p.stream.configure(p.req.Config, p.req.Format)
	if changed {
		g.endAll(p.stream.pool.Reset())
		g.windows.Open(p.stream.id, p.plan.variants(p.req))
	}
	p.reinit = p.stream.updateInput(p.input)
}

// bypass returns the source as every rendition. It is used only for MPEG-TS that declares video and
// has no frame in the whole segment.
func bypass(p *push) [][]byte {
	out := make([][]byte, len(p.plan.profiles))
	for i := range out {
		out[i] = p.data
	}
	return out
}

// readBody reads and hashes the segment. Errors are faults PushEmpty,
// PushTooLarge, PushSlow, PushBroken and PushesFull.
func (g *Gateway) readBody(w http.ResponseWriter, r *http.Request, p *push, memory *share) error {
	const op = "read segment"
	hash := signature.StartBackgroundHash(p.stream.hashing())
	reader := g.deadlineReader(w, r.Body)
	data, err := admission.BodyReader{
		Limit: core.MaxSegmentBytes, Size: r.ContentLength,
		Grow: memory.grow, Sink: hash.Add,
	}.Read(reader)
	reader.done()
	p.hash = hash.Digest()
	var full *fault.Fault
	switch {
	case err == nil && len(data) == 0:
		return fault.New(fault.PushEmpty, op, "the segment has no bytes")
	case err == nil:
	case errors.As(err, &full):
		return err
	case errors.Is(err, admission.ErrBodyTooLarge):
		return fault.New(fault.PushTooLarge, op, "the segment is larger than 300000000 bytes")
	case reader.timedOut():
		return &fault.Fault{Code: fault.PushSlow, Op: op, Detail: "the segment did not arrive in time", Err: err}
	default:
		return fault.Wrap(fault.PushBroken, op, err)
	}
	p.data = data
	g.opt.Recorder.StreamClient(p.stream.id, p.from)
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
			Data: append([][]byte{p.data}, renditions...), Release: p.held.retain(),
		}
	} else {
		code := fault.CodeOf(err)
		g.opt.Recorder.SegmentFailed(p.stream.id, string(code))
	}
	g.logSegment(p, renditions, took, err)
	p.stream.order.Finish(p.pending, seg, func(s hls.Segment) { g.windows.Publish(p.stream.id, s) })
	p.pending = nil
	p.stream.feed.add(p.stats(renditions, took, err))
	g.reportSegment(p, took, err)
}

// release ends the segment's position in the order of publication.
func (p *push) release() {
	if p.pending != nil {
		p.stream.order.Finish(p.pending, nil, func(hls.Segment) {})
	}
}
