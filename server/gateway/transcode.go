package gateway

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"slices"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/telemetry"
	"github.com/tuttinode/tutti/core/videorouting"
	"github.com/tuttinode/tutti/server/gateway/upstream"
	"github.com/tuttinode/tutti/server/gateway/verify"
)

// job is one segment to be transcoded.
type job struct {
	stream *stream
	wants  *videorouting.Wants
	seg    upstream.Segment
	// source is the segment's frame size, as far as known.
	source verify.Size
	// input describes what the segment can become.
	input verify.Source
	// memory is the share that the renditions' memory is taken from.
	memory *share
	// container: the segment begins like a file that segments can be.
	container bool
}

// segmentAttempts describes a job's attempts, also when it failed.
type segmentAttempts struct {
	orchestrator string
	session      core.SessionID
	// price is in wei per pixel, nil where the work is free. It is read-only.
	price  *big.Rat
	count  int
	upload time.Duration
	media  time.Duration
	// renewal is how long the orchestrator took to renew the last attempt's token.
	renewal time.Duration
	pixels  core.Pixels
	// moved is why the stream changed to the orchestrator, "" where it did not.
	moved fault.Code
	// by identifies the orchestrator in metrics.
	by core.Performer
	// all are the attempts in order, for the operator's services.
	all []telemetry.Attempt
}

type lease = videorouting.Lease[upstream.Info]

// transcode makes as many attempts at a segment as it needs and may have. Errors are the faults
// NoSessionsAvailable, SegmentNotTranscodable, InputUnreadable, AttemptsExhausted, SegmentLate,
// PushesFull and Canceled.
func (g *Gateway) transcode(ctx context.Context, j *job) ([][]byte, segmentAttempts, error) {
	var t segmentAttempts
	var tried, late []string
	var failures []error
	ctx, cancel := context.WithTimeout(ctx, j.seg.Timing.Segment)
	defer cancel()
	for t.count < g.opt.Routing.MaxAttempts {
		l, err := g.lease(ctx, j, &t, tried, late)
		if err != nil {
			return nil, t, jobFault(ctx, err, failures)
		}
		t.count++
		t.orchestrator, t.session, t.price = l.Offer.URI, l.Offer.Session, l.Offer.Price
		t.by = performer(&l.Offer)
		if l.Moved {
			t.moved = g.recordMove(j, l, last(failures))
		}
		g.begin(j, l, t.count, last(failures))
		tried = append(tried, l.Offer.Key())
		so := slices.Clone(tried) // WaitOn may be called while the next attempt begins
		j.seg.WaitOn = func() bool { return g.noOtherOrchestrator(ctx, j, so) }
		begun := time.Now()
		data, err := g.attempt(ctx, j, l, &t)
		t.all = append(t.all, telemetry.Attempt{By: t.by, Took: time.Since(begun), Error: codeText(err)})
		if err == nil {
			return data, t, nil
		}
		switch code := fault.CodeOf(err); {
		case ctx.Err() != nil, code == fault.SegmentNotTranscodable, code == fault.InputUnreadable, code == fault.PushesFull:
			return nil, t, jobFault(ctx, err, nil) // another orchestrator would not help
		}
		failures = append(failures, err)
		switch code := fault.CodeOf(err); {
		case code == fault.OrchestratorLate, code == fault.OrchestratorBehind, time.Since(begun) >= j.seg.Timing.Attempt*3/4:
			late = append(late, l.Offer.Key())
		}
	}
	return nil, t, exhausted(failures, fmt.Sprintf("%d attempts, the last: ", t.count))
}

// noOtherOrchestrator reports whether all orchestrators were tried for a segment, so that the last
// attempt should continue: another one would only repeat its work.
func (g *Gateway) noOtherOrchestrator(ctx context.Context, j *job, tried []string) bool {
	if !g.onlyTried(ctx, j, tried) {
		return false
	}
	g.log.Info("segment is late and no other orchestrator is left; waiting for it", "job", j.stream.id,
		"segment", int64(j.seg.Meta.Number))
	return true
}

// onlyTried reports whether all orchestrators that could be asked were tried.
func (g *Gateway) onlyTried(ctx context.Context, j *job, tried []string) bool {
	if j.stream.pool.HasOther(g.opt.Now(), tried) {
		return false
	}
	uris, _ := g.orchestrators.list(ctx) // an old list serves
	return !slices.ContainsFunc(uris, func(uri string) bool {
		return !slices.Contains(tried, uri) && j.stream.shared.Until(videorouting.Identity{Asked: uri}, g.opt.Now()).IsZero()
	})
}

// last is the latest failure, nil where there is none.
func last(failures []error) error {
	if len(failures) == 0 {
		return nil
	}
	return failures[len(failures)-1]
}

// exhausted is the fault of a segment whose attempts all failed. Clients read AttemptsExhausted as
// bad input, so it is not used if orchestrators had no capacity, were too late, or could not be
// paid: then the same segment may succeed later.
func exhausted(failures []error, detail string) error {
	f := &fault.Fault{Code: fault.NoSessionsAvailable, Op: "transcode segment", Err: last(failures)}
	for _, err := range failures {
		switch code := fault.CodeOf(err); {
		case code == fault.OrchestratorCapped, code == fault.OrchestratorBehind, code == fault.Draining, upstream.Unpaid(err):
		case code == fault.OrchestratorLate:
			f.Code = fault.SegmentLate
		default:
			f.Code = fault.AttemptsExhausted
		}
	}
	f.Detail = detail + string(fault.CodeOf(f.Err))
	return f
}

// jobFault is the fault of a failed job: the end of its context has priority over other errors, and
// a failed attempt over a discovery that found no orchestrator.
func jobFault(ctx context.Context, err error, failures []error) error {
	const op = "transcode segment"
	switch {
	case ctx.Err() == context.DeadlineExceeded:
		return fault.Wrap(fault.SegmentLate, op, err)
	case ctx.Err() != nil:
		return fault.Wrap(fault.Canceled, op, err)
	case len(failures) > 0:
		return exhausted(failures, "no orchestrator left after ")
	}
	return err
}

// performer returns the orchestrator of an offer.
func performer(o *videorouting.Offer) core.Performer {
	by := core.Performer{URI: o.URI}
	if o.Address != (core.Address{}) {
		by.Address = o.Address.String()
	}
	if o.Capabilities != nil {
		by.Version = o.Capabilities.Version
	}
	return by
}

// recordMove records that a stream changed its orchestrator, and returns the reason: why the pool
// left the previous one, else how the segment's last attempt failed.
func (g *Gateway) recordMove(j *job, l *lease, last error) fault.Code {
	why := cmp.Or(l.Left, last)
	code := fault.Code(codeText(why))
	g.opt.Recorder.OrchestratorSwapped(j.stream.id, string(code))
	g.log.Info("stream moved", "job", j.stream.id, "orchestrator", l.Offer.URI, "from", l.From, fault.Attr(why))
	return code
}

// begin records the start of an attempt.
func (g *Gateway) begin(j *job, l *lease, attempt int, last error) {
	if attempt > 1 {
		g.opt.Recorder.SegmentRetried(j.stream.id, attempt)
		g.log.Info("segment is tried again", "job", j.stream.id, "segment", int64(j.seg.Meta.Number),
			"try", attempt, "orchestrator", l.Offer.URI, fault.Attr(last))
	}
}

// lease finds an orchestrator for one attempt and renews its token when that is due. One whose
// price has risen too far has to be chosen again.
func (g *Gateway) lease(ctx context.Context, j *job, t *segmentAttempts, tried, late []string) (*lease, error) {
	for again := false; ; again = true {
		l, err := g.choose(ctx, j, tried, late)
		if err != nil {
			return nil, err
		}
		begun := time.Now()
		how := g.renew(ctx, j, l)
		if t.renewal = time.Since(begun); how != videorouting.TooExpensive || again {
			return l, nil
		}
		l.Failed = fault.New(fault.PriceRaised, "renew token", "")
		g.endAll(j.stream.pool.Release(l, videorouting.Stale, 0, nil, g.opt.Now()))
	}
}

// choose takes one of the stream's orchestrators, or finds one.
func (g *Gateway) choose(ctx context.Context, j *job, tried, late []string) (*lease, error) {
	pool := j.stream.pool
	l, advice, end := pool.Take(g.opt.Now(), tried)
	g.endAll(end)
	switch advice {
	case videorouting.Use:
	case videorouting.UseAndDiscover:
		g.searchAgainIfDue(j.stream, j.wants)
	case videorouting.Discover:
		if len(late) > 0 && g.onlyTried(ctx, j, tried) {
			return nil, noSessions(0, nil) // those would still have no time
		}
		_, err := g.find(ctx, j.stream, j.wants)
		l, _, end = pool.Take(g.opt.Now(), tried)
		g.endAll(end)
		if l == nil {
			l = pool.TakeAny(g.opt.Now(), tried, late)
		}
		if l == nil && err == nil {
			err = noSessions(0, g.objections(j.stream.owner, pool.Offers()))
		}
		if l == nil {
			return nil, err
		}
	}
	return l, nil
}

// attempt makes one attempt with a lease and gives it back. Its payment is settled by what the
// orchestrator bills, even for a false result, which was paid for too. Its credit counts the usable
// part of the work.
func (g *Gateway) attempt(ctx context.Context, j *job, l *lease, t *segmentAttempts) ([][]byte, error) {
	start := time.Now()
	ctx, span := telemetry.Child(ctx, telemetry.Client, "transcode", "")
	span.Text(telemetry.Orchestrator, l.Offer.URI)
	span.Peer(l.Offer.URI)
	j.seg.Asked = l.Offer.Key()
	j.stream.sha256.Store(l.Info.GetSegmentSha256())
	reservation, err := j.memory.reserve(l.Offer.Key(), int64(len(j.seg.Data)))
	defer reservation.end()
	var res *upstream.Result
	if err == nil {
		res, err = g.client.Send(ctx, l.Info, &j.seg)
	}
	if fault.CodeOf(err) == fault.TicketParamsStale {
		res, err = g.sendWithNewTerms(ctx, j, l, res, err)
	}
	trip := t.renewal + time.Since(start)
	var newTerms *videorouting.NewTerms[upstream.Info]
	if res != nil {
		t.upload, t.media = res.Upload, res.MediaTime
		newTerms = g.newTerms(j, l, res.NewTerms)
	}
	g.opt.Recorder.SegmentUploaded(j.stream.id, l.Offer.URI, t.upload, codeText(err))
	data, err := g.collect(ctx, j, l, reservation, res, err)
	if err != nil && !j.container && res.MaybeBadInput() {
		err = fault.New(fault.InputUnreadable, "transcode segment", "neither MPEG-TS nor MP4")
	}
	if err == nil {
		t.pixels = 0
		for _, r := range res.Renditions {
			t.pixels += r.Pixels
		}
	}
	if res != nil {
		g.received(j, res, err)
	}
	score := videorouting.Score(trip, j.seg.Meta.Duration)
	how := g.outcome(l, err)
	l.Failed = err
	g.endAll(j.stream.pool.Release(l, how, score, newTerms, g.opt.Now()))
	g.recordOutcome(j, l, how, score, err)
	span.Fail(err)
	span.End()
	return data, err
}

// received reports how many pixels of a result are usable. If results are not checked, or the
// client left, they are at most the requested ones.
func (g *Gateway) received(j *job, res *upstream.Result, err error) {
	var pixels core.Pixels
	for _, r := range res.Renditions {
		pixels += max(0, r.Pixels)
	}
	asked := min(pixels, j.seg.Estimate)
	switch {
	case err != nil && outcomeOf(err) == videorouting.Abandoned:
		res.Left(asked)
	case err != nil:
		res.Received(0)
	case g.opt.LocalVerify:
		res.Received(pixels)
	default:
		res.Received(asked)
	}
}

// collect downloads the renditions of an attempt without error so far, and checks them if
// configured.
func (g *Gateway) collect(ctx context.Context, j *job, l *lease, reservation *reservation, res *upstream.Result,
	err error) ([][]byte,
	error) {
	if err != nil {
		return nil, err
	}
	held := j.memory.held
	hashes := sync.OnceValue(g.hashed(l.Info, res).sums)
	defer hashes()
	data, err := g.client.Download(ctx, l.Offer.URI, res.Renditions, reservation.grow)
	if err == nil && g.opt.LocalVerify {
		err = check(j, l.Info, res, data, hashes)
	}
	if err != nil {
		j.memory.shrink(held)
		return nil, err
	}
	return data, nil
}

func codeText(err error) string {
	if err == nil {
		return ""
	}
	return string(fault.CodeOf(err))
}

// endAll ends sessions in the background; Run waits for it.
func (g *Gateway) endAll(infos []upstream.Info) {
	for _, info := range infos {
		g.wg.Go(func() { g.end(context.WithoutCancel(g.ctx), info) })
	}
}

// end ends one session. The client bounds the time that takes.
func (g *Gateway) end(ctx context.Context, info upstream.Info) {
	if err := g.client.End(ctx, info); err != nil {
		g.log.Debug("session not ended", "orchestrator", info.GetTranscoder(), fault.Attr(err))
	}
}
