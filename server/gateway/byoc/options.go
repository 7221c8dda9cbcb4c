package byoc

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/server/gateway/live"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// Keys checks API keys; apikeystore.Authorizer implements it.
type Keys interface {
	apikeys.Authorizer
	// Use refuses a token for a use that takes nothing from its limits.
	Use(ctx context.Context, token, route, from string) error
}

// Options make a Server. All but Keys, CheckLocal and Limits must be set.
type Options struct {
	// Client talks to orchestrators, Orchestrators lists their addresses.
	Client        *upstream.Client
	Orchestrators func(ctx context.Context) ([]string, error)
	// Live moves the media of streams, Channels sends the requests to their channels.
	Live     *live.Server
	Channels *http.Client
	// Keys checks API keys; nil admits every request. While there is no key CheckLocal says why a request does not
	// come from this machine.
	Keys       Keys
	CheckLocal func(r *http.Request) error
	// Spending records what jobs cost; nil records nothing.
	Spending interface{ Spent(s *apikeys.Spend) }
	Limits   Limits

	Log  *slog.Logger
	Now  func() time.Time
	Rand io.Reader
}

// Limits bound jobs and streams. A zero field is its default.
type Limits struct {
	// Requests is how many jobs run at once, Streams how many streams. One client has half of them at most, one that
	// only the operator's service admitted an eighth.
	Requests, Streams int
	// Body bounds one body, Bytes all of them together.
	Body, Bytes int64
	// Answer bounds an answer.
	Answer int64
	// Asked bounds how many orchestrators are asked at once. Ask is how long one may take to name its terms, Search
	// how long all of them may.
	Asked       int
	Ask, Search time.Duration
	// Grace is how much longer than its job's time an answer is waited for.
	Grace time.Duration
	// Stall is how long a client may read nothing of its answer.
	Stall time.Duration
	// Pay is how often streams are paid for.
	Pay time.Duration
	// Start bounds the begin of a stream at one orchestrator, End its end there.
	Start, End time.Duration
	// Idle is how long a stream that takes video may have no publisher.
	Idle time.Duration
	// Readers is how many clients may read a stream's data.
	Readers int
	// KeyCheck is how often the key of a stream is checked again.
	KeyCheck time.Duration
	// Remember is how long the status of a stream is there after its end.
	Remember time.Duration
}

func (l Limits) complete() Limits {
	l.Requests = cmp.Or(l.Requests, 512)
	l.Streams = cmp.Or(l.Streams, 100)
	l.Body = cmp.Or(l.Body, 10<<20)
	l.Bytes = cmp.Or(l.Bytes, 256<<20)
	l.Answer = cmp.Or(l.Answer, 1<<30)
	l.Asked = cmp.Or(l.Asked, 256)
	l.Ask = cmp.Or(l.Ask, 500*time.Millisecond)
	l.Search = cmp.Or(l.Search, time.Second)
	l.Grace = cmp.Or(l.Grace, 5*time.Second)
	l.Stall = cmp.Or(l.Stall, time.Minute)
	l.Pay = cmp.Or(l.Pay, 50*time.Second)
	l.Start = cmp.Or(l.Start, time.Minute)
	l.End = cmp.Or(l.End, 3*time.Second)
	l.Idle = cmp.Or(l.Idle, time.Minute)
	l.Readers = cmp.Or(l.Readers, 16)
	l.KeyCheck = cmp.Or(l.KeyCheck, apikeys.CheckInterval)
	l.Remember = cmp.Or(l.Remember, time.Minute)
	return l
}
