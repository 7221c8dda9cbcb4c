package remote_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/rpc"
)

// echo is a service that says what it was told, in one message and its end.
type echo struct {
	rpc.UnimplementedTranscoderServer
}

func (echo) RegisterTranscoder(req *rpc.RegisterRequest, stream grpc.ServerStreamingServer[rpc.NotifySegment]) error {
	remote.StreamConnOf(stream.Context()).KeepOpen()
	if req.GetSecret() == "header" {
		if err := stream.SendHeader(metadata.Pairs("tutti-node", "x")); err != nil {
			return err
		}
		if stream.SendHeader(nil) == nil {
			return errors.New("a second header")
		}
	}
	if req.GetCapacity() == 0 {
		return errors.New(req.GetSecret())
	}
	for range req.GetCapacity() {
		if err := stream.Send(&rpc.NotifySegment{Url: req.GetSecret(), Input: make([]byte, 100_000)}); err != nil {
			return err
		}
	}
	return status.Error(codes.Unavailable, "over: 100 % \n é")
}

func directly(
	t *testing.T,
) (url string, call func(*rpc.RegisterRequest,
	...grpc.CallOption) grpc.ServerStreamingClient[rpc.NotifySegment], client *http.Client) {
	t.Helper()
	ts := serve(t, http.NotFoundHandler(), remote.Endpoint{Desc: &rpc.Transcoder_ServiceDesc, Server: echo{}})
	tlsConfig := ts.Client().Transport.(*http.Transport).TLSClientConfig
	g, err := grpc.NewClient("passthrough:///"+strings.TrimPrefix(ts.URL, "https://"), grpc.WithNoProxy(),
		grpc.WithTransportCredentials(credentials.NewTLS(tlsConfig)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	return ts.URL, func(req *rpc.RegisterRequest, opts ...grpc.CallOption) grpc.ServerStreamingClient[rpc.NotifySegment] {
		s, err := rpc.NewTranscoderClient(g).RegisterTranscoder(context.Background(), req, opts...)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}, ts.Client()
}

func TestDirectStreams(t *testing.T) {
	t.Parallel()
	_, call, _ := directly(t)
	for _, text := range []string{"header", "invalid secret", "", "50 % of é"} {
		s := call(&rpc.RegisterRequest{Secret: text})
		if _, err := s.Recv(); status.Code(err) != codes.Unknown || status.Convert(err).Message() != text {
			t.Errorf("%q: %v", text, err)
		}
		s = call(&rpc.RegisterRequest{Secret: text, Capacity: 20})
		if md, err := s.Header(); err != nil || (len(md.Get("tutti-node")) == 1) != (text == "header") {
			t.Errorf("%q: header %v, %v", text, md, err)
		}
		for range 20 {
			if m, err := s.Recv(); err != nil || m.GetUrl() != text || len(m.GetInput()) != 100_000 {
				t.Fatalf("%q: %v", text, err)
			}
		}
		if _, err := s.Recv(); status.Code(err) != codes.Unavailable || status.Convert(err).Message() != "over: 100 % \n é" {
			t.Errorf("%q: ended with %v", text, err)
		}
	}
	_, err := call(&rpc.RegisterRequest{Secret: strings.Repeat("x", 2000)}, grpc.UseCompressor(gzip.Name)).Recv()
	if status.Code(err) != codes.Unimplemented {
		t.Errorf("compressed: %v", err)
	}
	_, err = call(&rpc.RegisterRequest{Secret: strings.Repeat("x", 2<<20)}).Recv()
	if status.Code(err) != codes.ResourceExhausted {
		t.Errorf("too large: %v", err)
	}
}

func TestDirectRefusesWhatIsNoCall(t *testing.T) {
	t.Parallel()
	url, _, client := directly(t)
	const path = "/net.Transcoder/RegisterTranscoder"
	for name, row := range map[string]struct {
		path, kind, body string
		status           int
		code             string
	}{
		"another path":    {"/net.Transcoder/Other", "application/grpc", "", 404, ""},
		"another type":    {path, "application/json", "{}", 415, ""},
		"empty":           {path, "application/grpc", "", 200, "13"},
		"short prefix":    {path, "application/grpc", "\x00\x00", 200, "13"},
		"short message":   {path, "application/grpc+proto", "\x00\x00\x00\x00\x05ab", 200, "13"},
		"no protobuf":     {path, "application/grpc", "\x00\x00\x00\x00\x02\xff\xff", 200, "13"},
		"endless message": {path, "application/grpc", "\x00\xff\xff\xff\xff", 200, "8"},
	} {
		resp, err := client.Post(url+row.path, row.kind, bytes.NewReader([]byte(row.body)))
		if err != nil {
			t.Fatal(name, err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if resp.StatusCode != row.status || resp.Trailer.Get("Grpc-Status") != row.code {
			t.Errorf("%s: %d, %v", name, resp.StatusCode, resp.Trailer)
		}
	}
}

// TestLongRegistrationsBeginWithTheirSecret: one that does, of any form that is taken, is read; of any other a service
// gets the secret at most.
func TestLongRegistrationsBeginWithTheirSecret(t *testing.T) {
	t.Parallel()
	ts := serve(t, http.NotFoundHandler(), remote.Endpoint{
		Desc: &rpc.Transcoder_ServiceDesc, Server: echo{}, Secrets: remote.NewSecrets(core.NewSecret("right")),
	})
	g, err := grpc.NewClient("passthrough:///"+strings.TrimPrefix(ts.URL, "https://"), grpc.WithNoProxy(),
		grpc.WithTransportCredentials(credentials.NewTLS(ts.Client().Transport.(*http.Transport).TLSClientConfig)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	for _, row := range []struct {
		secret string
		length int
		whole  bool
	}{{"right", 500_000, true}, {"wrong", 500_000, false}, {"", 500_000, false}, {"wrong", 10_000, true}} {
		req := &rpc.RegisterRequest{Secret: row.secret, Capacity: 1, Worker: strings.Repeat("x", row.length)}
		s, err := rpc.NewTranscoderClient(g).RegisterTranscoder(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		m, err := s.Recv()
		if whole := err == nil; whole != row.whole {
			t.Errorf("%q, %d bytes: %v", row.secret, row.length, err)
		}
		if err == nil && m.GetUrl() != row.secret || err != nil && status.Convert(err).Message() != row.secret {
			t.Errorf("%q, %d bytes: the service got %q, %v", row.secret, row.length, m.GetUrl(), err)
		}
	}
}
