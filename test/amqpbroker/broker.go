// Package amqpbroker is an AMQP 0-9-1 broker for tests: the handshake with PLAIN, one channel, a topic exchange,
// publisher confirmations and messages. It takes what a publisher sends and can refuse, stay silent and hang up.
package amqpbroker

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
)

// Broker is one on loopback. User is any, the password "right" unless Change sets another one.
type Broker struct {
	net.Listener
	wg sync.WaitGroup

	mu     sync.Mutex
	how    Behavior
	got    []Message
	conns  []net.Conn
	opened int
}

// Behavior is how a broker differs from one that takes everything.
type Behavior struct {
	Password string
	// Kind is the type of the exchange that exists, "" for none.
	Kind string
	// Mute confirms nothing; Nack refuses so many messages.
	Mute bool
	Nack int
}

// Message is one that came.
type Message struct{ Exchange, Key, Body, ContentType string }

// New starts a broker, which ends with the test.
func New(t testing.TB, addr string) *Broker {
	t.Helper()
	l, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	b := &Broker{Listener: l, how: Behavior{Password: "right"}}
	b.wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			b.mu.Lock()
			b.conns = append(b.conns, c)
			b.opened++
			b.mu.Unlock()
			b.wg.Go(func() { defer func() { _ = c.Close() }(); (&session{b: b, r: bufio.NewReader(c), w: c}).serve() })
		}
	})
	t.Cleanup(b.Stop)
	return b
}

// Stop ends the broker and its connections.
func (b *Broker) Stop() {
	_ = b.Close()
	b.Cut()
	b.wg.Wait()
}

// Cut ends all connections.
func (b *Broker) Cut() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range b.conns {
		_ = c.Close()
	}
	b.conns = nil
}

// Change sets how the broker behaves.
func (b *Broker) Change(f func(*Behavior)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f(&b.how)
}

// Opened is how many connections came.
func (b *Broker) Opened() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.opened
}

// URI is the broker's address, with a user.
func (b *Broker) URI() string { return "amqp://u:right@" + b.Addr().String() + "/" }

// Messages are those that were confirmed.
func (b *Broker) Messages() []Message {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]Message(nil), b.got...)
}

func (b *Broker) behavior() Behavior {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.how
}

// session is one connection.
type session struct {
	b    *Broker
	r    *bufio.Reader
	w    io.Writer
	tag  uint64
	next Message
	left uint64 // of the body
}

const frameEnd = 0xCE

// method writes a method frame.
func (s *session) method(channel, class, id uint16, args ...[]byte) {
	payload := binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(nil, class), id)
	payload = append(payload, bytes.Join(args, nil)...)
	frame := binary.BigEndian.AppendUint16([]byte{1}, channel)
	frame = binary.BigEndian.AppendUint32(frame, uint32(len(payload)))
	_, _ = s.w.Write(append(append(frame, payload...), frameEnd))
}

func short(v uint16) []byte    { return binary.BigEndian.AppendUint16(nil, v) }
func long(v uint32) []byte     { return binary.BigEndian.AppendUint32(nil, v) }
func longlong(v uint64) []byte { return binary.BigEndian.AppendUint64(nil, v) }
func shortstr(v string) []byte { return append([]byte{byte(len(v))}, v...) }
func longstr(v string) []byte  { return append(long(uint32(len(v))), v...) }
func cutShort(p *[]byte) string {
	n := int((*p)[0])
	v := string((*p)[1 : 1+n])
	*p = (*p)[1+n:]
	return v
}
func cutLong(p *[]byte) string {
	n := int(binary.BigEndian.Uint32(*p))
	v := string((*p)[4 : 4+n])
	*p = (*p)[4+n:]
	return v
}
func (s *session) fail(c uint16) { s.method(0, 10, 50, short(c), shortstr("no"), short(0), short(0)) }

func (s *session) serve() {
	header := make([]byte, 8)
	if _, err := io.ReadFull(s.r, header); err != nil || string(header) != "AMQP\x00\x00\x09\x01" {
		return
	}
	s.method(0, 10, 10, []byte{0, 9}, long(0), longstr("AMQPLAIN PLAIN"), longstr("en_US"))
	for {
		head := make([]byte, 7)
		if _, err := io.ReadFull(s.r, head); err != nil {
			return
		}
		payload := make([]byte, binary.BigEndian.Uint32(head[3:])+1)
		if _, err := io.ReadFull(s.r, payload); err != nil || payload[len(payload)-1] != frameEnd {
			return
		}
		payload = payload[:len(payload)-1]
		channel := binary.BigEndian.Uint16(head[1:])
		switch head[0] {
		case 1:
			id := uint32(binary.BigEndian.Uint16(payload))<<16 | uint32(binary.BigEndian.Uint16(payload[2:]))
			if !s.take(channel, id, payload[4:]) {
				return
			}
		case 2:
			s.header(channel, payload)
		case 3:
			s.body(channel, payload)
		}
	}
}

// Methods of the protocol: class and number.
const (
	startOK       = 10<<16 | 11
	openConn      = 10<<16 | 40
	closeConn     = 10<<16 | 50
	openChannel   = 20<<16 | 10
	closeChannel  = 20<<16 | 40
	declare       = 40<<16 | 10
	publish       = 60<<16 | 40
	selectConfirm = 85<<16 | 10
)

// take answers a method. It reports whether the connection goes on.
func (s *session) take(channel uint16, id uint32, p []byte) bool {
	switch id {
	case startOK:
		_ = cutLong(&p) // properties
		_ = cutShort(&p)
		login := cutLong(&p)
		if !strings.HasSuffix(login, "\x00"+s.b.behavior().Password) {
			s.fail(403)
			return false
		}
		s.method(0, 10, 30, short(16), long(131072), short(10))
	case openConn:
		s.method(0, 10, 41, shortstr(""))
	case closeConn:
		s.method(0, 10, 51)
		return false
	case openChannel:
		s.method(channel, 20, 11, longstr(""))
	case closeChannel:
		s.method(channel, 20, 41)
	case selectConfirm:
		s.method(channel, 85, 11)
	case declare:
		s.declare(channel, p)
	case publish:
		p = p[2:]
		s.next = Message{Exchange: cutShort(&p), Key: cutShort(&p)}
	}
	return true
}

func (s *session) declare(channel uint16, p []byte) {
	p = p[2:]
	_ = cutShort(&p) // name
	kind, exists := cutShort(&p), s.b.behavior().Kind
	if exists != "" && exists != kind || p[0]&2 == 0 {
		s.method(channel, 20, 40, short(406), shortstr("PRECONDITION_FAILED"), short(40), short(10))
		return
	}
	s.method(channel, 40, 11)
}

// header begins a message's content.
func (s *session) header(channel uint16, p []byte) {
	s.left = binary.BigEndian.Uint64(p[4:])
	if binary.BigEndian.Uint16(p[12:])&0x8000 != 0 {
		p = p[14:]
		s.next.ContentType = cutShort(&p)
	}
	if s.left == 0 {
		s.finish(channel)
	}
}

func (s *session) body(channel uint16, p []byte) {
	s.next.Body += string(p)
	if s.left -= uint64(len(p)); s.left == 0 {
		s.finish(channel)
	}
}

// finish keeps a message and confirms it.
func (s *session) finish(channel uint16) {
	s.tag++
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	switch {
	case s.b.how.Mute:
	case s.b.how.Nack > 0:
		s.b.how.Nack--
		s.method(channel, 60, 120, longlong(s.tag), []byte{0})
	default:
		s.b.got = append(s.b.got, s.next)
		s.method(channel, 60, 80, longlong(s.tag), []byte{0})
	}
}
