package price

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/test/harness"
)

// refusals are what the network's orchestrators make of chats that their model server refuses:
// a wrong field, a role that it does not know, a prompt that is too long.
var refusals = []lie{
	{"null for a 422", false, says(object, "null\n")},
	{"a 400", false, fails("LLM container returned 400: pipeline configured with a but called with b")},
	{"too long a prompt", false, fails("LLM container returned 500: Internal server error during LLM processing.")},
	{"a 422 in a stream", true, fails("unexpected status code: 422")},
	{"an error as the first event", true, func(http.ResponseWriter) { panic(http.ErrAbortHandler) }},
	{"an error that is passed on", false, says(object, `{"error":{"message":"prompt too long"}}`)},
	{"an error event that is passed on", true, says(events, `data: {"error":"prompt too long"}`+"\n\n")},
}

func fails(text string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) { http.Error(w, text, http.StatusInternalServerError) }
}

// oddly answers chats of which the text says which refusal they meet. null is billed, as the
// network does.
func oddly(o *orchestrator) func(http.ResponseWriter, *http.Request, []byte) bool {
	return func(w http.ResponseWriter, _ *http.Request, body []byte) bool {
		for i, kind := range refusals {
			if !strings.Contains(string(body), fmt.Sprintf("odd%d ", i)) {
				continue
			}
			if i == 0 {
				o.mu.Lock()
				units := o.units
				o.mu.Unlock()
				o.debit("33_"+networkModel, units)
			}
			kind.write(w)
			return true
		}
		return false
	}
}

// chatFrom is a client's chat; its status is 0 where no answer came.
func (w *world) chatFrom(client *http.Client, stream bool, text string) (status int, body string) {
	w.Helper()
	resp, err := client.Post("http://"+w.front+"/v1/chat/completions", object, strings.NewReader(fmt.Sprintf(
		`{"model":%q,"max_tokens":%d,"stream":%v,"messages":[{"role":"user","content":%q}]}`,
		networkModel, oddJob, stream, text)))
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err.Error()
	}
	return resp.StatusCode, string(b)
}

// oddJob is a job in units that is worth less than a ticket, of oddEV: fourteen tickets reach the bound.
const (
	oddJob = 500_000_000
	oddEV  = 1_500_000_000_000
)

// TestRefusedRequestsStopNobody has clients send requests that no model server takes, to
// orchestrators of the network, which are paid first and then say so in their ways. All of it
// counts as the clients' doing, not as theirs, and another client is served.
func TestRefusedRequestsStopNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.expensive(oddJob)
	w.ready()
	for _, o := range []*orchestrator{w.cheat, w.honest} {
		o.with(func() { o.reply, o.ev = oddly(o), core.NewWei(oddEV) })
	}
	var bad []*http.Client
	for i := range refusals {
		bad = append(bad, from(t, fmt.Sprint("127.0.0.", 2+i)))
	}
	for i := range rounds(3 * len(refusals)) {
		kind := i % len(refusals)
		status, body := w.chatFrom(bad[kind], refusals[kind].stream, fmt.Sprintf("odd%d %d", kind, i))
		if status == http.StatusOK && !strings.Contains(body, `"error"`) {
			t.Errorf("%s: %s", refusals[kind].name, body)
		}
	}
	paid, worked, _ := w.cheat.books()
	t.Logf("paid %.0f gwei, worked for %.0f", paid, worked)
	if most := bound + 2*worked + oddEV/1e9; paid > most {
		t.Errorf("paid %.0f gwei, at most %.0f may be", paid, most)
	}
	if names := w.conditions(stopped); len(names) != 0 {
		t.Errorf("stopped by what a client sent: %v", names)
	}
	for i := range 3 {
		if status, body := w.chatFrom(harness.Client(), false, fmt.Sprint("a good one ", i)); status != http.StatusOK {
			t.Errorf("another client got %d %.300s", status, body)
		}
	}
}
