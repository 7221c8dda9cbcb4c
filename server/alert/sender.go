package alert

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"time"

	"github.com/tuttinode/tutti/core/alert"
)

// Message is an alert with what the reader needs to know of its sender.
type Message struct {
	alert.Alert
	// Node is the node's name, Version its release.
	Node, Version string
	// Dropped is how many alerts before this one had no place.
	Dropped int
}

// Sender carries alerts to one sink.
type Sender struct {
	sink alert.Sink
	// client is nil for programs.
	client *http.Client
	now    func() time.Time
}

// sendTime is how long one attempt may take, a program's run included.
const sendTime = 10 * time.Second

// NewSender makes the sender of a sink. roots is nil for the system's.
func NewSender(sink alert.Sink, roots *tls.Config, now func() time.Time) *Sender {
	s := &Sender{sink: sink, now: now}
	if sink.Kind == alert.Exec {
		return s
	}
	dialer := &net.Dialer{Timeout: 5 * time.Second}
	s.client = &http.Client{
		Timeout: sendTime,
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, TLSClientConfig: roots,
			TLSHandshakeTimeout: 5 * time.Second, MaxIdleConns: 1, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true,
			MaxResponseHeaderBytes: 64 << 10,
		},
		// Another place is not to learn what is in the address.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return s
}

// Name is the sink's, which is no secret.
func (s *Sender) Name() string { return s.sink.Name }

// Send tells the sink once. The error is a fault AlertUndelivered with nothing secret
// in it; after is how long the sink asks to be left alone, 0 where it does not.
func (s *Sender) Send(ctx context.Context, m *Message) (after time.Duration, err error) {
	if s.sink.Kind == alert.Exec {
		return 0, s.run(ctx, m)
	}
	return s.post(ctx, m)
}

// Close lets idle connections go.
func (s *Sender) Close() {
	if s.client != nil {
		s.client.CloseIdleConnections()
	}
}
