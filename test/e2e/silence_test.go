package e2e

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestStreamsThatGoSilent: a stream that brings nothing more ends with its API's own error event, within
// -aiSilenceTimeout of the gateway or of the orchestrator. The model server stops, and the slot is free again.
func TestStreamsThatGoSilent(t *testing.T) {
	t.Parallel()
	const limit = "1s" // the least that may be set
	// The default limit ends no stream before this client leaves.
	client := http.Client{Timeout: 30 * time.Second}
	t.Cleanup(client.CloseIdleConnections)
	for name, row := range map[string]struct{ orchestrator, gateway []string }{
		"the gateway's limit":      {nil, []string{"-aiSilenceTimeout", limit}},
		"the orchestrator's limit": {[]string{"-aiSilenceTimeout", limit}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stopped := make(chan struct{}, 1)
			s := canned(t, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, cannedEvent)
				_ = http.NewResponseController(w).Flush()
				<-r.Context().Done()
				stopped <- struct{}{}
			})
			node, orch := aiOrchestrator(t, []entry{llmEntry(cannedModel, s.URL)}, row.orchestrator...)
			awaitModel(t, node, orch, cannedModel, "ready")
			_, gw := gateway(t, orch, row.gateway...)
			for _, face := range silentFaces {
				res, err := client.Post(gw+face.path, "application/json", strings.NewReader(face.request))
				if err != nil {
					t.Fatal(err)
				}
				body := string(readAll(t, res)) // it ends whole, not in a broken connection
				last := body[strings.LastIndex("\n"+strings.TrimSpace(body), "\n"):]
				if res.StatusCode != http.StatusOK || !strings.Contains(body, " word") ||
					!strings.Contains(last, face.last) || strings.Count(body, face.last) != 1 {
					t.Errorf("%s: %d, it ends with %q\n%s", face.path, res.StatusCode, last, body)
				}
				select {
				case <-stopped:
				case <-time.After(30 * time.Second):
					t.Fatalf("%s: the model server goes on working", face.path)
				}
				checkIdle(t, node, orch, cannedModel)
			}
		})
	}
}

// silentFaces are streams of each API, and what the last line of one that broke off has. Read-only.
var silentFaces = []struct{ path, request, last string }{
	{"/v1/chat/completions", silentChat, `data: {"error":{`},
	{"/v1/responses", `{"model":"` + cannedModel + `","stream":true,"input":"hi"}`, `"type":"response.failed"`},
	{"/v1/messages", silentChat, `"type":"error"`},
	{"/api/chat", silentChat, `{"error":"`},
	{"/api/generate", `{"model":"` + cannedModel + `","prompt":"hi"}`, `{"error":"`},
}

const silentChat = `{"model":"` + cannedModel +
	`","stream":true,"max_tokens":8,"messages":[{"role":"user","content":"hi"}]}`
