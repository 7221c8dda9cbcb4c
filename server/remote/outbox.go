package remote

import (
	"sync"
	"time"

	"google.golang.org/grpc"
)

const (
	// maxLetters is how many messages may wait for a worker. One that lets more pile
	// up does not read.
	maxQueued = 1024
	// stallTime and stallPace are how long a message may take on its way: a time, and
	// one more second for so many bytes.
	stallTime           = 4 * time.Second
	stallBytesPerSecond = 1 << 20
)

// Outbox is the messages on their way to one worker, in order. Whoever puts one in
// never waits; the handler of the registration's stream sends.
type Outbox struct {
	// wake holds one element while there may be something to send.
	wake chan struct{}

	// mu guards what follows.
	mu     sync.Mutex
	queue  []*Message
	closed bool
}

// NewOutbox is empty.
func NewOutbox() *Outbox { return &Outbox{wake: make(chan struct{}, 1)} }

// Letter is one message.
type Message struct {
	size int
	sent chan struct{}

	// out says that a stream has taken it; it is under the box's mu.
	taken bool
	// mu guards msg, which is nil once it was encoded or withdrawn.
	mu  sync.Mutex
	msg any
}

// Put queues a protobuf message of about size bytes. It is false when the worker
// lets too many pile up, or the box was closed.
func (b *Outbox) Put(msg any, size int) (*Message, bool) {
	l := &Message{msg: msg, size: size, sent: make(chan struct{})}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed || len(b.queue) >= maxQueued {
		return nil, false
	}
	b.queue = append(b.queue, l)
	b.wakeSender()
	return l, true
}

// Close drops what is in the box; nothing can be put into it any more.
func (b *Outbox) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.queue, b.closed = nil, true
}

// nudge wakes the sender.
func (b *Outbox) wakeSender() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// pop is the next message, nil when there is none for a stream that has not been
// stopped.
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
	l := b.queue[0]
	l.taken = true
	b.queue[0] = nil
	if b.queue = b.queue[1:]; len(b.queue) == 0 {
		b.queue = nil
	}
	return l
}

// Out reports whether a stream has taken the message. When that stream's stop is closed
// and this is false, another stream will send it.
func (b *Outbox) Taken(l *Message) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return l.taken
}

// Sent is closed when the message is on its way, which is not to say that it was
// read.
func (l *Message) Sent() <-chan struct{} { return l.sent }

// Withdraw takes back a message that was not sent yet. After it, nothing of the
// message is read any more. It may be called at any time.
func (l *Message) Withdraw() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.msg = nil
}

// encode makes bytes of the message, and of them what sends them; nil for one that
// was withdrawn.
func (l *Message) encode(stream grpc.ServerStream) (send func() error, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.msg == nil {
		return nil, nil
	}
	msg := l.msg
	l.msg = nil
	if d := directOf(stream); d != nil {
		b, err := encodeMessage(msg)
		return func() error { return d.send(b) }, err
	}
	p := new(grpc.PreparedMsg)
	err = p.Encode(stream, msg)
	return func() error { return stream.SendMsg(p) }, err
}

// Serve sends on a stream until stop is closed, the stream's context ends or sending
// fails, which is the error. What is left in the box waits for another stream, or
// for Close. A worker that does not read has its line cut.
func (b *Outbox) Serve(stream grpc.ServerStream, conn *StreamConn, stop <-chan struct{}) error {
	before := 0
	// Left over from a stream before, it would wake nobody.
	b.wakeSender()
	for {
		select {
		case <-stop:
			return nil
		case <-stream.Context().Done():
			return stream.Context().Err()
		case <-b.wake:
		}
		for l := b.pop(stop); l != nil; l = b.pop(stop) {
			if err := l.send(stream, conn, before); err != nil {
				return err
			}
			before = l.size
		}
	}
}

// send puts one message on its way. It takes as long as the one before it, of so many
// bytes, needs to be read.
func (l *Message) send(stream grpc.ServerStream, conn *StreamConn, before int) error {
	send, err := l.encode(stream)
	if send == nil || err != nil {
		return err
	}
	timeout := stallTime + time.Duration(before+l.size)*time.Second/stallBytesPerSecond
	stall := time.AfterFunc(timeout, conn.Cut)
	defer stall.Stop()
	if err := send(); err != nil {
		return err
	}
	close(l.sent)
	return nil
}
