package orchestrate

import (
	"bytes"
	"context"
	"math"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
)

// Segment is a segment that was let in. Close must be called when it is over,
// whether or not it came to Transcode.
type Segment struct {
	o       *Orchestrator
	s       *session // nil before it has room in one
	req     SegmentRequest
	terms   *Terms
	hold    pm.Hold
	arrived time.Time
	close   sync.Once
	// sender is who pays, if the work is priced at all; estimate what it was let in
	// for, in units.
	sender   core.Address
	priced   bool
	estimate int64
	line     segmentLine
	// body is its part in the bodies that are being received.
	body *receiving
}

// CheckHash says whether the bytes that arrived, whose Keccak-256 is hash, are
// those that were announced.
func (g *Segment) CheckHash(hash []byte) error {
	if !bytes.Equal(hash, g.req.Hash) {
		g.o.waste.spoil(g.o.source(&g.req), wrongHash, g.o.opt.Now())
		return fault.New(fault.SegmentHashMismatch, "check segment", "")
	}
	return nil
}

// Close lets go of the session, and of the money that was put aside for work that
// did not come about. It may be called again.
func (g *Segment) Close() {
	g.close.Do(func() {
		g.body.end()
		defer func() {
			if g.line.over {
				g.report()
			}
			if g.s != nil {
				g.o.leave(g.s)
			}
		}()
		g.hold.Release()
	})
}

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
// keeps the renditions and bills the pixels. data is not kept after return. The
// error is what the gateway is told inside an answer that has begun already.
func (g *Segment) Transcode(ctx context.Context, data []byte) (*Finished, error) {
	o, req := g.o, &g.req
	g.body.end()
	start := o.opt.Now()
	g.line.bytes, g.line.upload = len(data), start.Sub(g.arrived)
	o.opt.Recorder.SegmentReceived(req.Manifest, len(data), req.Duration, start.Sub(g.arrived))
	// The gateway stops waiting at this time, counted from its request.
	ctx, cancel := context.WithTimeout(ctx, core.WorkDeadline(req.Duration)-start.Sub(g.arrived))
	defer cancel()

	done, encoded, err := g.transcode(ctx, data)
	g.noteFailing(err)
	g.Failed(err)
	if err != nil {
		o.opt.Recorder.SegmentFailed(req.Manifest, string(fault.CodeOf(err)))
		return nil, err
	}
	took := o.opt.Now().Sub(start)
	o.opt.Recorder.SegmentTranscoded(&core.Transcoded{Manifest: req.Manifest, Profiles: names(req.Profiles),
		Duration: req.Duration, Took: took, Encoded: encoded, Verified: true})
	o.opt.Recorder.SegmentOverhead(max(0, took-g.line.queue-done.MediaTime))
	return done, nil
}

// transcode does the work in its turn. The bill belongs into the turn, too: the
// next segment is begun only if enough is left after it.
func (g *Segment) transcode(ctx context.Context, data []byte) (*Finished, core.Pixels, error) {
	came := g.o.opt.Now()
	release, err := g.awaitTurn(ctx)
	g.line.queue = g.o.opt.Now().Sub(came)
	if err != nil {
		return nil, 0, err
	}
	defer release()
	if err := g.begin(int64(len(data))); err != nil {
		return nil, 0, err
	}
	o := g.o
	start := o.opt.Now()
	res, err := g.work(ctx, data)
	took := o.opt.Now().Sub(start)
	if err != nil {
		g.settle(ctx, err, took)
		return nil, 0, err
	}
	out, err := g.finish(res)
	if err != nil {
		return nil, 0, err
	}
	if err := g.covers(out.encoded, took, res.Worker); err != nil {
		return nil, 0, err
	}
	g.s.worked.Store(true)
	g.keep(out.encoded)
	o.waste.redeem(o.party(&g.req), took, o.opt.Now())
	o.waste.redeem(o.source(&g.req), took, o.opt.Now())
	// The work is done: it is billed even if the gateway has just gone away, and even
	// if the shelf has filled up meanwhile, as gateways that fetch nothing can bring
	// about.
	g.line.worker, g.line.media, g.line.pixels = res.Worker, res.MediaTime, out.encoded
	g.hold.Done(pm.Work{Units: int64(out.encoded), Produced: -1, Worker: res.Worker})
	if err := o.results.Put(o.party(&g.req), out.paths, out.results); err != nil {
		return nil, 0, err
	}
	return out.done, out.encoded, nil
}

// covers withholds work that is far more than what was paid: a gateway may say that a
// segment is short which is long. What it was admitted for is billed, and the time counts
// as time that came to nothing.
func (g *Segment) covers(encoded core.Pixels, took time.Duration, worker string) error {
	err := g.hold.Covers(int64(encoded))
	if err == nil {
		return nil
	}
	g.o.waste.spoil(g.o.party(&g.req), took, g.o.opt.Now())
	g.hold.Done(pm.Work{Units: g.estimate, Produced: int64(encoded), Worker: worker})
	return err
}

// begin asks what must be so before work is worth while: that it can be paid, and
// that there is room for what comes of it, of about the input's size.
func (g *Segment) begin(size int64) error {
	if !g.o.results.Fits(g.Party(), size) {
		return fault.New(fault.ResultsFull, "make room for renditions", "")
	}
	return g.hold.Begin()
}

// work has the segment transcoded. The error is what no work came of.
func (g *Segment) work(ctx context.Context, data []byte) (*core.TranscodeResult, error) {
	req := &g.req
	needs, minVersion := req.needs()
	res, err := g.o.opt.Transcoder.Transcode(ctx, &core.TranscodeJob{
		Needs: needs, MinVersion: minVersion,
		Session: g.s.id, Manifest: req.Manifest, Number: req.Number,
		Input: data, Duration: req.Duration, Profiles: req.Profiles,
		Clip: req.Clip, Signature: req.Signature, Reinit: req.Reinit, Origin: g.o.opt.Origin,
		Sender: req.Sender, Party: g.o.party(req),
	})
	if err != nil {
		return nil, err
	}
	return res, checkRenditions(res, len(req.Profiles))
}

// awaitTurn waits until the session's segments before this one are done.
func (g *Segment) awaitTurn(ctx context.Context) (release func(), err error) {
	o, s := g.o, g.s
	o.mu.Lock()
	if s.displaced {
		o.mu.Unlock()
		return nil, fault.New(fault.OrchestratorCapped, "queue segment", "its session gave way to another gateway's")
	}
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
	var sum core.Pixels
	for i := range res.Renditions {
		pixels := res.Renditions[i].Pixels
		if pixels < 0 {
			return fault.New(fault.MismatchedSegments, op, "a rendition of less than no pixels")
		}
		// The sum is billed.
		if pixels > math.MaxInt64-sum {
			return fault.New(fault.MismatchedSegments, op, "more pixels than can be counted")
		}
		sum += pixels
		if len(res.Renditions[i].Data) < core.MinRenditionBytes {
			return fault.New(fault.ZeroSegments, op, "")
		}
	}
	return nil
}

// outcome is what a segment's work came to.
type outcome struct {
	done    *Finished
	encoded core.Pixels
	// paths and results are what is put up for download.
	paths   []Path
	results []Result
}

// finish names and signs the renditions.
func (g *Segment) finish(res *core.TranscodeResult) (*outcome, error) {
	o, req, n := g.o, &g.req, len(res.Renditions)
	out := &outcome{
		done:  &Finished{Renditions: make([]FinishedRendition, n), MediaTime: res.MediaTime},
		paths: make([]Path, n), results: make([]Result, n),
	}
	for i, dir := range dirs(req.Profiles) {
		r := &res.Renditions[i]
		out.encoded += r.Pixels
		p := Path{Session: g.s.id, Dir: dir, Number: req.Number, Format: req.Profiles[i].Format}
		out.paths[i], out.results[i] = p, Result{Data: r.Data, Signature: r.Signature}
		out.done.Renditions[i] = FinishedRendition{URL: o.url(p), Pixels: r.Pixels}
		if r.Signature != nil {
			p.Signature = true
			out.done.Renditions[i].SignatureURL = o.url(p)
		}
	}
	if o.opt.Signatures == nil {
		return out, nil
	}
	sig, err := o.opt.Signatures.SignRenditions(res.Renditions)
	if err != nil {
		return nil, fault.Wrap(fault.Unexpected, "sign renditions", err)
	}
	out.done.Signature = sig
	return out, nil
}
