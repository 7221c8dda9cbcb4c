package upgrade

import (
	"context"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/test/devnet"
)

// TestAnswersThatHadNotBegunAreBilled: an answer that has not begun when another process takes over ends in the old
// one, and is billed in the new one's books.
func TestAnswersThatHadNotBegunAreBilled(t *testing.T) {
	t.Parallel()
	chain := devnet.Start(t, devnet.Options{Endpoints: 1, BlockTime: 100 * time.Millisecond,
		L1BlockTime: 100 * time.Millisecond, RoundLength: 600, Args: []string{"-initializeRounds"}})
	if err := chain.Control.SetBaseFee(t.Context(), core.NewWei(50_000)); err != nil {
		t.Fatal(err)
	}
	begun, released := make(chan struct{}, 4), make(chan struct{})
	release := sync.OnceFunc(func() { close(released) })
	mux := http.NewServeMux()
	mux.HandleFunc("/v1/models", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"m","object":"model"}]}`)
	})
	mux.HandleFunc("/v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), "wait") {
			begun <- struct{}{}
			select {
			case <-released:
			case <-r.Context().Done():
			}
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"id":"1","object":"chat.completion","model":"m","choices":[{"index":0,"message":
			{"role":"assistant","content":"one"},"finish_reason":"stop"}],
			"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`)
	})
	model := httptest.NewServer(mux)
	t.Cleanup(model.Close)
	t.Cleanup(release)
	models := filepath.Join(t.TempDir(), "aiModels.json")
	writeFile(t, models, []byte(`[{"pipeline":"llm","model_id":"m","warm":true,"price_per_unit":9000,"pixels_per_unit":1,
		"url":"`+model.URL+`","capacity":8}]`), 0o600)
	o, g := paidPair(t, chain, models)
	gw := "http://" + g.addr
	ask := func(text string) (int, error) {
		req, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), http.MethodPost, gw+"/v1/chat/completions",
			strings.NewReader(`{"model":"m","max_tokens":64,"messages":[{"role":"user","content":"`+text+`"}]}`))
		if err != nil {
			return 0, err
		}
		req.Header.Set("Content-Type", "application/json")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return 0, err
		}
		defer res.Body.Close()
		_, err = io.Copy(io.Discard, res.Body)
		return res.StatusCode, err
	}
	within(t, 60*time.Second, "a paid answer", func() bool {
		status, err := ask("count")
		return err == nil && status == http.StatusOK
	})
	billed := func() *big.Int {
		var income adminapi.Income
		o.read(adminapi.PathIncome, &income)
		n, ok := new(big.Int).SetString(income.Total.Billed, 10)
		if !ok {
			t.Fatal(income.Total.Billed)
		}
		return n
	}
	var price *big.Int // of one answer
	within(t, 20*time.Second, "its bill", func() bool { price = billed(); return price.Sign() > 0 })
	answered := make(chan int, 1)
	go func() {
		status, _ := ask("wait")
		answered <- status
	}()
	<-begun
	pid := o.upgrade()
	o.serves(pid)
	release()
	if status := <-answered; status != http.StatusOK {
		t.Errorf("an answer that began after the upgrade: %d", status)
	}
	within(t, 20*time.Second, "its bill in the new process", func() bool {
		return billed().Cmp(new(big.Int).Add(price, price)) == 0
	})
	if strings.Contains(o.p.Log(), "entry lost") {
		t.Error("an entry was lost")
	}
}
