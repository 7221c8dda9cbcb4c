package orchestrate

import (
	"bytes"
	"context"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
)

// SegmentRequest is what a gateway says of a segment before its bytes.
type SegmentRequest struct {
	Manifest core.ManifestID
	Number   core.SegmentNumber
	// Hash is the Keccak-256 of the segment's bytes.
	Hash     []byte
	Duration time.Duration
	Profiles []core.Profile
	// Clip, Signature and Reinit are as in core.TranscodeJob.
	Clip      *core.Clip
	Signature bool
	Reinit    bool
	// Capabilities is nil where the gateway sent none.
	Capabilities *capability.Capabilities
	// Token is nil where the gateway sent none.
	Token *Token
	// SegmentSig is the gateway's signature, Sender the payment's address; both
	// are empty off-chain.
	SegmentSig, Sender []byte
	// Payment is the raw payment, empty off-chain.
	Payment []byte
}

// Segment is a segment that was let in. Close must be called when it is over,
// whether or not it came to Transcode.
type Segment struct {
	o       *Orchestrator
	s       *session
	req     SegmentRequest
	arrived time.Time
	close   sync.Once
}

// Admit lets a segment in or says why not. It checks in the protocol's order:
// signature, capabilities, token, room for the session, payment. The error is a
// *fault.Fault.
func (o *Orchestrator) Admit(ctx context.Context, req SegmentRequest) (*Segment, error) {
	offer := o.opt.Capabilities()
	if err := o.checkCredentials("admit segment", &req, &offer); err != nil {
		return nil, err
	}
	s, err := o.enter(req.Token.Session, req.Profiles)
	if err != nil {
		return nil, err
	}
	if err := o.opt.Payments.Accept(ctx, s.id, req.Payment); err != nil {
		o.leave(s)
		return nil, err
	}
	return &Segment{o: o, s: s, req: req, arrived: o.opt.Now()}, nil
}

// checkCredentials checks what segments and AI jobs have in common: signature,
// capabilities, token.
func (o *Orchestrator) checkCredentials(op string, req *SegmentRequest, offer *capability.Capabilities) error {
	if o.opt.Signatures != nil {
		if err := o.opt.Signatures.CheckSegment(req); err != nil {
			return fault.Wrap(fault.ErrSegSig, op, err)
		}
	}
	wanted := req.Capabilities
	if wanted == nil {
		wanted = &capability.Capabilities{}
	}
	if why := capability.Objection(wanted, offer); why != "" {
		return fault.New(fault.IncompatibleCapabilities, op, why)
	}
	return o.tokens.Check(req.Token)
}

// Info is the offer that goes back with the answer. It carries the token that
// the segment came with: another one would make the gateway start over.
func (g *Segment) Info() Info { return g.o.info(*g.req.Token) }

// CheckHash says whether the bytes that arrived, whose Keccak-256 is hash, are
// those that were announced.
func (g *Segment) CheckHash(hash []byte) error {
	if !bytes.Equal(hash, g.req.Hash) {
		return fault.New(fault.SegmentHashMismatch, "check segment", "")
	}
	return nil
}

// Close lets go of the session. It may be called again.
func (g *Segment) Close() { g.close.Do(func() { g.o.leave(g.s) }) }

// Finished is a transcoded segment as its gateway is told of it.
type Finished struct {
	// Renditions are in profile order.
	Renditions []FinishedRendition
	// Signature covers the renditions; empty off-chain.
	Signature []byte
	// MediaTime is the part of the time that the codecs took.
	MediaTime time.Duration
}

// FinishedRendition is where a rendition can be fetched, and its pixels.
type FinishedRendition struct {
	URL    string
	Pixels core.Pixels
	// SignatureURL is empty when no video signature was asked for.
	SignatureURL string
}

// Transcode waits for the segment's turn within its session, does the work,
// keeps the renditions and books the pixels. data is not kept after return. The
// error is what the gateway is told inside an answer that has begun already.
func (g *Segment) Transcode(ctx context.Context, data []byte) (*Finished, error) {
	o, req := g.o, &g.req
	start := o.opt.Now()
	o.opt.Recorder.SegmentReceived(req.Manifest, len(data), req.Duration, start.Sub(g.arrived))
	// The gateway stops waiting at this time, counted from its request.
	ctx, cancel := context.WithTimeout(ctx, core.WorkDeadline(req.Duration)-start.Sub(g.arrived))
	defer cancel()

	done, encoded, err := g.transcode(ctx, data)
	g.report(err)
	if err != nil {
		o.opt.Recorder.SegmentFailed(req.Manifest, string(fault.CodeOf(err)))
		return nil, err
	}
	// The work is done: it is booked even if the gateway has just gone away.
	o.opt.Payments.Debit(context.WithoutCancel(ctx), g.s.id, encoded)
	o.opt.Recorder.SegmentTranscoded(req.Manifest, names(req.Profiles), req.Duration, o.opt.Now().Sub(start), encoded)
	return done, nil
}

func (g *Segment) transcode(ctx context.Context, data []byte) (*Finished, core.Pixels, error) {
	release, err := g.awaitTurn(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer release()
	req := &g.req
	res, err := g.o.opt.Transcoder.Transcode(ctx, &core.TranscodeJob{
		Session: g.s.id, Manifest: req.Manifest, Number: req.Number,
		Input: data, Duration: req.Duration, Profiles: req.Profiles,
		Clip: req.Clip, Signature: req.Signature, Reinit: req.Reinit, Origin: g.o.opt.Origin,
	})
	if err != nil {
		return nil, 0, err
	}
	if err := checkRenditions(res, len(req.Profiles)); err != nil {
		return nil, 0, err
	}
	done, encoded, err := g.keep(res.Renditions)
	if err == nil {
		done.MediaTime = res.MediaTime
	}
	return done, encoded, err
}

// awaitTurn waits until the session's segments before this one are done.
func (g *Segment) awaitTurn(ctx context.Context) (release func(), err error) {
	o, s := g.o, g.s
	o.mu.Lock()
	s.sent = true
	s.last = o.opt.Now()
	if s.queued > QueueLength {
		o.mu.Unlock()
		return nil, fault.New(fault.OrchestratorBusy, "queue segment", "")
	}
	s.queued++
	o.mu.Unlock()

	dequeue := func() {
		o.mu.Lock()
		s.queued--
		o.mu.Unlock()
	}
	select {
	case s.turn <- struct{}{}:
		return func() { <-s.turn; dequeue() }, nil
	case <-ctx.Done():
		dequeue()
		return nil, fault.Wrap(fault.CodeOf(ctx.Err()), "wait for the session's segments", ctx.Err())
	}
}

// checkRenditions holds the transcoder to its contract.
func checkRenditions(res *core.TranscodeResult, want int) error {
	const op = "check renditions"
	if len(res.Renditions) != want {
		return fault.New(fault.MismatchedSegments, op, "")
	}
	for i := range res.Renditions {
		if len(res.Renditions[i].Data) < core.MinRenditionBytes {
			return fault.New(fault.ZeroSegments, op, "")
		}
	}
	return nil
}

// keep signs the renditions and puts them up for download.
func (g *Segment) keep(renditions []core.Rendition) (*Finished, core.Pixels, error) {
	o, req := g.o, &g.req
	done := &Finished{Renditions: make([]FinishedRendition, len(renditions))}
	paths := make([]Path, len(renditions))
	results := make([]Result, len(renditions))
	var encoded core.Pixels
	for i, dir := range dirs(req.Profiles) {
		r := &renditions[i]
		encoded += r.Pixels
		paths[i] = Path{Session: g.s.id, Dir: dir, Number: req.Number, Format: req.Profiles[i].Format}
		results[i] = Result{Data: r.Data, Signature: r.Signature}
		done.Renditions[i] = FinishedRendition{URL: o.url(paths[i]), Pixels: r.Pixels}
		if r.Signature != nil {
			p := paths[i]
			p.Signature = true
			done.Renditions[i].SignatureURL = o.url(p)
		}
	}
	if o.opt.Signatures != nil {
		sig, err := o.opt.Signatures.SignRenditions(renditions)
		if err != nil {
			return nil, 0, fault.Wrap(fault.Unexpected, "sign renditions", err)
		}
		done.Signature = sig
	}
	if err := o.results.Put(paths, results); err != nil {
		return nil, 0, err
	}
	return done, encoded, nil
}

// report logs the first failure of a session after a success, and counts on the
// recorder for the rest.
func (g *Segment) report(err error) {
	g.o.mu.Lock()
	first := err != nil && !g.s.failing
	g.s.failing = err != nil
	g.o.mu.Unlock()
	if first {
		g.o.opt.Log.Warn("segment failed", "session", g.s.id, "segment", int64(g.req.Number), fault.Attr(err))
	}
}
