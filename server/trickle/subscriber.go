package trickle

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"
)

// Subscriber reads a channel's segments in order. It is for one goroutine.
type Subscriber struct {
	url string
	o   ClientOptions
	wg  sync.WaitGroup
	// number is what the next request asks for.
	number int64
	// ahead receives what the request ahead gets; nil when there is none.
	ahead chan fetched
	stop  context.CancelFunc
	// empty counts segments in a row that had no byte.
	empty int
}

// fetched is a segment whose headers are there, or why there is none.
type fetched struct {
	in  *Incoming
	err error
}

// NewSubscriber makes a subscriber for the channel of a URL. It sends nothing yet.
func NewSubscriber(url string, o ClientOptions) *Subscriber {
	s := &Subscriber{url: url, o: o.complete(), number: -1}
	if o.FromStart {
		s.number = o.Start
	}
	return s
}

// Incoming is a segment that may still grow. Its Read returns bytes as they come.
type Incoming struct {
	Number int64
	// MIME is the channel's type, empty for a segment without bytes.
	MIME   string
	body   io.ReadCloser
	cancel context.CancelFunc
}

func (in *Incoming) Read(p []byte) (int, error) {
	n, err := in.body.Read(p)
	if err != nil && err != io.EOF {
		err = withoutURL(err)
	}
	return n, err
}

// Close gives the segment up. It must be called for every segment.
func (in *Incoming) Close() error {
	in.cancel()
	return in.body.Close()
}

// Next waits for the next segment. ctx must last as long as the subscriber is used: it bounds the request
// ahead as well. The error is ErrEnded at the channel's end.
func (s *Subscriber) Next(ctx context.Context) (*Incoming, error) {
	if s.ahead == nil {
		s.ask(ctx)
	}
	var got fetched
	select {
	case got = <-s.ahead:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	s.ahead = nil
	if got.err != nil {
		return nil, got.err
	}
	if s.empty++; got.in.MIME != "" {
		s.empty = 0
	}
	if s.empty > s.o.Failures && !pause(ctx, s.o.ReadPause) { // segments without bytes cost a publisher nothing
		got.in.Close()
		return nil, ctx.Err()
	}
	s.number = got.in.Number + 1
	s.ask(ctx)
	return got.in, nil
}

// ask sends the request ahead.
func (s *Subscriber) ask(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	ahead, number := make(chan fetched, 1), s.number
	s.ahead, s.stop = ahead, cancel
	s.wg.Go(func() {
		in, err := s.fetch(ctx, number)
		if err != nil {
			cancel()
		} else {
			in.cancel = cancel
		}
		ahead <- fetched{in, err}
	})
}

// Close ends the request ahead.
func (s *Subscriber) Close() {
	if s.stop != nil && s.ahead != nil {
		s.stop()
		s.wg.Wait()
		if got := <-s.ahead; got.in != nil {
			got.in.Close()
		}
		s.ahead = nil
	}
}

// fetch asks for a segment until it is there, the channel has ended, or too many tries have failed.
func (s *Subscriber) fetch(ctx context.Context, number int64) (*Incoming, error) {
	for failed := 0; ; {
		a := s.get(ctx, number)
		switch {
		case a.in != nil || a.err == ErrEnded:
			return a.in, a.err
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case a.renew:
			continue
		}
		if failed++; failed > s.o.Failures {
			return nil, a.err
		}
		if a.moved {
			number = a.to
			if failed == 1 {
				continue
			}
		}
		if !pause(ctx, s.o.ReadPause) {
			return nil, ctx.Err()
		}
	}
}

// attempt is what one request got: a segment, another number to ask for, or nothing in time.
type attempt struct {
	in           *Incoming
	moved, renew bool
	to           int64
	err          error
}

func (s *Subscriber) get(ctx context.Context, number int64) attempt {
	ctx, cancel := context.WithCancel(ctx)
	late := time.AfterFunc(s.o.Renew, cancel)
	res, err := sendRequest(ctx, &s.o, http.MethodGet, s.url, segmentPath(number), nil)
	if !late.Stop() {
		if err == nil {
			res.Body.Close()
		}
		return attempt{renew: true}
	}
	if err != nil {
		cancel()
		return attempt{err: err}
	}
	at, numbered := headerInt(res, headerNumber)
	if res.StatusCode == http.StatusOK && !ended(res) && numbered {
		return attempt{in: &Incoming{Number: at, MIME: res.Header.Get("Content-Type"),
			body: &canceling{res.Body, cancel}}}
	}
	defer cancel()
	defer res.Body.Close()
	next, hasNext := headerInt(res, headerNext)
	switch {
	case ended(res):
		return attempt{err: ErrEnded}
	case res.StatusCode == statusNotKept && hasNext:
		return attempt{moved: true, to: next, err: statusError(statusNotKept)}
	}
	return attempt{err: statusError(res.StatusCode)}
}

// canceling ends a request with its body.
type canceling struct {
	io.ReadCloser
	cancel context.CancelFunc
}

func (c *canceling) Close() error {
	c.cancel()
	return c.ReadCloser.Close()
}
