package live

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/test/harness"
)

// startVideo starts an orchestrator with the sample pipeline of live video.
func startVideo(t *testing.T) *node {
	t.Helper()
	addr := harness.Address(t)
	n := &node{t: t, uri: "https://" + addr}
	n.Process = harness.Start(t, binary, "-orchestrator", "-serviceAddr", addr, "-httpAddr", addr, "-cliAddr",
		harness.Address(t), "-dataDir", t.TempDir(), "-liveSampleSessions", "1")
	n.WaitHTTP(n.uri + "/healthz")
	return n
}

// token is the credentials of a gateway that asked for an offer, changed by the test.
func (n *node) token(change ...func(*rpc.AuthToken)) string {
	n.t.Helper()
	conn, err := grpc.NewClient("passthrough:///"+strings.TrimPrefix(n.uri, "https://"),
		grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{InsecureSkipVerify: true})))
	if err != nil {
		n.t.Fatal(err)
	}
	defer conn.Close()
	info, err := rpc.NewOrchestratorClient(conn).GetOrchestrator(n.t.Context(), &rpc.OrchestratorRequest{})
	if err != nil {
		n.t.Fatal(err)
	}
	for _, f := range change {
		f(info.GetAuthToken())
	}
	head, err := rpc.EncodeHeader(rpc.ToSegData(&rpc.SegmentMeta{Token: info.GetAuthToken()}))
	if err != nil {
		n.t.Fatal(err)
	}
	return head
}

// video starts a session and returns its id.
func (n *node) video(credentials string) (status int, id string) {
	n.t.Helper()
	status, text := n.send("POST", "/live-video-to-video", strings.NewReader(`{"model_id":"sample"}`),
		"Livepeer-Segment", credentials)
	var a struct {
		ID string `json:"manifest_id"`
	}
	if status == http.StatusOK && json.Unmarshal([]byte(text), &a) != nil {
		n.t.Fatal(text)
	}
	return status, a.ID
}

// Without the credentials of an offer there is no session; a session's channels answer to its id alone.
func TestLiveVideoNeedsItsCredentials(t *testing.T) {
	n := startVideo(t)
	genuine := n.token()
	for _, credentials := range []string{
		"", "@@", genuine[:len(genuine)/2],
		n.token(func(tok *rpc.AuthToken) { tok.Token[0] ^= 1 }),
		n.token(func(tok *rpc.AuthToken) { tok.Expiration += 3600 }),
		n.token(func(tok *rpc.AuthToken) { tok.SessionId = "00000000" }),
	} {
		if status, _ := n.video(credentials); status != http.StatusForbidden {
			t.Errorf("%.20q: status %d", credentials, status)
		}
	}
	status, id := n.video(genuine)
	if status != http.StatusOK || len(id) != 32 {
		t.Fatal(status, id)
	}
	for _, guess := range []string{id[:31], id[:8], id + "0", strings.ToUpper(id), strings.Repeat("0", 32), "*", ""} {
		if guess == id {
			continue // without letters
		}
		for _, suffix := range []string{"", "-out", "-control", "-events"} {
			path := "/ai/trickle/" + guess + suffix
			if status, text := n.send("GET", path+"/next", nil); status != http.StatusNotFound {
				t.Error(path, status, text)
			}
			if status, text := n.send("DELETE", path, nil); status != http.StatusBadRequest {
				t.Error(path, status, text)
			}
		}
	}
	if status, text := n.send("GET", "/ai/trickle/"+id+"/next", nil); status != http.StatusOK {
		t.Error(status, text)
	}
	if log := n.Log(); strings.Contains(log, id) {
		t.Error("the log has a session's id")
	}
}

// Segments that are no media and parameters that are none: the session goes on, the node stays up, and
// the slot is free after it.
func TestHostileLiveVideo(t *testing.T) {
	n := startVideo(t)
	_, id := n.video(n.token())
	hostile := [][]byte{
		nil, []byte("x"), bytes.Repeat([]byte{0x47}, 1<<20), bytes.Repeat([]byte{0}, 1<<20),
		append([]byte{0x47, 0x40, 0, 0x10}, bytes.Repeat([]byte{0xff}, 184)...), []byte("\x1aE\xdf\xa3"), []byte("{}"),
	}
	for i, data := range hostile {
		for _, channel := range []string{"", "-control"} {
			status, text := n.send("POST", fmt.Sprintf("/ai/trickle/%s%s/%d", id, channel, i), bytes.NewReader(data))
			if status != http.StatusOK {
				t.Error(i, channel, status, text)
			}
		}
	}
	if status, text := n.send("GET", "/ai/trickle/"+id+"-out/next", nil); status != http.StatusOK || text != "0" {
		t.Errorf("output of what is no media: %d %q", status, text)
	}
	if status, text := n.send("DELETE", "/ai/trickle/"+id, nil); status != http.StatusOK {
		t.Error(status, text)
	}
	n.Wait("the slot", 30*time.Second, func() bool {
		status, _ := n.video(n.token())
		return status == http.StatusOK
	})
}
