package worker_test

import (
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"mime"
	"mime/multipart"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/server/tlscert"
)

const transcoderSecret = "open sesame"

// network is an orchestrator as the network's are: it knows nothing of us, unless node
// is set.
type network struct {
	rpc.UnimplementedTranscoderServer
	testing.TB
	addr string
	node string
	cert *tlscert.Source
	// registrations are the registrations, results what came of tasks.
	registrations chan *fakeTranscoderRegistration
	results       chan transcoderResult

	mu     sync.Mutex // covers the field below
	inputs map[string]http.HandlerFunc
}

type fakeTranscoderRegistration struct {
	req    *rpc.RegisterRequest
	stream grpc.ServerStreamingServer[rpc.NotifySegment]
	end    chan error
}

// transcoderResult is what a transcoder brought.
type transcoderResult struct {
	header http.Header
	proto  string
	length int64
	// text is that of a failure.
	text  string
	parts []part
}

type part struct {
	header map[string][]string
	body   string
}

func newNetwork(t testing.TB, node string) *network {
	t.Helper()
	cert, err := tlscert.Open(tlscert.Options{Host: "localhost", Now: time.Now, Rand: rand.Reader,
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	o := &network{TB: t, addr: l.Addr().String(), node: node, cert: cert,
		registrations: make(chan *fakeTranscoderRegistration, 16),
		results:       make(chan transcoderResult, 64), inputs: make(map[string]http.HandlerFunc)}
	calls := grpc.NewServer()
	rpc.RegisterTranscoderServer(calls, o)
	srv := &http.Server{TLSConfig: cert.Config(), ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0),
		Handler: o.dispatch(calls)}
	var serving sync.WaitGroup
	serving.Go(func() { _ = srv.ServeTLS(l, "", "") })
	t.Cleanup(func() {
		srv.Close()
		calls.Stop()
		serving.Wait()
	})
	return o
}

func (o *network) dispatch(calls *grpc.Server) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o.mu.Lock()
		input := o.inputs[r.URL.Path]
		o.mu.Unlock()
		switch {
		case r.ProtoMajor == 2 && strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc"):
			calls.ServeHTTP(w, r)
		case r.URL.Path == "/transcodeResults":
			o.take(w, r)
		case r.URL.Path == "/healthz":
		case input != nil && r.Method == http.MethodGet && r.ProtoMajor == 1:
			input(w, r)
		default:
			http.NotFound(w, r)
		}
	})
}

func (o *network) RegisterTranscoder(
	req *rpc.RegisterRequest, stream grpc.ServerStreamingServer[rpc.NotifySegment],
) error {
	if req.GetSecret() != transcoderSecret {
		return errors.New("invalid secret")
	}
	if req.GetCapacity() <= 0 {
		return errors.New("zero capacity")
	}
	if o.node != "" {
		if err := stream.SendHeader(metadata.Pairs(remote.NodeMetadata, o.node)); err != nil {
			return err
		}
	}
	d := &fakeTranscoderRegistration{req: req, stream: stream, end: make(chan error, 1)}
	o.registrations <- d
	select {
	case err := <-d.end:
		return err
	case <-stream.Context().Done():
		return nil
	}
}

// take follows the protocol's rules for results to the letter.
func (o *network) take(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Livepeer-Transcoder-1.0" || r.Header.Get("Credentials") != transcoderSecret ||
		r.ProtoMajor != 2 {
		http.Error(w, "Unauthorized", http.StatusUnauthorized)
		return
	}
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		http.Error(w, "unparsable", http.StatusUnsupportedMediaType)
		return
	}
	got := transcoderResult{header: r.Header.Clone(), proto: r.Proto, length: r.ContentLength}
	if _, err := strconv.ParseInt(r.Header.Get("TaskId"), 10, 64); err != nil {
		http.Error(w, "Invalid Task ID", http.StatusBadRequest)
		return
	}
	switch kind {
	case "livepeer/transcoding-error":
		text, _ := io.ReadAll(r.Body)
		got.text = string(text)
	case "multipart/mixed":
		parts := multipart.NewReader(r.Body, params["boundary"])
		for {
			p, err := parts.NextPart()
			if err == io.EOF {
				break
			}
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			body, _ := io.ReadAll(p)
			got.parts = append(got.parts, part{header: p.Header, body: string(body)})
		}
	}
	o.results <- got
	_, _ = io.WriteString(w, "OK")
}

// keeps serves an input and gives its address.
func (o *network) keeps(path string, serve http.HandlerFunc) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.inputs[path] = serve
	return "https://" + o.addr + path
}

func (o *network) input(path, data string) string {
	return o.keeps(path, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, data) })
}

func (d *fakeTranscoderRegistration) send(t testing.TB, n *rpc.NotifySegment) {
	t.Helper()
	if err := d.stream.Send(n); err != nil {
		t.Fatal(err)
	}
}

func transcoderNext[V any](t testing.TB, c <-chan V, what string) V {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(20 * time.Second):
		t.Fatal(what)
		panic("unreachable")
	}
}

// segment is a notice of one as the network sends it: two renditions, TS and MP4.
func segment(task int64, session, url string, change ...func(*rpc.NotifySegment)) *rpc.NotifySegment {
	n := &rpc.NotifySegment{
		Url: url, TaskId: task, OrchId: "offchain", Profiles: []byte("invalid"),
		SegData: &rpc.SegData{
			ManifestId: []byte("m"), Seq: task, Hash: make([]byte, 32), Profiles: []byte("invalid"), Duration: 2000,
			Capabilities: &rpc.Capabilities{Bitstring: capability.Default(), Constraints: &rpc.Capabilities_Constraints{}},
			AuthToken:    &rpc.AuthToken{SessionId: session},
			FullProfiles2: []*rpc.VideoProfile{
				{Name: "a", Width: 640, Height: 360, Bitrate: 1000, Fps: 30},
				{Name: "b", Width: 320, Height: 180, Bitrate: 500, Fps: 30, Format: rpc.VideoProfile_MP4},
			},
		},
	}
	for _, c := range change {
		c(n)
	}
	return n
}
