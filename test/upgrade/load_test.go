package upgrade

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/transcoder/libav/clip"
)

// load is streams in real time and answers of a model, through a gateway.
type load struct {
	wg   sync.WaitGroup
	mu   sync.Mutex
	errs []error // guarded by mu, like done
	done int
}

func (l *load) record(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.errs = append(l.errs, err)
		return
	}
	l.done++
}

// segments makes a stream that costs little.
func segments(t *testing.T, count int) []clip.Segment {
	t.Helper()
	out, err := clip.GenerateAll(t.Context(), clip.Options{Width: 320, Height: 180, FPSNum: 15, FPSDen: 1, Segments: count,
		Bitrate: 300_000})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// stream pushes segments as a camera does: each when it is over, whatever becomes of
// those before.
func (l *load) stream(gateway, name string, segs []clip.Segment, offset time.Duration) {
	l.wg.Go(func() {
		next := time.Now().Add(offset)
		for _, s := range segs {
			<-time.After(time.Until(next))
			next = next.Add(harness.Stretch(s.Duration))
			out, err := harness.Push(gateway, name, fmt.Sprintf("%d.ts", s.Number), s.Data, s.Duration)
			if err == nil && len(out) != 1 {
				err = fmt.Errorf("%d renditions", len(out))
			}
			if err != nil {
				err = fmt.Errorf("%s segment %d: %w", name, s.Number, err)
			}
			l.record(err)
		}
	})
}

// tokens is how many pieces the slow model writes, and pace how far apart.
const (
	tokens = 60
	pace   = 200 * time.Millisecond
)

// slowModel is an OpenAI server whose answers take their time.
func slowModel(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/v1/models", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"m","object":"model"}]}`)
	})
	mux.HandleFunc("/v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range tokens {
			fmt.Fprintf(w, "data: {\"id\":\"1\",\"object\":\"chat.completion.chunk\",\"model\":\"m\","+
				"\"choices\":[{\"index\":0,\"delta\":{\"content\":\"%d \"}}]}\n\n", i)
			_ = http.NewResponseController(w).Flush()
			select {
			case <-time.After(pace):
			case <-r.Context().Done():
				return
			}
		}
		_, _ = io.WriteString(w, "data: {\"id\":\"1\",\"object\":\"chat.completion.chunk\",\"model\":\"m\","+
			"\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

// chat asks the model and reads its answer to the end.
func (l *load) chat(gateway string, begun chan<- struct{}) {
	l.wg.Go(func() { l.record(chat(context.Background(), gateway, begun)) })
}

func chat(ctx context.Context, gateway string, begun chan<- struct{}) error {
	body := `{"model":"m","stream":true,"max_tokens":64,"messages":[{"role":"user","content":"count"}]}`
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, gateway+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(res.Body)
		return fmt.Errorf("%d %s", res.StatusCode, text)
	}
	pieces, done := 0, false
	lines := bufio.NewScanner(res.Body)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		if done = data == "[DONE]"; done {
			break
		}
		var event struct {
			Choices []struct{ Delta struct{ Content string } }
			Error   any
		}
		if err := json.Unmarshal([]byte(data), &event); err != nil || event.Error != nil {
			return fmt.Errorf("event %s: %w", data, err)
		}
		if len(event.Choices) > 0 && event.Choices[0].Delta.Content != "" {
			if pieces++; pieces == 1 && begun != nil {
				close(begun)
			}
		}
	}
	if !done || pieces != tokens {
		return fmt.Errorf("the answer broke off after %d of %d pieces: %w", pieces, tokens, lines.Err())
	}
	return nil
}

// settle waits for the load and reports what failed.
func (l *load) settle(t *testing.T, want int) {
	t.Helper()
	l.wg.Wait()
	for _, err := range l.errs {
		t.Error(err)
	}
	if l.done != want {
		t.Errorf("%d of %d segments and answers came back", l.done, want)
	}
}
