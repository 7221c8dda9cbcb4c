package alert

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"time"

	"github.com/tuttinode/tutti/core/health"
)

// Message is an alert with the identity of its node.
type Message struct {
	health.Alert
	// Node is the node's name, Version its release.
	Node, Version string
	// Dropped is how many alerts were dropped before this one.
	Dropped int
}

// Sender sends alerts to one sink.
type Sender struct {
	sink health.AlertSink
	// client is nil for programs.
	client *http.Client
	now    func() time.Time
}

// sendTimeout bounds one attempt, including a program's run.
const sendTimeout = 10 * time.Second

// NewSender makes the sender of a sink. roots is nil for the system's.
func NewSender(sink health.AlertSink, roots *tls.Config, now func() time.Time) *Sender {
	s := &Sender{sink: sink, now: now}
	if sink.Kind == health.ExecSink {
		return s
	}
	dialer := &net.Dialer{Timeout: 5 * time.Second}
	s.client = &http.Client{
		Timeout: sendTimeout,
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, TLSClientConfig: roots,
			TLSHandshakeTimeout: 5 * time.Second, MaxIdleConns: 1, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true,
			MaxResponseHeaderBytes: 64 << 10,
		},
		// Another server must not get the secret in the address.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return s
}

// Name returns the sink's, which is no secret.
func (s *Sender) Name() string { return s.sink.Name }

// Send makes one attempt. The error is a fault AlertUndelivered without secrets; after is
// the sink's Retry-After, 0 for none.
func (s *Sender) Send(ctx context.Context, m *Message) (after time.Duration, err error) {
	if s.sink.Kind == health.ExecSink {
		return 0, s.run(ctx, m)
	}
	return s.post(ctx, m)
}

// Close closes idle connections.
func (s *Sender) Close() {
	if s.client != nil {
		s.client.CloseIdleConnections()
	}
}
