package trickle

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"
)

// deleteWithin bounds the request that closes a channel or a segment.
const deleteWithin = 2 * time.Second

// Publisher writes a channel's segments from number 0 on. Next and Close are for one goroutine at a time;
// everything else is safe for concurrent use.
type Publisher struct {
	url string
	o   ClientOptions
	wg  sync.WaitGroup

	mu sync.Mutex
	// next is the number of the segment that Next returns, ahead the one that is connected for it.
	next  int64
	ahead *Outgoing
	// bytes are held and not yet taken; pending are begun segments that are not taken whole.
	bytes, pending int
	// ended is closed when the channel has ended.
	ended chan struct{}
	over  bool
}

// NewPublisher makes a publisher for the channel of a URL. It sends nothing yet.
func NewPublisher(url string, o ClientOptions) *Publisher {
	return &Publisher{url: url, o: o.complete(), ended: make(chan struct{})}
}

// Connect opens the request of the first segment before there is a byte for it. ctx must last as long as
// the publisher is used: it bounds the requests.
func (p *Publisher) Connect(ctx context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.connectLocked(ctx)
}

func (p *Publisher) connectLocked(ctx context.Context) {
	if p.ahead != nil || p.over {
		return
	}
	s := &Outgoing{p: p, number: p.next, over: make(chan struct{})}
	s.more = sync.NewCond(&p.mu)
	ctx, s.cancel = context.WithCancel(ctx)
	p.ahead = s
	p.wg.Go(func() { p.send(ctx, s) })
}

// Next begins a segment and connects the one after it. ctx is as in Connect. The error is ErrEnded.
func (p *Publisher) Next(ctx context.Context) (*Outgoing, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.connectLocked(ctx)
	if p.over {
		return nil, ErrEnded
	}
	s := p.ahead
	s.begun = true
	p.pending++
	p.ahead = nil
	p.next++
	p.connectLocked(ctx)
	return s, nil
}

// Pending is how many segments have begun and are not taken whole.
func (p *Publisher) Pending() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pending
}

// Ended is closed when the channel is closed or unknown.
func (p *Publisher) Ended() <-chan struct{} { return p.ended }

// Close waits until the segments that have begun are taken, or ctx ends, and closes the channel.
func (p *Publisher) Close(ctx context.Context) error {
	p.mu.Lock()
	over := p.over
	p.over = true
	if p.ahead != nil {
		p.ahead.cancel()
	}
	p.mu.Unlock()
	taken := make(chan struct{})
	go func() { p.wg.Wait(); close(taken) }()
	select {
	case <-taken:
	case <-ctx.Done():
	}
	if over {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), deleteWithin)
	defer cancel()
	return sendDelete(ctx, &p.o, p.url, "")
}

// Outgoing is a segment that is being written. Write, Close and Drop are for one goroutine.
type Outgoing struct {
	p      *Publisher
	number int64
	cancel context.CancelFunc
	more   *sync.Cond
	// over is closed when the segment's request is over.
	over chan struct{}

	// The publisher's mu guards what follows.
	held []byte // not yet taken
	// begun: the segment belongs to a caller of Next. closed: it is complete. sent: a byte was taken, so
	// it cannot be sent again. finished: its request is over.
	begun, closed, sent, finished bool
	err                           error
}

// Number is the segment's number.
func (s *Outgoing) Number() int64 { return s.number }

// Write adds bytes without waiting for the channel to take them. The error is ErrSlow, ErrDropped or ErrEnded.
func (s *Outgoing) Write(b []byte) (int, error) {
	p := s.p
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case s.err != nil:
		return 0, s.err
	case s.finished || s.closed:
		return 0, ErrDropped
	case p.bytes+len(b) > p.o.Buffer:
		return 0, ErrSlow
	}
	p.bytes += len(b)
	s.held = append(s.held, b...)
	s.more.Broadcast()
	return len(b), nil
}

// Close says that the segment is complete.
func (s *Outgoing) Close() error {
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	s.closed = true
	s.more.Broadcast()
	return s.err
}

// Wait waits until the channel has the closed segment whole. The error is ErrDropped or ErrEnded when it does not, or
// that of ctx.
func (s *Outgoing) Wait(ctx context.Context) error {
	select {
	case <-s.over:
	case <-ctx.Done():
		return ctx.Err()
	}
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	return s.err
}

// Drop gives the segment up and closes it for its readers.
func (s *Outgoing) Drop() {
	p := s.p
	p.mu.Lock()
	if s.err == nil {
		s.err = ErrDropped
	}
	s.more.Broadcast()
	p.mu.Unlock()
	s.cancel()
}

// send sends a segment, and again while nothing of it was sent and the one after it has not begun.
func (p *Publisher) send(ctx context.Context, s *Outgoing) {
	defer s.cancel()
	for {
		taken, channelEnded := p.try(ctx, s)
		if channelEnded {
			p.end()
		}
		p.mu.Lock()
		again := !taken && !channelEnded && !s.sent && s.err == nil && p.next <= s.number+1 && !(p.over && !s.begun)
		p.mu.Unlock()
		if again && pause(ctx, p.o.PublishPause) {
			continue
		}
		p.finish(ctx, s, taken, channelEnded)
		return
	}
}

// try sends a segment once. taken: the channel has it, or wants no more of it.
func (p *Publisher) try(ctx context.Context, s *Outgoing) (taken, channelEnded bool) {
	b := &outgoingBody{s: s}
	defer b.Close()
	release := func() { _ = b.Close() }
	defer context.AfterFunc(ctx, release)()
	ctx = watchConn(ctx, release)
	res, err := sendRequest(ctx, &p.o, http.MethodPost, p.url, segmentPath(s.number), b)
	if err != nil {
		return false, false
	}
	defer res.Body.Close()
	_, _ = io.CopyN(io.Discard, res.Body, 4<<10)
	return res.StatusCode == http.StatusOK, ended(res)
}

// end records that the channel has ended.
func (p *Publisher) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	select {
	case <-p.ended:
	default:
		close(p.ended)
	}
}

// finish forgets a segment, and closes one that was begun and not taken whole.
func (p *Publisher) finish(ctx context.Context, s *Outgoing, taken, channelEnded bool) {
	p.mu.Lock()
	s.finished = true
	p.bytes -= len(s.held)
	s.held = nil
	if s.begun {
		p.pending--
	}
	switch {
	case s.err != nil || taken && s.closed:
	case channelEnded:
		s.err = ErrEnded
	default:
		s.err = ErrDropped
	}
	if p.ahead == s {
		p.ahead = nil
	}
	broken := s.begun && !taken && !channelEnded
	p.mu.Unlock()
	close(s.over)
	if broken {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), deleteWithin)
		defer cancel()
		_ = sendDelete(ctx, &p.o, p.url, segmentPath(s.number)) // its readers go on; a lost one ends with the ring
	}
}

// outgoingBody hands a segment's bytes to one request.
type outgoingBody struct {
	s      *Outgoing
	closed bool
}

// Read waits for bytes. The segment forgets those it returns.
func (b *outgoingBody) Read(out []byte) (int, error) {
	s, p := b.s, b.s.p
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(s.held) == 0 && !s.closed && s.err == nil && !b.closed {
		s.more.Wait()
	}
	switch {
	case b.closed:
		return 0, io.ErrClosedPipe
	case s.err != nil:
		return 0, s.err
	case len(s.held) == 0:
		return 0, io.EOF
	}
	n := copy(out, s.held)
	s.sent = true
	p.bytes -= n
	if s.held = s.held[n:]; len(s.held) == 0 {
		s.held = nil
	}
	return n, nil
}

// Close releases a read that waits.
func (b *outgoingBody) Close() error {
	b.s.p.mu.Lock()
	defer b.s.p.mu.Unlock()
	b.closed = true
	b.s.more.Broadcast()
	return nil
}
