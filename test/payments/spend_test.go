package payments

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/paymentlog"
	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/test/pipelines"
)

// TestKeysSpendWhatIsPaid: clients with two keys, and before there are keys without one, ask for text, images, speech
// and transcripts; they leave, run out of time, meet errors, silence and an orchestrator that dies, and the gateway is
// restarted. The sum of what keys spent is what was charged in the account of payments, to the wei, for each model; and
// all tickets' value is what jobs cost and what balances held that were written off.
func TestKeysSpendWhatIsPaid(t *testing.T) {
	t.Parallel()
	w, media := newSpendWorld(t)
	g := w.gateways[0]
	c := &askers{world: w, media: media, g: g}
	c.warm()
	c.run("", *spendFor/4) // this machine, while there is no key
	admin, capped, free := c.key("admin", "-admin"), c.key("capped", "-budgetWei", "3000000000000", "-period", "month",
		"-alert", "50"), c.key("free")
	segs := segments(t, 3)
	w.must(pushAll(g, "video", segs))
	c.run(capped, *spendFor/6)
	c.run(free, *spendFor/4)
	g.restart(false)
	c.warm(free)
	w.orchestrators[1].stop(true) // it keeps what it was paid
	c.run(free, *spendFor/4)
	c.overspend(capped)
	c.sameOverHTTP(admin)
	g.stop(false)
	w.orchestrators[0].stop(false)
	w.spendIsCharged(c)
	w.agree(w.books())
	t.Logf("requests by outcome: %v", c.counted())
}

// newSpendWorld is a world of which one gateway is used, and whose orchestrators have media and a model with moods.
func newSpendWorld(t *testing.T) (*world, *pipelines.Runner) {
	t.Helper()
	runner := pipelines.Start(t)
	text := httptest.NewServer(http.HandlerFunc(moods))
	t.Cleanup(text.Close)
	entry := func(pipeline, url string, price, per int64) map[string]any {
		name := pipelines.Model(pipeline)
		if pipeline == "llm" {
			name = model
		}
		return map[string]any{"pipeline": pipeline, "model_id": name, "warm": true, "price_per_unit": price,
			"pixels_per_unit": per, "url": url, "capacity": 64}
	}
	list, err := json.Marshal([]any{
		entry("llm", text.URL, 2_000_000_001, 7), entry("text-to-image", runner.URL("text-to-image"), 10_000_001, 3),
		entry("text-to-speech", runner.URL("text-to-speech"), 1_000_000_007, 11),
		entry("audio-to-text", runner.URL("audio-to-text"), 10_000_019, 13),
	})
	if err != nil {
		t.Fatal(err)
	}
	models := filepath.Join(t.TempDir(), "aiModels.json")
	if err := os.WriteFile(models, list, 0o600); err != nil {
		t.Fatal(err)
	}
	return newWorldWith(t, models, "-aiSilenceTimeout", "1s"), runner
}

// moods is a model server that does what the prompt says.
func moods(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/v1/chat/completions" {
		counting(w, r)
		return
	}
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	says := func(mood string) bool { return bytes.Contains(body, []byte("be "+mood)) }
	switch {
	case says("broken"):
		http.Error(w, `{"error":{"message":"out of memory"}}`, http.StatusInternalServerError)
	case says("refusing"):
		http.Error(w, `{"error":{"message":"no such voice"}}`, http.StatusBadRequest)
	case says("frozen"):
		<-r.Context().Done()
	case says("silent"):
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, `data: {"model":%q,"choices":[{"index":0,"delta":{"content":"one"}}]}`+"\n\n", model)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	case says("wrong"):
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"error":{"message":"the model is gone"}}`+"\n\n")
	default:
		counting(w, r)
	}
}

// askers are clients of the spend test's gateway.
type askers struct {
	*world
	media *pipelines.Runner
	g     *party
	seed  atomic.Uint64

	mu     sync.Mutex
	counts map[string]int
}

func (c *askers) counted() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counts
}

func (c *askers) count(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts == nil {
		c.counts = make(map[string]int)
	}
	c.counts[what]++
}

// key makes an API key.
func (c *askers) key(name string, args ...string) string {
	c.Helper()
	out, status := harness.Output(c.T, filepath.Join(bin, "tutti"), append([]string{"key", "create", "-name", name,
		"-network", "devnet", "-dataDir", c.g.dir}, args...)...)
	at := strings.Index(out, "tk-")
	if status != 0 || at < 0 {
		c.Fatalf("key create: %d %s", status, out)
	}
	return strings.Fields(out[at:])[0]
}

// warm waits until every kind of work is done.
func (c *askers) warm(key ...string) {
	c.Helper()
	k := strings.Join(key, "")
	for _, kind := range []string{"chat", "image", "speech", "transcript"} {
		last := 0
		c.g.proc.Wait("an answer of kind "+kind, 60*time.Second, func() bool {
			last = c.ask(c.Context(), k, kind, "well")
			return last == http.StatusOK
		})
	}
}

// run asks for everything at once for so long, with clients that leave and run out of time.
func (c *askers) run(key string, length time.Duration) {
	c.Helper()
	ctx, stop := context.WithTimeout(c.Context(), length)
	defer stop()
	var all sync.WaitGroup
	for range 6 {
		rng := rand.New(rand.NewPCG(*soakSeed, c.seed.Add(1)))
		all.Go(func() {
			for ctx.Err() == nil {
				c.one(key, rng)
			}
		})
	}
	all.Wait()
}

// one sends a request of some kind.
func (c *askers) one(key string, rng *rand.Rand) {
	kind := []string{"chat", "chat", "stream", "stream", "stream", "image", "speech", "transcript"}[rng.IntN(8)]
	mood := "well"
	if kind == "chat" || kind == "stream" {
		mood = []string{"well", "well", "well", "broken", "refusing", "frozen", "silent", "wrong"}[rng.IntN(8)]
	}
	ctx, leave := context.WithCancel(c.Context())
	defer leave()
	if mood == "frozen" || rng.IntN(5) == 0 {
		timer := time.AfterFunc(time.Duration(rng.IntN(60))*time.Millisecond, leave)
		defer timer.Stop()
	}
	c.count(fmt.Sprintf("%s %s %d", kind, mood, c.ask(ctx, key, kind, mood)))
}

// ask sends one request and reads its answer. It returns the status, 0 where there was none.
func (c *askers) ask(ctx context.Context, key, kind, mood string) int {
	path, contentType := "/v1/chat/completions", "application/json"
	var body []byte
	switch kind {
	case "image":
		path, body = "/v1/images/generations", fmt.Appendf(nil, `{"model":%q,"prompt":"a cat","size":"64x64"}`,
			pipelines.Model("text-to-image"))
	case "speech":
		path, body = "/v1/audio/speech", fmt.Appendf(nil, `{"model":%q,"input":"hello","response_format":"wav"}`,
			pipelines.Model("text-to-speech"))
	case "transcript":
		path = "/v1/audio/transcriptions"
		contentType, body = transcription()
	default:
		body = fmt.Appendf(nil, `{"model":%q,"max_tokens":5,"stream":%t,"user":"u-%s","messages":[{"role":"user",`+
			`"content":"be %s"}]}`, model, kind == "stream" || mood == "silent", kind, mood)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+c.g.front+path, bytes.NewReader(body))
	c.must(err)
	r.Header.Set("Content-Type", contentType)
	r.Header.Set("X-Tutti-Tags", "soak,"+kind)
	if mood == "frozen" {
		r.Header.Set("X-Tutti-Timeout", "30ms")
	}
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	res, err := harness.Client().Do(r)
	if err != nil {
		return 0
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, res.Body) // it may break off
	return res.StatusCode
}

func transcription() (contentType string, body []byte) {
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	_ = form.WriteField("model", pipelines.Model("audio-to-text"))
	file, _ := form.CreateFormFile("file", "sound.wav")
	_, _ = file.Write(pipelines.WAV(8000, 8000))
	_ = form.Close() // a buffer takes everything
	return form.FormDataContentType(), b.Bytes()
}

// overspend uses a key's budget up: its condition comes, once, and further requests are refused.
func (c *askers) overspend(key string) {
	c.Helper()
	c.g.proc.Wait("the end of a key's budget", 60*time.Second, func() bool {
		return c.ask(c.Context(), key, "image", "well") == http.StatusPaymentRequired
	})
	c.g.proc.Wait("the condition BudgetAlert", 30*time.Second, func() bool {
		var all adminapi.Conditions
		_, text := harness.Get(c.T, "http://"+c.g.admin+adminapi.PathConditions)
		return json.Unmarshal(text, &all) == nil && strings.Contains(fmt.Sprint(all), "BudgetAlert")
	})
	c.g.proc.Wait("the alert in the log, once with the share and once when all was used", 10*time.Second, func() bool {
		n := 0
		for line := range strings.Lines(c.g.proc.Log()) {
			if strings.Contains(line, "condition set") && strings.Contains(line, "BudgetAlert") {
				n++
			}
		}
		return n == 1 || n == 2 // the last request may cross both at once
	})
}

// spendRow is a line of `tutti key spend -format jsonl`.
type spendRow struct {
	Key, Pipeline, Model, User, Tag string
	Requests                        int64
	Paid                            core.Wei `json:"paid_wei"`
	Lost                            core.Wei `json:"lost_wei"`
}

func (c *askers) spend(by string) (rows []spendRow, sum core.Wei) {
	c.Helper()
	out, status := harness.Output(c.T, filepath.Join(bin, "tutti"), "key", "spend", "-by", by, "-format", "jsonl",
		"-network", "devnet", "-dataDir", c.g.dir)
	if status != 0 {
		c.Fatalf("key spend: %d %s", status, out)
	}
	for line := range strings.Lines(out) {
		var row spendRow
		c.must(json.Unmarshal([]byte(line), &row))
		rows, sum = append(rows, row), sum.Add(row.Paid)
	}
	return rows, sum
}

// sameOverHTTP waits until what an admin key reads is what is on disk.
func (c *askers) sameOverHTTP(key string) {
	c.Helper()
	var web, disk core.Wei
	c.g.proc.Wait("the same sums over HTTP", 30*time.Second, func() bool {
		r, err := http.NewRequestWithContext(c.Context(), http.MethodGet, "http://"+c.g.front+
			"/v1/usage?by=key&format=jsonl", http.NoBody)
		c.must(err)
		r.Header.Set("Authorization", "Bearer "+key)
		res, err := harness.Client().Do(r)
		c.must(err)
		text, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		c.must(err)
		web = core.Wei{}
		for line := range strings.Lines(string(text)) {
			var row spendRow
			c.must(json.Unmarshal([]byte(line), &row))
			web = web.Add(row.Paid)
		}
		_, disk = c.spend("key")
		return web.Cmp(disk) == 0
	})
	if csv, status := harness.Output(c.T, filepath.Join(bin, "tutti"), "key", "spend", "-by", "tag,user", "-format", "csv",
		"-network", "devnet", "-dataDir", c.g.dir); status != 0 || !strings.HasPrefix(csv, "day,key_id,key,") ||
		!strings.Contains(csv, ",u-stream,soak,") {
		c.Errorf("key spend as CSV: %d %s", status, csv)
	}
}

// spendIsCharged holds what keys spent against the gateway's account of payments, which it has on disk.
func (w *world) spendIsCharged(c *askers) {
	w.Helper()
	rows, spent := c.spend("key,model")
	keys, byModel := map[string]int64{}, map[string]core.Wei{}
	var lost core.Wei
	for _, r := range rows {
		keys[r.Key] += r.Requests
		byModel[r.Pipeline+" "+r.Model] = byModel[r.Pipeline+" "+r.Model].Add(r.Paid)
		lost = lost.Add(r.Lost)
	}
	if keys[""] == 0 || keys["capped"] == 0 || keys["free"] == 0 || len(byModel) != 4 || lost.IsZero() {
		w.Errorf("the keys' requests are %v, the models %v, %s wei lost", keys, byModel, lost)
	}
	store, _, err := paymentlog.Open(w.Context(), paymentlog.Options{DB: w.open(c.g), Sender: c.g.account})
	w.must(err)
	totals, err := store.Totals(w.Context(), paymentlog.Query{Model: true})
	w.must(err)
	list, err := store.WriteOffs(w.Context())
	w.must(err)
	w.must(store.Close())
	var value, cost, writtenOff pm.Value
	var charged core.Wei
	for i := range totals {
		t := &totals[i]
		value, cost, charged = value.Add(t.Value), cost.Add(t.Cost), charged.Add(t.Charged)
		if t.Charged.Cmp(byModel[t.Pipeline+" "+t.Model]) != 0 {
			w.Errorf("keys spent %s wei for %s %s, and %s were charged", byModel[t.Pipeline+" "+t.Model], t.Pipeline,
				t.Model, t.Charged)
		}
	}
	reasons := map[paymentlog.Reason]bool{}
	for _, off := range list {
		writtenOff, reasons[off.Reason] = writtenOff.Add(off.Value), true
	}
	if spent.Cmp(charged) != 0 || charged.IsZero() {
		w.Errorf("keys spent %s wei, %s were charged", spent, charged)
	}
	if !value.Equal(cost.Add(writtenOff)) || !reasons[paymentlog.Stopped] {
		w.Errorf("tickets of %s wei: jobs cost %s, %s were written off (%v)", value, cost, writtenOff, list)
	}
	w.Logf("keys spent %s wei, %s of it for no answer; tickets of %s wei, jobs cost %s, %s written off", spent, lost,
		value, cost, writtenOff)
}
