package worker

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/crypto"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/server/rpc"
)

// sender is a gateway of the attacker at an address of its own. It has work done and
// takes the renditions as slowly as it may.
type sender struct {
	to    string
	dial  *net.Dialer
	token *rpc.AuthToken
	next  core.SegmentNumber
}

func newSender(n int, to string) *sender {
	return &sender{to: to, dial: &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 1, byte(2+n))}}}
}

func insecure() *tls.Config { return &tls.Config{InsecureSkipVerify: true} }

// open gets a token.
func (s *sender) open(ctx context.Context) error {
	conn, err := grpc.NewClient("passthrough:///"+s.to, grpc.WithTransportCredentials(credentials.NewTLS(insecure())),
		grpc.WithContextDialer(func(ctx context.Context, at string) (net.Conn, error) {
			return s.dial.DialContext(ctx, "tcp", at)
		}))
	if err != nil {
		return err
	}
	defer conn.Close()
	info, err := rpc.NewOrchestratorClient(conn).GetOrchestrator(ctx, &rpc.OrchestratorRequest{})
	s.token = info.GetAuthToken()
	return err
}

// transcode has the next segment done and returns where its renditions are.
func (s *sender) transcode(ctx context.Context, data []byte) (urls []string, err error) {
	small := core.Profile{Width: 160, Height: 90, Bitrate: 100_000, FPS: core.Framerate{Num: 15, Den: 1}}
	first, second := small, small
	first.Name, second.Name = "first", "second"
	message := rpc.ToSegData(&rpc.SegmentMeta{
		Manifest: core.ManifestID(s.token.GetSessionId()), Number: s.next, Hash: [32]byte(crypto.Keccak256(data)),
		Token: s.token, Duration: time.Second, Profiles: []core.Profile{first, second},
	})
	s.next++
	message.Capabilities = &rpc.Capabilities{Bitstring: []uint64{1<<0 | 1<<1}, Version: "0.8.8"}
	header, err := proto.Marshal(message)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://"+s.to+"/segment", bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "video/MP2T")
	req.Header.Set("Livepeer-Segment", base64.StdEncoding.EncodeToString(header))
	transport := &http.Transport{DialContext: s.dial.DialContext, TLSClientConfig: insecure(), DisableKeepAlives: true}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	var res rpc.TranscodeResult
	if err == nil {
		err = proto.Unmarshal(raw, &res)
	}
	if err == nil && res.GetError() != "" {
		err = fmt.Errorf("refused: %s", res.GetError())
	}
	for _, seg := range res.GetData().GetSegments() {
		urls = append(urls, seg.GetUrl())
	}
	return urls, err
}

// take begins to download a rendition and reads no more than its first bytes. The connection
// stays open until the context ends.
func (s *sender) take(ctx context.Context, from string) error {
	u, err := url.Parse(from)
	if err != nil {
		return err
	}
	conn, err := s.dial.DialContext(ctx, "tcp", s.to)
	if err != nil {
		return err
	}
	context.AfterFunc(ctx, func() { conn.Close() })
	_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10)
	secure := tls.Client(conn, insecure())
	if _, err = fmt.Fprintf(secure, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", u.Path, s.to); err != nil {
		return err
	}
	_, err = io.ReadFull(secure, make([]byte, 16))
	return err
}

// TestSlowDownloadsLeaveMemoryToOthers: two parties have work done and take all of it as slowly as they may,
// for minutes. Together they could hold all memory for results of the device. A third one loses nothing.
func TestSlowDownloadsLeaveMemoryToOthers(t *testing.T) {
	const size = 8_000_000
	node, addr := orchestrator(t, "-workerMemory", "1GB", "-resultMemory", "50MB")
	gw, data := gateway(t, addr, "-localVerify=false"), segment(t)
	if _, err := push(gw, "before", data); err != nil {
		t.Fatal(err)
	}
	go takeOver(t, node).answerWith(size)
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	defer all.Wait()
	defer stop()
	const enough = 30 // segments of each, more than half of the memory
	var done sync.WaitGroup
	for n := range 2 {
		s := newSender(n, addr)
		if err := s.open(ctx); err != nil {
			t.Fatal(err)
		}
		done.Add(1)
		all.Go(func() {
			defer done.Done()
			for range enough {
				urls, err := s.transcode(ctx, data)
				if err != nil && !strings.Contains(err.Error(), "refused") {
					t.Errorf("sender %d: %v", n, err)
					return
				}
				for _, u := range urls {
					_ = s.take(ctx, u) // it may be gone
				}
			}
		})
	}
	done.Wait()
	for n := range 4 {
		if out, err := push(gw, fmt.Sprintf("third%d", n), data); err != nil || len(out) != 2 {
			t.Errorf("segment %d of a third party: %v", n, err)
		}
	}
}
