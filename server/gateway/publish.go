package gateway

import (
	"cmp"
	"context"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/server/access"
	"github.com/tuttinode/tutti/server/gateway/segmenter"
	"github.com/tuttinode/tutti/server/gateway/verify"
)

const (
	// maxCollected bounds a segment that is cut here, and longestCollected its length by the clock.
	maxCollected     = 64 << 20
	longestCollected = 30 * time.Second
	// cutsAhead is how many segments of a publisher may be on their way. The publisher waits beyond that.
	cutsAhead = 4
	// maxUnchecked bounds the streams that an unchecked client publishes: each has up to four segments a second, for
	// which orchestrators are asked.
	maxUnchecked = 4
)

// methodPublish is the method of requests that stand for publishers.
const methodPublish = "PUBLISH"

// Publisher is a client that sends a stream by another protocol than HTTP, which this node cuts into segments.
type Publisher struct {
	// Protocol is "rtmp" or "srt", Addr the client's address, Host what it calls the gateway.
	Protocol, Addr, Host string
	// Name is the stream's, Query what came with it.
	Name, Query string
	// Key is an API key, "" for none.
	Key string
}

// request is the publisher as the rules for pushes know clients.
func (p *Publisher) request(ctx context.Context) *http.Request {
	r := &http.Request{Method: methodPublish, RemoteAddr: p.Addr, Header: make(http.Header),
		URL: &url.URL{Scheme: p.Protocol, Path: pushPath + p.Name, RawQuery: p.Query}}
	// What the client calls the gateway protects from pages in browsers, which speak neither RTMP nor SRT.
	r.Host = "localhost"
	if p.Key != "" {
		r.Header.Set("Authorization", "Bearer "+p.Key)
	}
	return r.WithContext(ctx)
}

// MayPublish decides about a publisher by the rules for pushes, and asks the admission hook: a publisher that it refuses
// must not end another one's stream. key identifies the key that was used, as access.Policy.Push does. Errors are those
// of Publish.
func (g *Gateway) MayPublish(ctx context.Context, p *Publisher) (key string, err error) {
	key, err = g.opt.Access.Push(p.request(ctx))
	if err != nil || g.opt.AdmissionHook == "" {
		return key, err
	}
	j, err := (&Publication{g: g, p: *p, ctx: ctx}).join(0)
	if err != nil {
		return "", err
	}
	j.leave()
	return key, nil
}

// Publication is a stream whose segments are cut here. It is the target of a segmenter.
type Publication struct {
	g   *Gateway
	p   Publisher
	ctx context.Context
	// stop ends it with a reason.
	stop context.CancelCauseFunc
	wg   sync.WaitGroup
	// slots bounds the segments on their way.
	slots chan struct{}
	// number is that of the next segment; the segmenter's goroutine uses it.
	number core.SegmentNumber
	// by is what the client's pushes count for.
	by party
}

// Publish begins a stream. It ends with ctx, or when a segment may not be pushed. The error is a fault: those of
// access.Policy.Push and of join, and PushPath.
func (g *Gateway) Publish(ctx context.Context, p Publisher) (*Publication, error) {
	if !validManifest(p.Name) {
		return nil, fault.New(fault.PushPath, "publish", "the stream's name must be 1 to 128 letters, digits or -_.~")
	}
	pub := &Publication{g: g, p: p, slots: make(chan struct{}, cutsAhead)}
	pub.ctx, pub.stop = context.WithCancelCause(ctx)
	j, err := pub.join(0)
	if err != nil {
		pub.stop(err)
		return nil, err
	}
	pub.by = j.by
	j.leave()
	if !pub.count(1) {
		err := fault.New(fault.AddressBusy, "publish", "too many streams of this address")
		pub.stop(err)
		return nil, err
	}
	return pub, nil
}

// count counts the publication for an unchecked client, or no longer. It reports whether the client may have it.
func (b *Publication) count(n int) bool {
	if !b.by.from.IsValid() {
		return true
	}
	b.g.mu.Lock()
	defer b.g.mu.Unlock()
	if b.g.published[b.by.from]+n > maxUnchecked {
		return false
	}
	if b.g.published[b.by.from] += n; b.g.published[b.by.from] == 0 {
		delete(b.g.published, b.by.from)
	}
	return true
}

// Done is closed when the stream has ended; Err says why.
func (b *Publication) Done() <-chan struct{} { return b.ctx.Done() }

// Err is why the stream ended.
func (b *Publication) Err() error { return context.Cause(b.ctx) }

// Close waits until the segments on their way have ended.
func (b *Publication) Close() {
	b.wg.Wait()
	b.stop(nil)
	b.count(-1)
}

// joined is a segment's part in its stream.
type joined struct {
	g   *Gateway
	s   *stream
	r   *http.Request
	req *pushRequest
	by  party
}

// join admits the publisher's next segment as a push.
func (b *Publication) join(n core.SegmentNumber) (*joined, error) {
	r := b.p.request(b.ctx)
	key, err := b.g.opt.Access.Push(r)
	if err != nil {
		return nil, err
	}
	r.Host = cmp.Or(b.p.Host, r.Host) // the admission hook is given the address as the client calls it
	name := core.ManifestID(b.p.Name)
	j := &joined{g: b.g, r: r, by: party{from: b.unchecked(key), key: key}, req: &pushRequest{Path: name,
		segmentPath: segmentPath{Manifest: name, Number: n, Format: core.FormatMPEGTS},
		Duration:    core.DefaultSegmentDuration}}
	j.s, err = b.g.join(r, j.by, j.req)
	return j, err
}

func (j *joined) leave() {
	j.s.leave(j.g.opt.Now())
	j.g.pushes.leave(j.by)
}

// unchecked is what uncheckedAddress is for pushes over HTTP.
func (b *Publication) unchecked(key string) netip.Prefix {
	if !b.g.opt.Access.Unchecked(key) {
		return netip.Prefix{}
	}
	return b.g.UnknownAddress(b.p.Addr)
}

// UnknownAddress is what counts as one address of a publisher, the zero Prefix for this machine and the operator's
// known peers.
func (g *Gateway) UnknownAddress(addr string) netip.Prefix {
	at, err := netip.ParseAddrPort(addr)
	ip := at.Addr().Unmap()
	if err != nil || ip == netip.AddrFrom4([4]byte{127, 0, 0, 1}) || ip == netip.IPv6Loopback() ||
		slices.ContainsFunc(g.opt.Limits.Known, func(n netip.Prefix) bool { return n.Contains(ip) }) {
		return netip.Prefix{}
	}
	return core.PeerOf(ip)
}

// Next begins a segment. It waits while as many as may be are on their way.
func (b *Publication) Next() (segmenter.Output, error) {
	select {
	case b.slots <- struct{}{}:
	case <-b.ctx.Done():
		return nil, context.Cause(b.ctx)
	}
	c := &collected{b: b, number: b.number, begun: time.Now(), at: b.g.opt.Now(), memory: b.g.bodies.share(b.by)}
	b.number++
	return c, nil
}

// collected is a segment that is being cut.
type collected struct {
	b      *Publication
	number core.SegmentNumber
	begun  time.Time
	at     time.Time
	memory *share
	data   []byte
}

// Write adds to the segment. The error is the fault PublishNoKeyFrame or PushesFull.
func (c *collected) Write(p []byte) (int, error) {
	if len(c.data)+len(p) > maxCollected || time.Since(c.begun) > longestCollected {
		return 0, fault.New(fault.PublishNoKeyFrame, "cut segment", "")
	}
	if missing := len(c.data) + len(p) - cap(c.data); missing > 0 {
		grown := max(missing, cap(c.data), 256<<10) // append would take as much without asking
		if err := c.memory.grow(int64(grown)); err != nil {
			return 0, err
		}
		data := make([]byte, len(c.data), cap(c.data)+grown)
		copy(data, c.data)
		c.data = data
	}
	c.data = append(c.data, p...)
	return len(p), nil
}

// Drop gives the segment up.
func (c *collected) Drop() {
	c.memory.free()
	<-c.b.slots
}

// Close pushes the segment in the background.
func (c *collected) Close() error {
	c.b.wg.Go(func() {
		defer func() { <-c.b.slots }()
		err := c.push()
		switch fault.CodeOf(err) {
		case fault.StreamDenied, fault.StreamKeyRequired, fault.Draining:
			c.b.stop(err)
		default:
			if err != nil && fault.ClassOf(err) == fault.Unauthenticated {
				c.b.stop(err)
			}
		}
	})
	return nil
}

// push takes the segment's way of a push over HTTP. Its failure is recorded there.
func (c *collected) push() error {
	g := c.b.g
	held := newShareRef(c.memory)
	defer held.release()
	j, err := c.b.join(c.number)
	if err != nil {
		g.opt.Recorder.SessionRefused(string(fault.CodeOf(err)))
		return err
	}
	defer j.leave()
	if d := verify.Plays(c.data); d > 0 {
		j.req.Duration = min(d, core.MaxSegmentDuration)
	}
	p := &push{req: j.req, stream: j.s, pending: j.s.order.Begin(c.number), at: c.at, from: access.Host(j.r.RemoteAddr),
		client: clientOf(j.r, j.by.key, j.req.Manifest), data: c.data, held: held, read: time.Since(c.begun),
		unchecked: g.opt.Access.Unchecked(j.by.key)}
	defer p.release()
	a := p.stream.hashing()
	p.hash = signature.Digest{Algorithm: a, Sum: a.Sum(c.data)}
	g.opt.Recorder.SegmentReceived(p.stream.id, len(c.data), j.req.Duration, g.opt.Now().Sub(p.at))
	begun := time.Now()
	renditions, err := g.process(j.r.Context(), p, c.memory)
	g.conclude(p, renditions, time.Since(begun), err)
	return err
}
