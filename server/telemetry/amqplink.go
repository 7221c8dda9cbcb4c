package telemetry

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"strconv"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"
)

// connectTimeout bounds the attempt to connect, with its handshakes.
const connectTimeout = 10 * time.Second

// amqpLink is one connection to the broker. One goroutine uses it.
type amqpLink struct {
	q       *AMQP
	raw     net.Conn
	conn    *amqp.Connection
	channel *amqp.Channel
	closed  chan *amqp.Error
}

// open connects and declares the exchange, within connectTimeout.
func (q *AMQP) open(ctx context.Context) (_ *amqpLink, err error) {
	l := &amqpLink{q: q, closed: make(chan *amqp.Error, 1)}
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	defer func() {
		if err != nil && l.raw != nil {
			_ = l.raw.Close() // nothing was sent over it
		}
	}()
	stop := func() bool { return true }
	l.conn, err = amqp.DialConfig(q.opt.URI.Reveal(), amqp.Config{
		Heartbeat: 10 * time.Second, Locale: "en_US", ChannelMax: 8,
		Properties: amqp.Table{"product": "tutti", "connection_name": "tutti " + q.opt.Node},
		Dial: func(network, address string) (net.Conn, error) {
			conn, err := (&net.Dialer{KeepAlive: 30 * time.Second}).DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			l.raw = conn
			// The handshake of the library has no timeout of its own.
			stop = context.AfterFunc(ctx, func() { _ = conn.Close() })
			return conn, nil
		},
	})
	defer func() { stop() }()
	if err != nil {
		return nil, err
	}
	if l.channel, err = l.conn.Channel(); err != nil {
		return nil, err
	}
	if err = l.channel.Confirm(false); err != nil {
		return nil, err
	}
	if err = l.channel.ExchangeDeclare(q.opt.Exchange, amqp.ExchangeTopic, true, false, false, false, nil); err != nil {
		return nil, err
	}
	// The channel also closes when the connection does, so this covers both.
	l.channel.NotifyClose(l.closed)
	return l, nil
}

// publish sends messages and waits until the broker has confirmed all of them. refused are those that it would not
// take.
func (l *amqpLink) publish(ctx context.Context, batch []*amqpMessage) (refused []*amqpMessage, err error) {
	ctx, cancel := context.WithTimeout(ctx, l.q.opt.Timeout)
	defer cancel()
	// A broker that is short of memory stops reading, and a write then blocks until the connection is closed.
	stop := context.AfterFunc(ctx, func() { _ = l.raw.Close() })
	defer stop()
	confirmations := make([]*amqp.DeferredConfirmation, len(batch))
	for i, m := range batch {
		confirmations[i], err = l.channel.PublishWithDeferredConfirm(l.q.opt.Exchange, m.key, false, false, amqp.Publishing{
			ContentType: "application/json", DeliveryMode: amqp.Persistent, Timestamp: l.q.opt.Now(), AppId: "tutti",
			Body: m.body,
		})
		if err != nil {
			return nil, orTimeout(ctx, err)
		}
	}
	for i, c := range confirmations {
		taken, err := c.WaitContext(ctx)
		switch {
		case err != nil:
			return nil, orTimeout(ctx, err)
		case !taken && l.channel.IsClosed():
			return nil, closedError(<-l.closed)
		case !taken:
			refused = append(refused, batch[i])
		}
	}
	return refused, nil
}

// orTimeout returns err, or context.DeadlineExceeded if ctx has ended: err is then its consequence.
func orTimeout(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.DeadlineExceeded
	}
	return err
}

// close ends the connection. The broker gets a moment to read what it was sent.
func (l *amqpLink) close() {
	end := time.AfterFunc(time.Second, func() { _ = l.raw.Close() })
	defer end.Stop()
	_ = l.conn.Close() // it may have failed before
}

// closedError returns the broker's reason for closing the connection; amqp.ErrClosed for none.
func closedError(err *amqp.Error) error {
	if err == nil {
		return amqp.ErrClosed
	}
	return err
}

// amqpReason is why messages do not reach the broker, without anything that the broker wrote and without the address.
func amqpReason(err error) string {
	var refused *amqp.Error
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.As(err, &certificate):
		return "the broker's certificate is not valid"
	case errors.Is(err, context.DeadlineExceeded):
		return "the broker does not confirm messages within -metadataPublishTimeout"
	case errors.Is(err, amqp.ErrSASL), errors.Is(err, amqp.ErrCredentials):
		return "the broker refuses the user or password of -metadataQueueUri"
	case errors.Is(err, amqp.ErrVhost):
		return "the broker refuses the virtual host of -metadataQueueUri"
	case errors.As(err, &refused) && refused.Code == amqp.PreconditionFailed:
		return "the exchange -metadataAmqpExchange exists and is not a durable topic exchange"
	case errors.As(err, &refused) && refused.Code == amqp.AccessRefused:
		return "the user may not use the exchange -metadataAmqpExchange"
	case errors.As(err, &refused) && refused.Server:
		return "the broker closed the connection with code " + strconv.Itoa(refused.Code)
	}
	return "the broker cannot be reached, or closed the connection"
}
