package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/encoder"
	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/transcoder/libav/clip"
)

// dial connects from an address.
func dial(t *testing.T, from, to string) net.Conn {
	t.Helper()
	d := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	c, err := d.DialContext(t.Context(), "tcp", to)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// hungUp waits until the other side ends a connection.
func hungUp(t *testing.T, c net.Conn, within time.Duration) {
	t.Helper()
	_ = c.SetReadDeadline(time.Now().Add(within))
	if _, err := io.Copy(io.Discard, c); err != nil {
		if timeout := net.Error(nil); errors.As(err, &timeout) && timeout.Timeout() {
			t.Error("the connection is still there")
		}
	}
}

// published is a clip to publish.
func published(t *testing.T) *encoder.Clip {
	t.Helper()
	c, err := clip.Generate(clip.Options{Width: 320, Height: 180, FPSNum: 15, FPSDen: 1, Segments: 1, Bitrate: 200_000,
		Segment: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	s, err := c.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	out, err := encoder.ReadClip(s.Data)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestStrangersAtTheRTMPPort: strangers who open connections and send nothing, something else or half a handshake
// leave places to other addresses and are gone after a while; without a key they publish nothing.
func TestStrangersAtTheRTMPPort(t *testing.T) {
	t.Parallel()
	listen := harness.Address(t)
	g := start(t, "-streamAccess", "keys", "-rtmpAddr", listen)
	key := g.key()
	half := append([]byte{3}, make([]byte, 1536)...)
	var open []net.Conn
	for n := range 150 {
		c := dial(t, attacker, listen)
		// A refused one is reset, and may be so before it has sent.
		_, _ = c.Write([][]byte{nil, half[:100], half, []byte("GET / HTTP/1.1\r\n\r\n")}[n%4])
		open = append(open, c)
	}
	film := published(t)
	err := encoder.Publish(t.Context(), "rtmp://"+listen+"/live/stolen", film, time.Millisecond, 1000)
	if err == nil {
		t.Error("a stream without a key is published")
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- encoder.Publish(ctx, "rtmp://"+listen+"/live/film/"+key, film, 500*time.Millisecond, 0)
	}()
	g.node.Wait("the stream of a key", time.Minute, func() bool {
		_, list := g.ask("GET", "/api/streams", nil, "Authorization", "Bearer "+key)
		return strings.Contains(list, `"film"`) && strings.Contains(list, `"segments"`) && !strings.Contains(list, "stolen")
	})
	for _, c := range open {
		hungUp(t, c, 20*time.Second)
	}
	select {
	case err := <-done:
		t.Error("the owner's stream ended:", err)
	default:
	}
	cancel()
	<-done
	if strings.Contains(g.node.Log(), key) {
		t.Error("the key is in the log")
	}
}

// TestHostileEncoders: clients that go through the handshake and then send what fills memory or stack are cut off, and
// the node serves on.
func TestHostileEncoders(t *testing.T) {
	t.Parallel()
	listen := harness.Address(t)
	g := start(t, "-rtmpAddr", listen)
	hello := append([]byte{3}, make([]byte, 2*1536)...)
	chunk := func(stream, kind byte, length int, body []byte) []byte {
		return append([]byte{stream, 0, 0, 0, byte(length >> 16), byte(length >> 8), byte(length), kind, 0, 0, 0, 0},
			body...)
	}
	nested := bytes.Repeat([]byte{3, 0, 1, 'a'}, 1<<14)
	var many []byte
	for n := range byte(60) {
		many = append(many, chunk(3+n, 20, 60000, make([]byte, 128))...)
	}
	for name, data := range map[string][]byte{
		"objects in objects":  append(chunk(2, 1, 4, []byte{0, 0x9f, 0, 0}), chunk(3, 20, len(nested), nested)...),
		"a message of 16 MB":  chunk(3, 20, 0xffffff, make([]byte, 128)),
		"chunks of nothing":   append(chunk(2, 1, 4, make([]byte, 4)), bytes.Repeat([]byte{0xc3}, 1<<16)...),
		"chunks of 2 GB":      append(chunk(2, 1, 4, []byte{0x7f, 0xff, 0xff, 0xff}), chunk(3, 9, 0xffffff, nil)...),
		"60 series":           many,
		"commands that go on": bytes.Repeat(chunk(3, 20, 4, []byte{2, 0, 1, 'x'}), 1000),
		"another type":        chunk(3, 99, 4, make([]byte, 4)),
	} {
		c := dial(t, attacker, listen)
		_, _ = c.Write(append(bytes.Clone(hello), data...)) // it may be cut off before the end
		hungUp(t, c, 20*time.Second)
		if status, _ := g.ask("GET", "/healthz", nil); status != 200 {
			t.Fatalf("%s: the node answers %d\n%s", name, status, g.node.Log())
		}
	}
	film := published(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() {
		done <- encoder.Publish(ctx, fmt.Sprintf("rtmp://%s/live/film", listen), film, 500*time.Millisecond, 0)
	}()
	g.node.Wait("a stream after that", time.Minute, func() bool {
		_, list := g.ask("GET", "/api/streams", nil)
		return strings.Contains(list, `"film"`)
	})
	cancel()
	<-done
}

// TestARefusedPublisherEndsNoStream: where the operator's service admits streams, a client that it refuses does not take
// the place of a publisher, also at the publisher's own address, as behind one NAT.
func TestARefusedPublisherEndsNoStream(t *testing.T) {
	t.Parallel()
	listen := harness.Address(t)
	h := startHooked(t, "-rtmpAddr", listen)
	h.rule(func(u *url.URL) (int, string) {
		if u.Query().Get("token") != "good" {
			return http.StatusForbidden, ""
		}
		return http.StatusOK, ""
	})
	film := published(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- encoder.Publish(ctx, "rtmp://"+listen+"/live/film?token=good", film, 500*time.Millisecond, 0)
	}()
	segments := func() int {
		select {
		case err := <-done:
			done <- err
			t.Fatal("the admitted stream ended: ", err)
		default:
		}
		_, list := h.ask("GET", "/api/streams", nil)
		var reply struct {
			Streams []struct {
				ID       string
				Finished int
			}
		}
		if err := json.Unmarshal([]byte(list), &reply); err != nil {
			t.Fatal(err, list)
		}
		for _, s := range reply.Streams {
			if s.ID == "film" {
				return s.Finished
			}
		}
		return 0
	}
	h.node.Wait("the admitted stream", time.Minute, func() bool { return segments() > 0 })
	if err := encoder.Publish(t.Context(), "rtmp://"+listen+"/live/film", film, time.Millisecond, 1000); err == nil {
		t.Error("a publisher without a token is admitted")
	}
	before := segments()
	h.node.Wait("segments after the refusal", time.Minute, func() bool { return segments() > before+1 })
	cancel()
	<-done
}
