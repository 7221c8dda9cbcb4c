package ingest

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/bluenviron/gortmplib"
	"github.com/bluenviron/gortmplib/pkg/amf0"
	"github.com/bluenviron/gortmplib/pkg/bytecounter"
	"github.com/bluenviron/gortmplib/pkg/handshake"
	"github.com/bluenviron/gortmplib/pkg/message"
	"github.com/bluenviron/gortsplib/v5/pkg/format"

	"github.com/tuttinode/tutti/core/fetchurl"
	"github.com/tuttinode/tutti/server/admission"
	"github.com/tuttinode/tutti/server/gateway/live"
)

// writeWithin bounds one write to a server.
const writeWithin = 10 * time.Second

// RTMPOutputs sends results to RTMP servers of the internet, and of private networks that the operator names: a client
// names the server, and must not reach with it what only this machine reaches.
type RTMPOutputs struct {
	Networks fetchurl.Networks
	// TLS is for rtmps; nil verifies certificates as usual.
	TLS *tls.Config
}

// Open connects and begins to publish; it is a live.Restream.
func (o RTMPOutputs) Open(ctx context.Context, address string, sps, pps []byte, sound *live.Sound) (live.Restreamer,
	error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("the address cannot be read") // its text has a key
	}
	conn, err := o.dial(ctx, u)
	if err != nil {
		return nil, err
	}
	release := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer release()
	t := &outputTarget{conn: conn}
	if err := t.begin(u, sps, pps, sound); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	t.wg.Go(t.discard)
	return t, nil
}

// dial connects to a server that may be used.
func (o RTMPOutputs) dial(ctx context.Context, u *url.URL) (net.Conn, error) {
	port := u.Port()
	if port == "" {
		port = map[string]string{"rtmp": "1935", "rtmps": "443"}[u.Scheme]
	}
	d := &net.Dialer{Control: o.Networks.Control}
	conn, err := d.DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if errors.Is(err, fetchurl.ErrNotPublic) {
		return nil, fmt.Errorf("the host %s is not of the internet, and in no network of -liveOutputNetworks", u.Hostname())
	}
	if err != nil || u.Scheme != "rtmps" {
		return conn, err
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if o.TLS != nil {
		c = o.TLS.Clone()
	}
	c.ServerName = u.Hostname()
	secure := tls.Client(conn, c)
	if err := secure.HandshakeContext(ctx); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return secure, nil
}

// outputTarget is a connection to a server.
type outputTarget struct {
	conn  net.Conn
	count *bytecounter.ReadWriter
	in    *message.Reader
	w     *gortmplib.Writer
	video *format.H264
	sound *format.MPEG4Audio
	wg    sync.WaitGroup

	// writing guards out: what the server asks for is answered while media are sent.
	writing sync.Mutex
	out     *message.Writer
}

// Read reads a message, and answers the server's pings.
func (t *outputTarget) Read() (message.Message, error) {
	m, err := t.in.Read()
	if ping, ok := m.(*message.UserControlPingRequest); ok && err == nil {
		err = t.Write(&message.UserControlPingResponse{ServerTime: ping.ServerTime})
	}
	return m, err
}

// Write writes a message within a time.
func (t *outputTarget) Write(m message.Message) error {
	t.writing.Lock()
	defer t.writing.Unlock()
	_ = t.conn.SetWriteDeadline(time.Now().Add(writeWithin))
	return t.out.Write(m)
}

// BytesReceived and BytesSent count.
func (t *outputTarget) BytesReceived() uint64 { return t.count.Reader.Count() }

// BytesSent counts what was sent.
func (t *outputTarget) BytesSent() uint64 { return t.count.Writer.Count() }

// WriteVideo sends a picture.
func (t *outputTarget) WriteVideo(pts, dts time.Duration, unit [][]byte) error {
	return t.w.WriteH264(t.video, pts, dts, unit)
}

// WriteSound sends AAC.
func (t *outputTarget) WriteSound(pts time.Duration, unit []byte) error {
	if t.sound == nil {
		return nil
	}
	return t.w.WriteMPEG4Audio(t.sound, pts, unit)
}

// Close ends the connection.
func (t *outputTarget) Close() error {
	err := t.conn.Close()
	t.wg.Wait()
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// discard reads what the server sends, which asks for acknowledgments and answers, until the end.
func (t *outputTarget) discard() {
	var err error
	defer recoveredRTMP(&err)
	for err == nil {
		_, err = t.Read()
	}
	_ = t.conn.Close() // a write that follows fails
}

// begin publishes.
func (t *outputTarget) begin(u *url.URL, sps, pps []byte, sound *live.Sound) (err error) {
	defer recoveredRTMP(&err)
	t.count = bytecounter.NewReadWriter(guardedConn{admission.NewRTMPGuard(t.conn), t.conn})
	if _, _, err := handshake.DoClient(t.count, false, false); err != nil {
		return fmt.Errorf("shake hands: %w", err)
	}
	t.out = message.NewWriter(t.count, t.count.Writer, false)
	t.in = message.NewReader(t.count, t.count.Reader, func(n uint32) error {
		return t.Write(&message.Acknowledge{Value: n})
	})
	if err := t.publish(u); err != nil {
		return err
	}
	t.video = &format.H264{PayloadTyp: 96, PacketizationMode: 1, SPS: sps, PPS: pps}
	tracks := []format.Format{t.video}
	if sound != nil {
		t.sound = &format.MPEG4Audio{PayloadTyp: 97, Config: sound, SizeLength: 13, IndexLength: 3, IndexDeltaLength: 3}
		tracks = append(tracks, t.sound)
	}
	t.w = &gortmplib.Writer{Conn: t, Tracks: tracks}
	return t.w.Initialize()
}

// publish sends the commands with which a stream begins.
func (t *outputTarget) publish(u *url.URL) error {
	// The application is all but the last part of the path: of rtmp://host/live/key it is "live".
	path := strings.Trim(u.EscapedPath(), "/")
	app, key := path, ""
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		app, key = path[:i], path[i+1:]
	}
	if u.RawQuery != "" {
		key += "?" + u.RawQuery
	}
	call := func(id int, name string, args ...any) message.Message {
		return &message.CommandAMF0{ChunkStreamID: 3, Name: name, CommandID: id, Arguments: args}
	}
	begin := []message.Message{&message.SetWindowAckSize{Value: 2500000}, &message.SetChunkSize{Value: 65536},
		call(1, "connect", amf0.Object{{Key: "app", Value: app}, {Key: "type", Value: "nonprivate"},
			{Key: "flashVer", Value: "FMLE/3.0 (compatible; tutti)"},
			{Key: "tcUrl", Value: u.Scheme + "://" + u.Host + "/" + app}})}
	if err := t.ask(1, begin...); err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	if err := t.ask(4, call(2, "releaseStream", nil, key), call(3, "FCPublish", nil, key),
		call(4, "createStream", nil)); err != nil {
		return fmt.Errorf("create a stream: %w", err)
	}
	if err := t.ask(5, &message.CommandAMF0{ChunkStreamID: 4, MessageStreamID: 0x1000000, Name: "publish", CommandID: 5,
		Arguments: []any{nil, key, "live"}}); err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	return nil
}

// maxAnswers bounds the messages before the answer to a command.
const maxAnswers = 100

// ask sends messages and waits for the answer to a command.
func (t *outputTarget) ask(id int, all ...message.Message) error {
	for _, m := range all {
		if err := t.Write(m); err != nil {
			return err
		}
	}
	for range maxAnswers {
		m, err := t.Read()
		if err != nil {
			return err
		}
		c, ok := m.(*message.CommandAMF0)
		if !ok {
			continue
		}
		status := c.Name == "onStatus" && id == 5
		switch {
		case c.Name == "_error" || status && statusLevel(c) == "error":
			return errors.New("the server refuses it")
		case c.Name == "_result" && c.CommandID == id, status:
			return nil
		}
	}
	return errors.New("the server does not answer")
}

func statusLevel(c *message.CommandAMF0) any {
	for _, arg := range c.Arguments {
		if o, ok := arg.(amf0.Object); ok {
			level, _ := o.Get("level")
			return level
		}
	}
	return nil
}
