package orchestrate

import (
	"bytes"
	"context"
	"math"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/core/telemetry"
	"github.com/tuttinode/tutti/pm"
)

// Segment is an admitted segment. Close must be called in any case, whether or not
// Transcode was called.
type Segment struct {
	o       *Orchestrator
	s       *session // nil until it has joined one
	req     SegmentRequest
	terms   *Terms
	hold    pm.Hold
	arrived time.Time
	close   sync.Once
	// sender pays, if the work is priced; estimate is the units that it was admitted for.
	sender   core.Address
	priced   bool
	estimate int64
	record   segmentRecord
	// upload is the body while it is being received.
	upload *upload
}

// Paid waits until the payment's tickets are on disk, which must be so before the segment is acknowledged. The error
// is why the payment was not accepted. Transcode may run meanwhile, and returns nothing before.
func (g *Segment) Paid() error { return recorded(g.hold) }

// IsPaid reports whether Paid would not wait.
func (g *Segment) IsPaid() bool { return isRecorded(g.hold) }

// CheckHash checks that the hash of the received bytes is the announced one; the caller makes it with the
// announced algorithm.
func (g *Segment) CheckHash(hash []byte) error {
	if !bytes.Equal(hash, g.req.Hash) {
		g.o.unbilledWork.add(g.o.source(&g.req), wrongHashCost, g.o.opt.Now())
		return fault.New(fault.SegmentHashMismatch, "check segment", "")
	}
	return nil
}

// Close releases the session and the payment of work that was not done. It is idempotent.
func (g *Segment) Close() {
	g.close.Do(func() {
		g.upload.end()
		defer func() {
			if g.record.complete {
				g.logRecord()
			}
			if g.s != nil {
				g.o.leaveSession(g.s)
			}
		}()
		g.hold.Release()
	})
}

// Finished is the answer for a transcoded segment.
type Finished struct {
	// Renditions are in profile order.
	Renditions []FinishedRendition
	// Signature covers the renditions, hashed with Hashed; empty off-chain.
	Signature []byte
	Hashed    signature.Algorithm
	// MediaTime is the time spent in the codecs.
	MediaTime time.Duration
}

// FinishedRendition is a rendition's URL and its pixels.
type FinishedRendition struct {
	URL    string
	Pixels core.Pixels
	// SignatureURL is empty when no video signature was requested.
	SignatureURL string
}

// Transcode waits for the segment's turn within its session, does the work, stores the
// renditions and bills the pixels. data is not kept after return. The error goes into an
// answer whose status has already been sent.
func (g *Segment) Transcode(ctx context.Context, data []byte) (*Finished, error) {
	o, req := g.o, &g.req
	g.upload.end()
	start := o.opt.Now()
	g.record.bytes, g.record.upload = len(data), start.Sub(g.arrived)
	o.opt.Recorder.StreamClient(req.Manifest, req.From)
	o.opt.Recorder.SegmentReceived(req.Manifest, len(data), req.Duration, start.Sub(g.arrived))
	// The gateway stops waiting at this deadline, counted from its request.
	ctx, cancel := context.WithTimeout(ctx, core.WorkDeadline(req.Duration)-start.Sub(g.arrived))
	defer cancel()

	done, encoded, err := g.transcode(ctx, data)
	g.recordOutcome(err)
	g.Failed(err)
	if err != nil {
		o.opt.Recorder.SegmentFailed(req.Manifest, string(fault.CodeOf(err)))
		return nil, err
	}
	took := o.opt.Now().Sub(start)
	o.opt.Recorder.SegmentTranscoded(&core.Transcoded{Manifest: req.Manifest, Profiles: profileNames(req.Profiles),
		Duration: req.Duration, Took: took, Encoded: encoded, Verified: true})
	o.opt.Recorder.SegmentOverhead(max(0, took-g.record.queue-done.MediaTime))
	return done, nil
}

// transcode does the work in its turn. Billing is part of the turn: the next segment may
// begin only if the balance after this one is sufficient.
func (g *Segment) transcode(ctx context.Context, data []byte) (*Finished, core.Pixels, error) {
	came := g.o.opt.Now()
	release, err := g.awaitTurn(ctx)
	g.record.queue = g.o.opt.Now().Sub(came)
	if err != nil {
		return nil, 0, err
	}
	defer release()
	if err := g.mayBegin(int64(len(data))); err != nil {
		return nil, 0, err
	}
	o := g.o
	start := o.opt.Now()
	res, err := g.transcodeJob(ctx, data)
	took := o.opt.Now().Sub(start)
	if unpaid := checkStarted(g.hold); unpaid != nil {
		return nil, 0, unpaid
	}
	if err != nil {
		g.settleFailed(ctx, err, took)
		return nil, 0, err
	}
	out, err := g.finish(res)
	if err != nil {
		return nil, 0, err
	}
	if err := g.checkCovered(out.encoded, took, res.Worker); err != nil {
		return nil, 0, err
	}
	g.s.transcoded.Store(true)
	g.extendProtection(out.encoded)
	o.unbilledWork.offset(o.party(&g.req), took, o.opt.Now())
	o.unbilledWork.offset(o.source(&g.req), took, o.opt.Now())
	// The work is done: it is billed even if the gateway has just disconnected, and even if
	// the result cache has filled up meanwhile, which gateways that fetch nothing can cause.
	g.record.worker, g.record.media, g.record.pixels = res.Worker, res.MediaTime, out.encoded
	g.hold.Done(pm.Work{Units: int64(out.encoded), Produced: -1, Worker: res.Worker})
	if err := o.results.Put(o.party(&g.req), out.paths, out.results); err != nil {
		return nil, 0, err
	}
	return out.done, out.encoded, nil
}

// mayBegin checks that the work can be paid and that the results, which have about the
// input's size, can be stored.
func (g *Segment) mayBegin(size int64) error {
	if !g.o.results.Fits(g.Party(), size) {
		return fault.New(fault.ResultsFull, "reserve memory for renditions", "")
	}
	return g.hold.Begin()
}

// transcodeJob transcodes the segment and checks the result.
func (g *Segment) transcodeJob(ctx context.Context, data []byte) (*core.TranscodeResult, error) {
	req := &g.req
	needs, minVersion := req.needs()
	ctx, span := telemetry.Child(ctx, telemetry.Internal, "transcode", "")
	defer span.End()
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
		return nil, fault.New(fault.OrchestratorCapped, "queue segment",
			"its session was ended in favor of another gateway's")
	}
	s.segmentReceived = true
	s.lastActivity = o.opt.Now()
	if s.queuedSegments > QueueLength {
		o.mu.Unlock()
		return nil, fault.New(fault.OrchestratorBusy, "queue segment", "")
	}
	s.queuedSegments++
	o.mu.Unlock()

	dequeue := func() {
		o.mu.Lock()
		s.queuedSegments--
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

// checkRenditions checks the transcoder's result against its contract.
func checkRenditions(res *core.TranscodeResult, want int) error {
	const op = "check renditions"
	if len(res.Renditions) != want {
		return fault.New(fault.MismatchedSegments, op, "")
	}
	var sum core.Pixels
	for i := range res.Renditions {
		pixels := res.Renditions[i].Pixels
		if pixels < 0 {
			return fault.New(fault.MismatchedSegments, op, "a rendition with a negative pixel count")
		}
		// The sum is billed.
		if pixels > math.MaxInt64-sum {
			return fault.New(fault.MismatchedSegments, op, "the pixel count overflows")
		}
		sum += pixels
		if len(res.Renditions[i].Data) < core.MinRenditionBytes {
			return fault.New(fault.ZeroSegments, op, "")
		}
	}
	return nil
}

// outcome is the result of a segment's work.
type outcome struct {
	done    *Finished
	encoded core.Pixels
	// paths and results are stored for download.
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
	for i, dir := range renditionDirs(req.Profiles) {
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
	if req.AcceptsSHA256 {
		out.done.Hashed = signature.SHA256
	}
	sig, err := o.opt.Signatures.SignRenditions(out.done.Hashed, res.Renditions)
	if err != nil {
		return nil, fault.Wrap(fault.Unexpected, "sign renditions", err)
	}
	out.done.Signature = sig
	return out, nil
}
