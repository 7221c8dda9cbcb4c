package remote

import (
	"sync"
	"time"

	"google.golang.org/grpc"
)

const (
	// maxQueued is how many messages may wait for a worker. With more, it does not read.
	maxQueued = 1024
	// Sending a message may take stallTime, plus one second per stallBytesPerSecond bytes.
	stallTime           = 4 * time.Second
	stallBytesPerSecond = 1 << 20
)

// Outbox is the ordered queue of messages to one worker. Put never blocks; the handler of
// the registration's stream sends.
type Outbox struct {
	// wake holds one element while there may be something to send.
	wake chan struct{}

	// mu guards what follows.
	mu     sync.Mutex
	queue  []*Message
	closed bool
}

// NewOutbox returns an empty outbox.
func NewOutbox() *Outbox { return &Outbox{wake: make(chan struct{}, 1)} }

// Message is one message.
type Message struct {
	size int
	sent chan struct{}

	// taken: a stream has taken it; guarded by Outbox.mu.
	taken bool
	// mu guards msg, which is nil once it was encoded or withdrawn.
	mu  sync.Mutex
	msg any
}

// Put queues a protobuf message of about size bytes. It returns false if the outbox is full or
// closed.
func (b *Outbox) Put(msg any, size int) (*Message, bool) {
	m := &Message{msg: msg, size: size, sent: make(chan struct{})}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed || len(b.queue) >= maxQueued {
		return nil, false
	}
	b.queue = append(b.queue, m)
	b.wakeSender()
	return m, true
}

// Close drops the queued messages; Put fails from now on.
func (b *Outbox) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.queue, b.closed = nil, true
}

// wakeSender wakes the sender.
func (b *Outbox) wakeSender() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// pop takes the next message, nil when there is none or the stream was stopped.
func (b *Outbox) pop(stop <-chan struct{}) *Message {
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case <-stop:
		return nil
	default:
	}
	if len(b.queue) == 0 {
		return nil
	}
	m := b.queue[0]
	m.taken = true
	b.queue[0] = nil
	if b.queue = b.queue[1:]; len(b.queue) == 0 {
		b.queue = nil
	}
	return m
}

// Taken reports whether a stream has taken the message. When that stream's stop is closed
// and this is false, another stream will send it.
func (b *Outbox) Taken(m *Message) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return m.taken
}

// Sent is closed when the message is written, which does not mean that it was read.
func (m *Message) Sent() <-chan struct{} { return m.sent }

// Withdraw cancels a message that is not sent yet. The message's bytes are not read after the
// call. It may be called at any time.
func (m *Message) Withdraw() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.msg = nil
}

// encode encodes the message and returns the function that sends it; nil for a withdrawn
// one.
func (m *Message) encode(stream grpc.ServerStream) (send func() error, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.msg == nil {
		return nil, nil
	}
	msg := m.msg
	m.msg = nil
	if d := directOf(stream); d != nil {
		b, err := encodeMessage(msg)
		return func() error { return d.send(b) }, err
	}
	p := new(grpc.PreparedMsg)
	err = p.Encode(stream, msg)
	return func() error { return stream.SendMsg(p) }, err
}

// Serve sends on a stream until stop is closed, the stream's context ends or sending fails,
// which is the error. Remaining messages wait for another stream or for Close. The
// connection of a worker that does not read is cut.
func (b *Outbox) Serve(stream grpc.ServerStream, conn *StreamConn, stop <-chan struct{}) error {
	before := 0
	// Messages left over from a previous stream.
	b.wakeSender()
	for {
		select {
		case <-stop:
			return nil
		case <-stream.Context().Done():
			return stream.Context().Err()
		case <-b.wake:
		}
		for m := b.pop(stop); m != nil; m = b.pop(stop) {
			if err := m.send(stream, conn, before); err != nil {
				return err
			}
			before = m.size
		}
	}
}

// send writes one message. It may block until the previous one, of before bytes, was read.
func (m *Message) send(stream grpc.ServerStream, conn *StreamConn, before int) error {
	send, err := m.encode(stream)
	if send == nil || err != nil {
		return err
	}
	timeout := stallTime + time.Duration(before+m.size)*time.Second/stallBytesPerSecond
	stall := time.AfterFunc(timeout, conn.Cut)
	defer stall.Stop()
	if err := send(); err != nil {
		return err
	}
	close(m.sent)
	return nil
}
