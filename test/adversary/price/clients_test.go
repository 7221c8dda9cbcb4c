package price

import (
	"bytes"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/test/harness"
)

// poison is in the chats of which model servers break.
const poison = "poison"

// brittle has the orchestrator break off chats with poison in them and answer others.
func brittle(o *orchestrator) {
	o.with(func() {
		o.reply = func(rw http.ResponseWriter, _ *http.Request, body []byte) bool {
			if strings.Contains(string(body), poison) {
				http.Error(rw, "LLM container returned 500: Internal server error", http.StatusInternalServerError)
				return true
			}
			chatAnswer(rw)
			return true
		}
	})
}

// newFree starts two orchestrators, and a gateway that pays for nothing.
func newFree(t *testing.T) *world {
	t.Helper()
	w := &world{T: t, dir: t.TempDir(), admin: harness.Address(t), front: harness.Address(t)}
	w.cheat, w.honest = newOrchestrator(t, 0), newOrchestrator(t, 1)
	brittle(w.cheat)
	brittle(w.honest)
	w.gateway = harness.Start(t, filepath.Join(bin, "tutti"), "-gateway", "-dataDir", w.dir, "-cliAddr", w.admin,
		"-httpAddr", w.front, "-orchAddr", w.cheat.server.URL+","+w.honest.server.URL, "-v", "6")
	w.gateway.WaitHTTP("http://" + w.admin + "/healthz")
	return w
}

// TestOneClientsFailuresAreItsOwn has one client send chats, many at once and without a
// pause, of which every model server breaks. Another client's chats are answered meanwhile by
// the same orchestrators.
func TestOneClientsFailuresAreItsOwn(t *testing.T) {
	t.Parallel()
	w := newFree(t)
	bad, stop, failed := from(t, "127.0.0.2"), make(chan struct{}), make(chan struct{}, 1)
	var all sync.WaitGroup
	defer all.Wait()
	defer close(stop)
	for n := range 24 {
		all.Go(func() {
			for i := 0; ; i++ {
				w.chatFrom(bad, false, fmt.Sprintf("%s %d %d", poison, n, i))
				select {
				case <-stop:
					return
				case failed <- struct{}{}:
				default:
				}
			}
		})
	}
	for range 24 {
		<-failed
	}
	for i := range 20 {
		if status, body := w.chatFrom(harness.Client(), false, fmt.Sprint("a good one ", i)); status != http.StatusOK {
			t.Errorf("chat %d of another client: %d %.300s", i, status, body)
		}
	}
}

// TestOneClientsStreamsAreItsOwn has the segments of one client break the connection at the
// orchestrator that a gateway takes first, or look as if it had lied. The streams of another
// client, which begin after that, go there all the same.
func TestOneClientsStreamsAreItsOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	bad := from(t, "127.0.0.2")
	w.cheat.with(func() {
		w.cheat.reply = func(_ http.ResponseWriter, r *http.Request, _ []byte) bool {
			meta, err := rpc.DecodeSegData(r.Header.Get("Livepeer-Segment"))
			if err == nil && strings.HasPrefix(string(meta.GetManifestId()), poison) {
				panic(http.ErrAbortHandler)
			}
			return false
		}
	})
	for i := range 4 {
		stream := fmt.Sprintf("%s%d", poison, i)
		for n := range 2 {
			w.pushFrom(bad, stream, n)
		}
	}
	for i := range 2 {
		w.servesOthers(fmt.Sprint("good", i), 0, 3)
	}
}

// pushFrom has a client push a segment, whatever comes of it.
func (w *world) pushFrom(client *http.Client, stream string, n int) {
	w.Helper()
	s := w.segs[n%len(w.segs)]
	resp, err := client.Post(fmt.Sprintf("http://%s/live/%s/%d.ts", w.front, stream, n), "video/MP2T",
		bytes.NewReader(s.Data))
	w.must(err)
	_ = resp.Body.Close()
}
