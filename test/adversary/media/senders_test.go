package media

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
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
	"github.com/tuttinode/tutti/test/harness"
)

// sender is a gateway of the attacker at an address of its own.
type sender struct {
	to   string
	dial *net.Dialer
	http *http.Client
}

func newSender(t *testing.T, n int, to string) *sender {
	t.Helper()
	s := &sender{to: to, dial: &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 1, byte(2+n))}}}
	transport := &http.Transport{DialContext: s.dial.DialContext, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	s.http = &http.Client{Transport: transport}
	t.Cleanup(transport.CloseIdleConnections)
	return s
}

// token opens a session.
func (s *sender) token(ctx context.Context) (*rpc.AuthToken, error) {
	conn, err := grpc.NewClient("passthrough:///"+s.to, grpc.WithTransportCredentials(
		credentials.NewTLS(&tls.Config{InsecureSkipVerify: true})),
		grpc.WithContextDialer(func(ctx context.Context, at string) (net.Conn,
			error) {
			return s.dial.DialContext(ctx, "tcp", at)
		}))
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	info, err := rpc.NewOrchestratorClient(conn).GetOrchestrator(ctx, &rpc.OrchestratorRequest{})
	return info.GetAuthToken(), err
}

// send sends a segment in a session of its own, and waits for the answer.
func (s *sender) send(ctx context.Context, data []byte) error {
	tok, err := s.token(ctx)
	if err != nil {
		return err
	}
	return s.sendIn(ctx, tok, 0, data)
}

// sendIn sends a segment of a session, which it says plays for a second, and waits for the
// answer.
func (s *sender) sendIn(ctx context.Context, tok *rpc.AuthToken, n int, data []byte) error {
	message := rpc.ToSegData(&rpc.SegmentMeta{
		Manifest: core.ManifestID(tok.GetSessionId()), Number: core.SegmentNumber(n), Hash: [32]byte(crypto.Keccak256(data)),
		Token: tok, Duration: time.Second,
		Profiles: []core.Profile{{Name: "small", Width: 160, Height: 90, Bitrate: 100_000,
			FPS: core.Framerate{Num: 15, Den: 1}}},
	})
	message.Capabilities = &rpc.Capabilities{Bitstring: []uint64{1<<0 | 1<<1}, Version: "0.8.8"}
	header, err := proto.Marshal(message)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://"+s.to+"/segment", bytes.NewReader(data))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "video/MP2T")
	req.Header.Set("Livepeer-Segment", base64.StdEncoding.EncodeToString(header))
	resp, err := s.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

// sendFromMany has attackers at so many addresses send segments, each in a new session, one
// after another, until the context ends.
func sendFromMany(ctx context.Context, t *testing.T, senders int, to string, bad []byte) *sync.WaitGroup {
	t.Helper()
	all := new(sync.WaitGroup)
	for i := range senders {
		s := newSender(t, i, to)
		all.Go(func() {
			tick := time.NewTicker(200 * time.Millisecond)
			defer tick.Stop()
			for n := 0; ctx.Err() == nil; n++ {
				_ = s.send(ctx, varied(bad, 1000*i+n))
				select {
				case <-ctx.Done():
				case <-tick.C:
				}
			}
		})
	}
	return all
}

// TestManyBadSendersDelayNoKnownGateway: a dozen addresses send segments that end media
// workers, each in a new stream. A gateway that did good work before begins new streams,
// all at once, and loses no segment.
func TestManyBadSendersDelayNoKnownGateway(t *testing.T) {
	const bads, streams, each = 12, 6, 4
	node, addr := orchestrator(t, "-workerMemory", small)
	_, ours := gateway(t, addr)
	segments := honest(t, 30)
	for n, s := range segments {
		if status, text, err := push(t.Context(), ours, "known", n, s.Data); err != nil || status != http.StatusOK {
			t.Fatalf("segment %d of the known gateway: status %d, %v: %.200s", n, status, err, text)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	all := sendFromMany(ctx, t, bads, addr, tooLarge(t))
	defer all.Wait()
	defer stop()
	node.Wait("many bad senders", 60*time.Second, func() bool {
		return strings.Count(node.Log(), "a stream ends or blocks media workers") >= 5
	})

	var wg sync.WaitGroup
	for i := range streams {
		wg.Go(func() {
			for n := range each {
				ctx, cancel := context.WithTimeout(t.Context(), harness.Stretch(8*time.Second))
				status, text, err := push(ctx, ours, fmt.Sprint("new", i), n, segments[n].Data)
				cancel()
				if err != nil || status != http.StatusOK {
					t.Errorf("segment %d of new stream %d: status %d, %v: %.200s", n, i, status, err, text)
				}
			}
		})
	}
	wg.Wait()
}

// TestACrowdThatBlocksTakesNoDeviceAway: a dozen addresses send, all at once, segments that
// take all time and CPU cores that they can get, each in a new stream. The device is not
// taken for broken, and new streams of a gateway that did good work before are done.
func TestACrowdThatBlocksTakesNoDeviceAway(t *testing.T) {
	const bads, streams = 12, 3
	node, addr := orchestrator(t)
	_, ours := gateway(t, addr)
	segments := honest(t, 30)
	for n, s := range segments {
		if status, text, err := push(t.Context(), ours, "known", n, s.Data); err != nil || status != http.StatusOK {
			t.Fatalf("segment %d of the known gateway: status %d, %v: %.200s", n, status, err, text)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	all := sendFromMany(ctx, t, bads, addr, endless(t))
	defer all.Wait()
	defer stop()
	node.Wait("two rounds of the crowd", 90*time.Second, func() bool {
		return strings.Count(node.Log(), "clientIP=127.0.1.") >= 2*bads
	})
	for i := range streams {
		ctx, cancel := context.WithTimeout(t.Context(), harness.Stretch(8*time.Second))
		status, text, err := push(ctx, ours, fmt.Sprint("new", i), 0, segments[i].Data)
		cancel()
		if err != nil || status != http.StatusOK {
			t.Errorf("new stream %d: status %d, %v: %.200s", i, status, err, text)
		}
	}
	if log := node.Log(); strings.Contains(log, "a device fails repeatedly") {
		t.Error("the device was taken for broken")
	}
}
