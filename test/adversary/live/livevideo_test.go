package live

import (
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/test/livevideo"
)

// startGateway starts a gateway with live video and returns the beginning of its addresses.
func startGateway(t *testing.T, o *livevideo.Orchestrator) (node *harness.Process, base string) {
	t.Helper()
	front := harness.Address(t)
	node = harness.Start(t, binary, "-gateway", "-orchAddr", o.URI(), "-httpAddr", front, "-cliAddr", harness.Address(t),
		"-dataDir", t.TempDir(), "-liveMediaAddr", harness.Address(t))
	node.WaitHTTP("http://" + front + "/healthz")
	return node, "http://" + front + "/live/video-to-video/"
}

// quiet reports whether nothing comes to a socket for a second.
func quiet(t *testing.T, conn net.PacketConn) bool {
	t.Helper()
	if err := conn.SetReadDeadline(time.Now().Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	_, _, err := conn.ReadFrom(make([]byte, 1500))
	return err != nil
}

// A client names the address of a third party in its offer, also where lines begin or end in a way of their own: no
// packet goes there.
func TestAnOfferAimsAtNoOtherAddress(t *testing.T) {
	t.Parallel()
	victim, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer victim.Close()
	_, base := startGateway(t, livevideo.New(t))
	_, port, _ := net.SplitHostPort(victim.LocalAddr().String())
	for name, before := range map[string]string{"a line": "\r\n", "a line after a return": "\r\n\r", "a return": "\r",
		"a blank": " ", "a tab": "\t", "a newline": "\n"} {
		res, text := livevideo.Do(t,
			"POST", base+"cam/whip?pipeline=noop", "application/sdp", strings.Replace(strings.ReplaceAll(`v=0
o=- 42 2 IN IP4 127.0.0.1
s=-
t=0 0
a=group:BUNDLE 0
m=video 9 UDP/TLS/RTP/SAVPF 102
c=IN IP4 0.0.0.0*a=candidate:1 1 udp 2130706431 127.0.0.1 `+port+` typ host
a=ice-ufrag:abcd
a=ice-pwd:abcdefghijklmnopqrstuvwx
a=fingerprint:sha-256 `+strings.TrimSuffix(strings.Repeat("AB:", 32), ":")+`
a=setup:actpass
a=mid:0
a=sendonly
a=rtcp-mux
a=rtpmap:102 H264/90000
a=fmtp:102 packetization-mode=1;profile-level-id=42e01f
`, "\n", "\r\n"), "*", before, 1))
		if res.StatusCode != http.StatusCreated && res.StatusCode != http.StatusBadRequest {
			t.Fatal(name, res.Status, text)
		}
		if !quiet(t, victim) {
			t.Errorf("%s: the gateway sent a packet to an address that an offer only named", name)
		}
	}
}

// An orchestrator names channels on another host: the gateway sends no request there.
func TestChannelsElsewhereAreRefused(t *testing.T) {
	t.Parallel()
	elsewhere, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil {
		t.Fatal(err)
	}
	defer elsewhere.Close()
	called := make(chan struct{})
	go func() {
		if c, err := elsewhere.Accept(); err == nil {
			c.Close()
			close(called)
		}
	}()
	o := livevideo.New(t)
	o.Elsewhere = "http://" + elsewhere.Addr().String()
	node, base := startGateway(t, o)
	livevideo.Publish(t, base+"cam/whip?pipeline=noop")
	node.Wait("the stream's end", 20*time.Second, func() bool {
		_, text := livevideo.Do(t, "GET", base+"cam/status", "", "")
		return strings.Contains(text, "no orchestrators available")
	})
	select {
	case <-called:
		t.Error("an orchestrator made the gateway call another host")
	default:
	}
}

// Junk in place of offers, parameters and names is refused, and the gateway goes on.
func TestJunkIsRefused(t *testing.T) {
	t.Parallel()
	node, base := startGateway(t, livevideo.New(t))
	for i, r := range [][2]string{
		{"cam/whip", strings.Repeat("a", 100<<10)},
		{"cam/whip", "v=0\r\n" + strings.Repeat("m=video 9 UDP/TLS/RTP/SAVPF 102\r\n", 1000)},
		{"cam/whip?params=" + strings.Repeat("%5B", 10000), "v=0"},
		{strings.Repeat("n", 5000) + "/whip", "v=0"},
		{"-out/whep", "v=0"},
		{"cam-out/whep", ""},
	} {
		if res, text := livevideo.Do(t, "POST", base+r[0], "application/sdp", r[1]); res.StatusCode < 400 ||
			res.StatusCode >= 500 {
			t.Error(strconv.Itoa(i), res.Status, text)
		}
	}
	node.WaitHTTP(strings.TrimSuffix(base, "live/video-to-video/") + "healthz")
}
