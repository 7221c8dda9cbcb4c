package gateway_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/server/rpc"
)

// behavior is what a fake orchestrator does wrong. It is read at each call.
type behavior struct {
	// discovery: answer with this error text; hang; or change the answer.
	discoveryError string
	discoveryHang  bool
	offer          func(*rpc.OrchestratorInfo)
	// segment, before the 200: a status and text; hang.
	status     int
	text       string
	acceptHang bool
	// after the 200: break the connection, hang, an error text, raw bytes.
	breakOff   bool
	resultHang bool
	// hold, where it is set, keeps the answer until it is closed.
	hold chan struct{}
	err  string
	raw  []byte
	// news changes the terms that come with an answer.
	newTerms func(*rpc.OrchestratorInfo)
	// sha256: it signs the SHA-256 of its renditions where the gateway accepts that, node is what it says it is.
	sha256 bool
	node   string
	// segmentSHA256: it takes segments hashed with SHA-256.
	segmentSHA256 bool
	// result changes a good answer.
	result func(*rpc.TranscodeData)
	// downloads: a status instead of the rendition; a body cut short.
	downloadStatus int
	downloadShort  bool
}

// fakeOrchestrator speaks the network's protocol over real TLS, gRPC, HTTP/2 and
// HTTP/1.1 on one port. Its renditions are the profile's name and the input.
type fakeOrchestrator struct {
	rpc.UnimplementedOrchestratorServer
	t      testing.TB
	server *httptest.Server
	uri    string
	// quit ends everything that hangs.
	quit chan struct{}
	// key signs results and is the address in offers; price is in the offer. made is
	// every rendition instead of the usual text. They are set before the first call.
	key   *ecdsa.PrivateKey
	price int64
	made  []byte

	mu       sync.Mutex
	behave   behavior
	segments []*rpc.SegmentMeta
	protos   []string
	ended    []string
	tokens   int
	expires  func() time.Time
	store    map[string][]byte
	hanging  int
	canceled int
}

// newFake starts an orchestrator; the test's end stops it.
func newFake(t testing.TB) *fakeOrchestrator {
	t.Helper()
	o := &fakeOrchestrator{t: t, quit: make(chan struct{}), store: map[string][]byte{},
		expires: func() time.Time { return time.Now().Add(30 * time.Minute) }}
	calls := grpc.NewServer()
	rpc.RegisterOrchestratorServer(calls, o)
	mux := http.NewServeMux()
	mux.HandleFunc("/segment", o.segment)
	mux.HandleFunc("/stream/", o.download)
	o.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor == 2 && strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc") {
			calls.ServeHTTP(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	o.server.TLS = &tls.Config{Certificates: []tls.Certificate{selfSigned(t)}, NextProtos: []string{"h2", "http/1.1"}}
	o.server.EnableHTTP2 = true
	o.server.Config.ErrorLog = log.New(io.Discard, "", 0)
	o.server.StartTLS()
	o.uri = o.server.URL
	t.Cleanup(o.close)
	return o
}

func (o *fakeOrchestrator) close() {
	o.mu.Lock()
	select {
	case <-o.quit:
	default:
		close(o.quit)
	}
	o.mu.Unlock()
	o.server.CloseClientConnections()
	o.server.Close()
}

// selfSigned makes a certificate as orchestrators have it: ECDSA P-256.
func selfSigned(t testing.TB) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{"fake"}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// set changes the behavior from now on.
func (o *fakeOrchestrator) set(b behavior) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.behave = b
}

func (o *fakeOrchestrator) now() behavior {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.behave
}

// seen are the segments that arrived whole; sessions their sessions.
func (o *fakeOrchestrator) seen() []*rpc.SegmentMeta {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]*rpc.SegmentMeta(nil), o.segments...)
}

func (o *fakeOrchestrator) endedSessions() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]string(nil), o.ended...)
}

func (o *fakeOrchestrator) count(n *int) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return *n
}

func (o *fakeOrchestrator) info() *rpc.OrchestratorInfo {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.tokens++
	info := &rpc.OrchestratorInfo{
		Transcoder: o.uri, Address: make([]byte, 20), Node: o.behave.node, SegmentSha256: o.behave.segmentSHA256,
		Capabilities: rpc.FromCapabilities(capability.Offer(capability.SoftwareTranscoder(), "0.9.1")),
		AuthToken: &rpc.AuthToken{Token: []byte("t"), SessionId: fmt.Sprintf("s%d", o.tokens),
			Expiration: o.expires().Unix()},
	}
	if o.key != nil {
		identity := o.address()
		info.Address, info.TicketParams = identity[:], &rpc.TicketParams{Recipient: identity[:]}
		info.PriceInfo = &rpc.PriceInfo{PricePerUnit: o.price, PixelsPerUnit: 1}
	}
	return info
}

func (o *fakeOrchestrator) hang(ctx context.Context) {
	o.mu.Lock()
	o.hanging++
	o.mu.Unlock()
	select {
	case <-ctx.Done():
		o.mu.Lock()
		o.canceled++
		o.mu.Unlock()
	case <-o.quit:
	}
}

func (o *fakeOrchestrator) GetOrchestrator(ctx context.Context, _ *rpc.OrchestratorRequest) (*rpc.OrchestratorInfo,
	error) {
	b := o.now()
	if b.discoveryHang {
		o.hang(ctx)
	}
	if b.discoveryError != "" {
		return nil, errors.New(b.discoveryError)
	}
	info := o.info()
	if b.offer != nil {
		b.offer(info)
	}
	return info, nil
}

func (o *fakeOrchestrator) EndTranscodingSession(_ context.Context,
	r *rpc.EndTranscodingSessionRequest) (*rpc.EndTranscodingSessionResponse, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = append(o.ended, r.GetAuthToken().GetSessionId())
	return &rpc.EndTranscodingSessionResponse{}, nil
}

func (o *fakeOrchestrator) segment(w http.ResponseWriter, r *http.Request) {
	b := o.now()
	if b.acceptHang {
		_, _ = io.Copy(io.Discard, r.Body)
		o.hang(r.Context())
		return
	}
	if b.status != 0 {
		http.Error(w, b.text, b.status)
		return
	}
	data, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	m, err := rpc.DecodeSegData(r.Header.Get("Livepeer-Segment"))
	if err != nil {
		http.Error(w, "ErrorSegEncoding", http.StatusForbidden)
		return
	}
	meta, err := rpc.FromSegData(m)
	if err != nil {
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	_, hasPayment := r.Header["Livepeer-Payment"]
	if !hasPayment || !b.hashed(meta, data) {
		http.Error(w, "Forbidden", http.StatusForbidden)
		return
	}
	o.mu.Lock()
	o.segments = append(o.segments, meta)
	o.protos = append(o.protos, r.Proto)
	o.mu.Unlock()
	w.WriteHeader(http.StatusOK)
	_ = http.NewResponseController(w).Flush()
	switch {
	case b.breakOff:
		panic(http.ErrAbortHandler)
	case b.resultHang:
		o.hang(r.Context())
		return
	case b.raw != nil:
		_, _ = w.Write(b.raw)
		return
	case b.hold != nil:
		select {
		case <-b.hold:
		case <-r.Context().Done():
			o.mu.Lock()
			o.canceled++
			o.mu.Unlock()
			return
		}
	}
	raw, err := proto.Marshal(o.answer(meta, data, b))
	if err != nil {
		o.t.Error(err)
	}
	_, _ = w.Write(raw)
}

// hashed reports whether the description has the hash of the data, made as it takes it.
func (b *behavior) hashed(meta *rpc.SegmentMeta, data []byte) bool {
	if meta.SHA256 {
		return b.segmentSHA256 && meta.Hash == sha256.Sum256(data)
	}
	return meta.Hash == signature.Keccak256(data)
}

func (o *fakeOrchestrator) answer(meta *rpc.SegmentMeta, data []byte, b behavior) *rpc.TranscodeResult {
	res := &rpc.TranscodeResult{Seq: int64(meta.Number), Info: o.info()}
	res.Info.AuthToken = proto.Clone(meta.Token).(*rpc.AuthToken)
	if b.newTerms != nil {
		b.newTerms(res.Info)
	}
	if b.err != "" {
		res.Result = &rpc.TranscodeResult_Error{Error: b.err}
		return res
	}
	td := &rpc.TranscodeData{}
	var hashes [][signature.HashSize]byte
	for i, p := range meta.Profiles {
		made, pixels := o.rendition(p.Name, data)
		hashes = append(hashes, signature.Keccak256(made))
		path := fmt.Sprintf("/stream/%s/%d/%d%s", meta.Token.GetSessionId(), i, meta.Number, p.Format.Ext())
		o.mu.Lock()
		o.store[path] = made
		o.mu.Unlock()
		td.Segments = append(td.Segments, &rpc.TranscodedSegmentData{Url: o.uri + path, Pixels: pixels})
	}
	o.sign(td, hashes)
	if b.sha256 {
		o.signSHA256(td, meta)
	}
	if b.result != nil {
		b.result(td)
	}
	res.Result = &rpc.TranscodeResult_Data{Data: td}
	return res
}

// rendition is what the fake makes of an input.
func rendition(name string, input []byte) []byte {
	return append([]byte("rendition "+name+" of a segment: "), input...)
}

func (o *fakeOrchestrator) download(w http.ResponseWriter, r *http.Request) {
	b := o.now()
	if b.downloadStatus != 0 {
		http.Error(w, "ErrNotFound", b.downloadStatus)
		return
	}
	o.mu.Lock()
	data, ok := o.store[r.URL.Path]
	o.mu.Unlock()
	if !ok {
		http.Error(w, "ErrNotFound", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Length", fmt.Sprint(len(data)))
	if b.downloadShort {
		_, _ = w.Write(data[:len(data)/2])
		panic(http.ErrAbortHandler)
	}
	_, _ = io.Copy(w, bytes.NewReader(data))
}

// deadAddress is a service URI where no node listens.
func deadAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return "https://" + l.Addr().String()
}
