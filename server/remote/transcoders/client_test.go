package transcoders_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/textproto"
	"strconv"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/tuttinode/tutti/server/rpc"
)

// client is a transcoder as the network knows it: it registers over gRPC, fetches
// over HTTP/1.1 and brings its results over HTTP/2.
type client struct {
	n      *node
	stream grpc.ServerStreamingClient[rpc.NotifySegment]
	g      *grpc.ClientConn
	hangUp func()
	conn   net.Conn
	h1, h2 *http.Client
}

func insecure() *tls.Config { return &tls.Config{InsecureSkipVerify: true} }

// register makes a call that stays open until the test ends.
func register(t testing.TB, n *node, req *rpc.RegisterRequest, opts ...grpc.DialOption) *client {
	t.Helper()
	return registerFrom(t, n, "127.0.0.1", req, opts...)
}

// registerFrom is register from another address of this machine.
func registerFrom(t testing.TB, n *node, host string, req *rpc.RegisterRequest, opts ...grpc.DialOption) *client {
	t.Helper()
	c := &client{n: n}
	dialed := make(chan net.Conn, 4)
	opts = append(opts, grpc.WithTransportCredentials(credentials.NewTLS(insecure())), grpc.WithNoProxy(),
		grpc.WithContextDialer(func(ctx context.Context, addr string) (net.Conn, error) {
			conn, err := (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(host)}}).DialContext(ctx, "tcp", addr)
			if err == nil {
				dialed <- conn
			}
			return conn, err
		}))
	g, err := grpc.NewClient("passthrough:///"+n.addr(), opts...)
	if err != nil {
		t.Fatal(err)
	}
	c.g = g
	c.call(t, req)
	c.conn = <-dialed
	h1, h2 := &http.Transport{TLSClientConfig: insecure()}, &http.Transport{TLSClientConfig: insecure(),
		ForceAttemptHTTP2: true}
	c.h1, c.h2 = &http.Client{Transport: h1, Timeout: 4 * time.Second}, &http.Client{Transport: h2}
	t.Cleanup(func() {
		g.Close()
		h1.CloseIdleConnections()
		h2.CloseIdleConnections()
	})
	return c
}

// call makes the call.
func (c *client) call(t testing.TB, req *rpc.RegisterRequest) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	c.hangUp = cancel
	var err error
	if c.stream, err = rpc.NewTranscoderClient(c.g).RegisterTranscoder(ctx, req); err != nil {
		t.Fatal(err)
	}
}

// again registers a second time on the same connection, as tutti workers do.
func (c *client) again(t testing.TB, req *rpc.RegisterRequest) *client {
	t.Helper()
	next := *c
	next.call(t, req)
	return &next
}

// plain is the registration of an unmodified transcoder.
func plain() *rpc.RegisterRequest { return &rpc.RegisterRequest{Secret: "s3cret", Capacity: 10} }

// own is that of a tutti worker.
func own(worker, instance string) *rpc.RegisterRequest {
	return &rpc.RegisterRequest{Secret: "next", Capacity: 3, Node: "tutti/0.9.1", Worker: worker, Instance: instance}
}

// notice is the next thing that the transcoder is told.
func (c *client) notice(t testing.TB) *rpc.NotifySegment {
	t.Helper()
	m, err := c.stream.Recv()
	if err != nil {
		t.Error(err)
		return new(rpc.NotifySegment)
	}
	return m
}

func (c *client) fetch(url string) ([]byte, int, error) {
	resp, err := c.h1.Get(url)
	if err != nil {
		return nil, 0, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return b, resp.StatusCode, err
}

// upload is a request to /transcodeResults; zero fields are as a good transcoder
// sends them.
type upload struct {
	task   int64
	body   io.Reader
	kind   string
	header map[string]string
}

func (c *client) post(t testing.TB, u upload) (status int, text string) {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, c.n.url+"/transcodeResults", u.body)
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range map[string]string{
		"Authorization": "Livepeer-Transcoder-1.0", "Credentials": "s3cret", "Pixels": "12345",
		"TaskId": strconv.FormatInt(u.task, 10), "Content-Type": u.kind,
	} {
		r.Header.Set(k, v)
	}
	for k, v := range u.header {
		r.Header.Set(k, v)
		if v == "" {
			r.Header.Del(k)
		}
	}
	resp, err := c.h2.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, strings.TrimSpace(string(b))
}

// part is one part of a result.
type part struct {
	kind, data string
	pixels     string
	header     map[string]string
}

const boundary = "0123456789abcdef0123"

const mixed = "multipart/mixed; boundary=" + boundary

// goodParts answer segment.
func goodParts() []part {
	return []part{
		{kind: "video/mp2t", data: strings.Repeat("ts", 500), pixels: "100"},
		{kind: "video/mp4", data: strings.Repeat("mp4", 500), pixels: "200"},
	}
}

func multi(parts []part) *bytes.Buffer {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	if err := w.SetBoundary(boundary); err != nil {
		panic(err)
	}
	for _, p := range parts {
		h := textproto.MIMEHeader{"Content-Type": {p.kind}, "Content-Length": {fmt.Sprint(len(p.data))}}
		if p.pixels != "" {
			h.Set("Pixels", p.pixels)
		}
		for k, v := range p.header {
			h.Set(k, v)
		}
		f, _ := w.CreatePart(h)
		_, _ = io.WriteString(f, p.data)
	}
	w.Close()
	return &b
}

// succeed answers a notice with good renditions.
func (c *client) succeed(t testing.TB, m *rpc.NotifySegment) {
	t.Helper()
	h := map[string]string{}
	if m.GetDeadlineMs() > 0 {
		h["Tutti-Instance"] = "i1"
	}
	if status, text := c.post(t, upload{task: m.GetTaskId(), body: multi(goodParts()), kind: mixed,
		header: h}); status != 200 || text != "OK" {
		t.Errorf("answered %d %q", status, text)
	}
}
