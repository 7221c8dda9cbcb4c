package upstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/core/telemetry"
	"github.com/tuttinode/tutti/core/videorouting"
	"github.com/tuttinode/tutti/pm/sender"
	"github.com/tuttinode/tutti/server/admission"
	"github.com/tuttinode/tutti/server/rpc"
)

const (
	// maxResult bounds a transcode result: addresses of renditions of some KB each, and terms as
	// large as a call's reply.
	maxResult = 1 << 20
	// maxRefusal bounds the text of a refusal.
	maxRefusal = 4 << 10
)

// Segment is a segment to send.
type Segment struct {
	// Meta is everything but the token and the signature, which Send adds.
	Meta rpc.SegmentMeta
	Data []byte
	// Asked is the listed address that was asked for the terms.
	Asked string
	// Client identifies the pushing client for the payment; see sender.Terms.
	Client string
	// Estimate is the approximate number of pixels of the work, for the payment.
	Estimate core.Pixels
	Timing   videorouting.Timing
	// WaitOn is called when the time of an attempt is over: true lets it continue until the context
	// ends, false or nil ends it.
	WaitOn func() bool

	// keccak is the network's hash of Data where Meta has the other one and an attempt needed it.
	keccak *[signature.HashSize]byte
}

// hashFor returns the hash that an orchestrator takes: the one in Meta, or the network's where that is a
// SHA-256 and the offer does not name it.
func (s *Segment) hashFor(info Info) signature.Digest {
	if !s.Meta.SHA256 {
		return signature.Digest{Algorithm: signature.Keccak, Sum: s.Meta.Hash}
	}
	if info.GetSegmentSha256() {
		return signature.Digest{Algorithm: signature.SHA256, Sum: s.Meta.Hash}
	}
	if s.keccak == nil {
		sum := signature.Keccak256(s.Data)
		s.keccak = &sum
	}
	return signature.Digest{Algorithm: signature.Keccak, Sum: *s.keccak}
}

// Result is what an orchestrator made of a segment.
type Result struct {
	Renditions []Remote
	// Signature covers the renditions, hashed with Hashed.
	Signature []byte
	Hashed    signature.Algorithm
	// NewTerms are the terms that came with the answer, nil without any; refusals inside an answer
	// may have them too.
	NewTerms Info
	// Upload is the time until the orchestrator had the whole segment.
	Upload time.Duration
	// MediaTime is the time that the codecs took, 0 when not reported.
	MediaTime time.Duration

	payment Payment
	// maybeBadInput: it failed and the input may be the cause.
	maybeBadInput bool
}

// Received reports how many pixels of the result are usable, by the gateway's own count. It, or
// Left, must be called for each result, also next to an error.
func (r *Result) Received(pixels core.Pixels) { r.payment.Received(int64(max(0, pixels))) }

// Left is Received when the client left before the result arrived: how many pixels may have been
// made for it.
func (r *Result) Left(pixels core.Pixels) { r.payment.Left(int64(max(0, pixels))) }

// Remote is a rendition still at the orchestrator.
type Remote struct {
	URL    string
	Pixels core.Pixels
	// Sink receives the parts of the download as they arrive, which do not change any more; nil
	// receives none.
	Sink func(part []byte)

	// peer is the address that the answer came from.
	peer netip.Addr
}

// MaybeBadInput reports whether it is a failure of which the input may be the cause. A nil result is none.
func (r *Result) MaybeBadInput() bool { return r != nil && r.maybeBadInput }

// Send sends a segment to an orchestrator and waits for its result, which has exactly one rendition
// per profile. Errors are faults: SegmentNotTranscodable when the input is at fault, Canceled when
// ctx ended, ExpiredAuthToken and OrchestratorCapped as the orchestrator says, otherwise one that
// names what is wrong with the orchestrator. The result is not nil where an answer came, also
// next to an error.
//
// Its payment is settled when Send returns, by what the orchestrator bills; the caller reports the
// usable part with Result.Received. Faults of the payment itself keep their codes:
// TicketParamsStale asks for new terms, whether this gateway or the orchestrator finds them
// outdated (see Unpaid).
func (c *Client) Send(ctx context.Context, info Info, seg *Segment) (*Result, error) {
	req, payment, err := c.request(ctx, info, seg)
	if err != nil {
		return nil, err
	}
	// Default: sent and failed. It does nothing if the payment is settled otherwise.
	client := ctx
	defer func() { payment.Settle(outcomeOfFailure(client), 0) }()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	start := time.Now()
	late := time.AfterFunc(seg.Timing.Accept, func() { cancel(errLate) })
	defer late.Stop()

	var home netip.Addr
	resp, err := c.bulk.RoundTrip(req.WithContext(recordPeer(ctx, &home)))
	if err == nil && ctx.Err() != nil {
		// A server's answer to a disconnect may still be read.
		_ = resp.Body.Close()
		err = ctx.Err()
	}
	if err != nil {
		payment.Settle(outcomeWithoutAnswer(client, err), 0)
		return nil, segmentFault(ctx, "send segment", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		err := refusal(resp)
		payment.Settle(segmentOutcome(err), 0)
		return nil, err
	}
	res := &Result{Upload: time.Since(start), payment: payment}
	late.Stop()
	over := time.AfterFunc(max(0, seg.Timing.Attempt-res.Upload), func() {
		if seg.WaitOn == nil || !seg.WaitOn() {
			cancel(errLate)
		}
	})
	defer over.Stop()
	raw, err := admission.BodyReader{Limit: maxResult, Size: resp.ContentLength}.Read(resp.Body)
	if err != nil {
		return nil, segmentFault(ctx, "read result", err)
	}
	// Trailers are available once the body was read to its end.
	res.MediaTime = rpc.ParseMediaTime(resp.Trailer.Get(rpc.MediaTimeHeader))
	err = res.read(raw, len(seg.Meta.Profiles))
	for i := range res.Renditions {
		res.Renditions[i].peer = home
	}
	switch {
	case res.maybeBadInput:
		payment.Forgo()
	case fault.CodeOf(err) == fault.SegmentNotTranscodable:
		payment.Settle(sender.InputBad, 0)
	case len(res.Renditions) > 0:
		payment.Settle(sender.Served, min(res.billed(), seg.mostBilled()))
	}
	return res, err
}

// billedAtMost bounds a segment's cost as a multiple of the estimate. The estimate uses the
// requested size, where a square source has 1.8 times as many pixels, and 60 frames a second for a
// source of 120; both together are still below.
const billedAtMost = 4

// mostBilled bounds the settlement of the segment's payment, whatever is claimed and whether
// results are checked or not. An orchestrator that rightly bills more, because the playing time
// cannot be read and the client announced a shorter one, then reports an insufficient balance, and
// is paid by its own count.
func (s *Segment) mostBilled() int64 {
	if s.Estimate > math.MaxInt64/billedAtMost {
		return math.MaxInt64
	}
	return max(0, billedAtMost*int64(s.Estimate))
}

// billed returns how many pixels the orchestrator claims.
func (r *Result) billed() int64 {
	var sum int64
	for _, rendition := range r.Renditions {
		n := int64(max(0, rendition.Pixels))
		if sum += n; sum < n {
			return math.MaxInt64
		}
	}
	return sum
}

// request builds the request with signature and payment. The payment is made last, so that every
// payment is sent.
func (c *Client) request(ctx context.Context, info Info, seg *Segment) (*http.Request, Payment, error) {
	meta := seg.Meta
	meta.Token, meta.AcceptsSHA256 = info.GetAuthToken(), info.GetNode() != ""
	hash, names := seg.hashFor(info), signature.ProfileNames(meta.Profiles)
	meta.Hash, meta.SHA256 = hash.Sum, hash.Algorithm == signature.SHA256
	var err error
	if meta.Sig, err = c.payments.Sign(ctx, signature.SegmentOver(hash, meta.Manifest, meta.Number, names)); err != nil {
		return nil, nil, signFault("sign segment", err)
	}
	header, err := rpc.EncodeHeader(rpc.ToSegData(&meta))
	if err != nil {
		return nil, nil, fault.Wrap(fault.Unexpected, "describe segment", err)
	}
	req, err := http.NewRequest(http.MethodPost, info.GetTranscoder()+"/segment", bytes.NewReader(seg.Data))
	if err != nil {
		return nil, nil, fault.Wrap(fault.OrchestratorUnusable, "address segment", err)
	}
	paymentTerms, err := c.payments.PaymentTerms(info, Work{Stream: meta.Manifest, Asked: seg.Asked})
	if err != nil {
		return nil, nil, &UnpaidError{err}
	}
	payment, err := paymentTerms.Pay(ctx, seg.Client, int64(seg.Estimate))
	if err != nil {
		return nil, nil, &UnpaidError{err}
	}
	req.Header.Set("Content-Type", "video/MP2T")
	req.Header[rpc.SegmentHeader] = []string{header}
	req.Header[rpc.PaymentHeader] = []string{payment.Header()}
	if info.GetNode() != "" {
		telemetry.Inject(ctx, req.Header)
	}
	if payment.Header() == "" {
		// A kept connection may have been closed unnoticed. A segment may be sent again on a new
		// one (the key without a value permits this and is not sent); a payment may not.
		req.Header["Idempotency-Key"] = nil
	}
	return req, payment, nil
}

// segmentFault classifies a failed call by its cause.
func segmentFault(ctx context.Context, op string, err error) error {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errLate):
		return fault.Wrap(fault.OrchestratorLate, op, err)
	case errors.Is(cause, context.DeadlineExceeded):
		return fault.Wrap(fault.SegmentLate, op, err)
	case cause != nil:
		return fault.Wrap(fault.Canceled, op, err)
	case errors.Is(err, admission.ErrBodyTooLarge):
		return &fault.Fault{Code: fault.ResultUnreadable, Op: op, Detail: "the result is too large", Err: err}
	}
	return fault.Wrap(fault.OrchestratorBroke, op, err)
}

// isCapped detects the network's text for an orchestrator at capacity.
func isCapped(text string) bool { return strings.Contains(text, string(fault.OrchestratorCapped)) }

// refusal classifies a status other than 200 by the orchestrator's text.
func refusal(resp *http.Response) error {
	raw, _ := io.ReadAll(io.LimitReader(resp.Body, maxRefusal))
	text := strings.TrimSpace(string(raw))
	f := &fault.Fault{Op: "send segment", Detail: fmt.Sprintf("%d %s", resp.StatusCode, text)}
	switch {
	case isCapped(text):
		f.Code = fault.OrchestratorCapped
	case strings.Contains(text, "auth token"):
		f.Code = fault.ExpiredAuthToken
	case text == string(fault.Draining):
		f.Code = fault.Draining
	default:
		f.Code = fault.OrchestratorDeclined
		if code := paymentText(strings.ToLower(text)); code != "" {
			f.Code = code
		}
	}
	return f
}

// read decodes an answer and checks the number of renditions.
func (r *Result) read(raw []byte, want int) error {
	const op = "read result"
	var m rpc.TranscodeResult
	if err := rpc.Unmarshal(raw, &m); err != nil {
		return fault.Wrap(fault.ResultUnreadable, op, err)
	}
	r.NewTerms = m.GetInfo()
	switch v := m.GetResult().(type) {
	case *rpc.TranscodeResult_Error:
		r.maybeBadInput = videorouting.MaybeBadInput(v.Error)
		return resultFault(v.Error)
	case *rpc.TranscodeResult_Data:
		r.Signature = v.Data.GetSig()
		if v.Data.GetSha256() {
			r.Hashed = signature.SHA256
		}
		for _, s := range v.Data.GetSegments() {
			r.Renditions = append(r.Renditions, Remote{URL: s.GetUrl(), Pixels: core.Pixels(s.GetPixels())})
		}
		if len(r.Renditions) != want {
			return fault.New(fault.RenditionCount, op, fmt.Sprintf("%d renditions for %d profiles", len(r.Renditions), want))
		}
		return nil
	}
	return fault.New(fault.ResultUnreadable, op, "neither renditions nor an error")
}

// resultFault classifies an error text inside an answer.
func resultFault(text string) error {
	const op = "transcode segment"
	switch {
	case videorouting.BadInput(text):
		return fault.New(fault.SegmentNotTranscodable, op, text)
	case isCapped(text):
		return fault.New(fault.OrchestratorCapped, op, text)
	case videorouting.Loaded(text):
		return fault.New(fault.OrchestratorBehind, op, text)
	}
	return fault.New(fault.OrchestratorFailed, op, text)
}
