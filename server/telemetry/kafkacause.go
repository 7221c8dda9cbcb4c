package telemetry

import (
	"cmp"
	"crypto/tls"
	"errors"
	"strings"
	"sync"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	kafkaFull        = "the queue is full: the brokers take events too slowly, or cannot be reached"
	kafkaLogin       = "the brokers refuse the login with -kafkaUser and -kafkaPassword, or end the connection in it"
	kafkaCertificate = "a broker's certificate is not valid"
	kafkaUnreachable = "the brokers cannot be reached, or do not answer in time"
)

// kafkaCauses remembers why the library cannot use the brokers. An event that waited too long carries only that it did.
// It is the library's log; nothing of what it is given is written anywhere, because brokers choose parts of it.
type kafkaCauses struct {
	// login: there is a user.
	login bool

	mu   sync.Mutex
	last string // guarded by mu, "" for nothing known
}

// notBegun is the library's message for a connection whose handshakes failed. Old brokers refuse a login by closing
// the connection.
const notBegun = "connection initialization failed"

// Level is the library's level from which it logs.
func (c *kafkaCauses) Level() kgo.LogLevel { return kgo.LogLevelDebug }

// Log looks for the cause in an entry of the library's log.
func (c *kafkaCauses) Log(level kgo.LogLevel, message string, attributes ...any) {
	if level > kgo.LogLevelWarn && message != notBegun {
		return
	}
	found := ""
	for _, a := range attributes {
		if err, ok := a.(error); ok {
			found = kafkaCause(err)
		}
	}
	if c.login && (message == notBegun || strings.Contains(message, "sasl")) {
		found = cmp.Or(found, kafkaLogin)
	}
	if found == "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = found
}

// kafkaCause is what an error of a connection says, "" for nothing in particular.
func kafkaCause(err error) string {
	if _, wrong := errors.AsType[*tls.CertificateVerificationError](err); wrong {
		return kafkaCertificate
	}
	if errors.Is(err, kerr.SaslAuthenticationFailed) {
		return kafkaLogin
	}
	return ""
}

// known is the last cause.
func (c *kafkaCauses) known() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last == "" {
		return kafkaUnreachable
	}
	return c.last
}

// over forgets the cause: a broker took an event.
func (c *kafkaCauses) over() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = ""
}

// reason is why an event was lost, without anything that a broker wrote.
func (c *kafkaCauses) reason(err error) string {
	if text := kafkaCause(err); text != "" {
		return text
	}
	refused, ok := errors.AsType[*kerr.Error](err)
	switch {
	case errors.Is(err, kgo.ErrMaxBuffered):
		return kafkaFull
	case errors.Is(err, kgo.ErrClientClosed):
		return "the node is stopping"
	case errors.Is(err, kerr.UnknownTopicOrPartition):
		return "the brokers have no topic -kafkaGatewayTopic"
	case ok:
		return "the brokers answer " + refused.Message
	}
	return c.known()
}
