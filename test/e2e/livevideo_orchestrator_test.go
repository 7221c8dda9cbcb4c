package e2e

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/test/harness"
)

// liveURLs are the channels of a session of live video, as the gateway gets them.
type liveURLs struct {
	Publish   string `json:"publish_url"`
	Subscribe string `json:"subscribe_url"`
	Control   string `json:"control_url"`
	Events    string `json:"events_url"`
	ID        string `json:"manifest_id"`
}

// liveToken is the credentials of a gateway that asked an orchestrator for an offer.
func liveToken(t *testing.T, addr string) string {
	t.Helper()
	conn, err := grpc.NewClient("passthrough:///"+addr,
		grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{InsecureSkipVerify: true})))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	info, err := rpc.NewOrchestratorClient(conn).GetOrchestrator(t.Context(), &rpc.OrchestratorRequest{})
	if err != nil {
		t.Fatal(err)
	}
	head, err := rpc.EncodeHeader(rpc.ToSegData(&rpc.SegmentMeta{Token: info.GetAuthToken()}))
	if err != nil {
		t.Fatal(err)
	}
	return head
}

// startVideo starts a session of live video.
func startVideo(t *testing.T, addr, body string) (int, string, liveURLs) {
	t.Helper()
	status, text := send(t, "POST", "https://"+addr+"/live-video-to-video", body, "Livepeer-Segment", liveToken(t, addr))
	var u liveURLs
	if status == http.StatusOK {
		if err := json.Unmarshal([]byte(text), &u); err != nil {
			t.Fatal(text, err)
		}
	}
	return status, text, u
}

// sampleNode starts an orchestrator with the sample pipeline alone.
func sampleNode(t *testing.T, sessions int) (node *harness.Process, addr string) {
	t.Helper()
	addr = harness.Address(t)
	node = harness.Start(t, binary, "-orchestrator", "-liveSampleSessions", fmt.Sprint(sessions), "-serviceAddr", addr,
		"-httpAddr", addr, "-cliAddr", harness.Address(t), "-dataDir", t.TempDir())
	node.WaitHTTP("https://" + addr + "/healthz")
	return node, addr
}

// read asks for a segment of a channel in the background.
func read(t *testing.T, url string) <-chan string {
	t.Helper()
	got := make(chan string, 1)
	go func() {
		r, err := http.NewRequestWithContext(t.Context(), "GET", url, http.NoBody)
		if err != nil {
			panic(err)
		}
		res, err := harness.Client().Do(r)
		if err != nil {
			got <- "error: " + err.Error()
			return
		}
		defer res.Body.Close()
		data, err := io.ReadAll(res.Body)
		if err != nil {
			got <- "error: " + err.Error()
			return
		}
		if res.Header.Get("Lp-Trickle-Closed") != "" {
			got <- "closed"
			return
		}
		got <- string(data)
	}()
	return got
}

// A stream goes through the sample pipeline: each segment comes back transformed, in order and with its
// times; parameters change the effect, events tell the state, the end of the input is that of all.
func TestTheSampleOfLiveVideo(t *testing.T) {
	t.Parallel()
	node, addr := sampleNode(t, 1)
	useSample(t, node, addr)
}

// useSample ends with a second session, whose channels it returns.
func useSample(t *testing.T, node *harness.Process, addr string) (next liveURLs) {
	t.Helper()
	if status, text := send(t, "POST", "https://"+addr+"/live-video-to-video", `{"model_id":"sample"}`); status !=
		http.StatusForbidden || text != "missing auth token\n" {
		t.Error(status, text)
	}
	status, text, u := startVideo(t, addr, `{"model_id":"sample","params":{"effect":"edges"},"stream_id":"s1"}`)
	if status != http.StatusOK {
		t.Fatal(status, text)
	}
	if status, text, _ := startVideo(t, addr, `{"model_id":"sample"}`); status != http.StatusServiceUnavailable ||
		text != "insufficient capacity\n" {
		t.Error("second session:", status, text)
	}
	event := read(t, u.Events+"/-1")
	var source, results [2]string
	for i := range source {
		recipe := clipPicture + clipTone + clipH264 + clipAAC + clipAtOnce + fmt.Sprintf("-output_ts_offset %d ", 10+2*i)
		source[i] = string(ffmpegClip(t, recipe, "ts"))
		out := read(t, fmt.Sprintf("%s/%d", u.Subscribe, i))
		if status, text := send(t, "POST", fmt.Sprintf("%s/%d", u.Publish, i), source[i]); status != http.StatusOK {
			t.Fatal(status, text)
		}
		select {
		case results[i] = <-out:
		case <-time.After(time.Minute):
			t.Fatalf("no output\n%s", node.Log())
		}
		if strings.HasPrefix(results[i], "error") || len(results[i]) < 10*188 || results[i] == source[i] {
			t.Fatalf("segment %d: %d bytes %.80q\n%s", i, len(results[i]), results[i], node.Log())
		}
		if at, want := firstTime(t, results[i]), firstTime(t, source[i]); at != want {
			t.Errorf("segment %d begins at %d, its source at %d", i, at, want)
		}
	}
	if status, _ := send(t, "POST", u.Control+"/0", `{"effect":"nothing"}`); status != http.StatusOK {
		t.Error(status)
	}
	if text := <-event; !strings.Contains(text, `"type":"`) {
		t.Error(text)
	}
	node.Wait("the refused parameters", 20*time.Second, func() bool {
		return strings.Contains(<-read(t, u.Events+"/-2"), "effect must be")
	})
	waiting := read(t, u.Subscribe+"/2")
	if status, text := send(t, "DELETE", u.Publish, ""); status != http.StatusOK {
		t.Error(status, text)
	}
	if got := <-waiting; !ended(got) {
		t.Error(got)
	}
	node.Wait("the slot", 20*time.Second, func() bool {
		status, _, next = startVideo(t, addr, `{"model_id":"sample"}`)
		return status == http.StatusOK
	})
	return next
}

// firstTime is the first time stamp of a transport stream's video, in ticks of 90 kHz.
func firstTime(t *testing.T, data string) int64 {
	t.Helper()
	for _, p := range tsPackets([]byte(data), func(pid int) bool { return pid == videoPID }) {
		if p[1]&0x40 == 0 {
			continue
		}
		at := 4
		if p[3]&0x20 != 0 {
			at += 1 + int(p[4])
		}
		if at+14 > len(p) {
			continue
		}
		b := p[at+9:]
		return int64(b[0]>>1&7)<<30 | int64(b[1])<<22 | int64(b[2]>>1)<<15 | int64(b[3])<<7 | int64(b[4]>>1)
	}
	t.Fatal("no time")
	return 0
}

// ended reports whether an answer says that a channel is closed: to a request that waited, or to a new one.
func ended(answer string) bool { return answer == "closed" || answer == "Stream not found\n" }
