package price

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/test/harness"
)

// Jobs in units, the highest price that the gateway pays in wei, and the bill of a large job
// in gwei: so much that a few of them reach the bound.
const (
	smallJob   = 1000
	largeJob   = 2_000_000_000
	largePrice = 2000
	largeBill  = 4000
)

// lie is an answer with status 200 that is no work.
type lie struct {
	name string
	// stream: the client asked for events.
	stream bool
	write  func(w http.ResponseWriter)
}

func says(contentType, text string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", contentType)
		_, _ = io.WriteString(w, text)
	}
}

// cut breaks the connection after some text.
func cut(contentType, text string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		says(contentType, text)(w)
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

const (
	events    = "text/event-stream"
	object    = "application/json"
	firstWord = `data: {"id":"1","choices":[{"index":0,"delta":{"role":"assistant","content":" one"},` +
		`"finish_reason":""}]}` + "\n\n"
	lastWord = `data: {"id":"1","choices":[{"index":0,"delta":{"content":""},"finish_reason":"stop"}]}` + "\n\n"
	doneWord = "data: [DONE]\n\n"
)

// lies are answers to chats. Those of which one token came are among them; those that a client
// can bring about at honest orchestrators are among the refusals.
var lies = []lie{
	{"an error after a token, then DONE", true, says(events, firstWord+`data: {"error":{"message":"x"}}`+"\n\n"+doneWord)},
	{"an error in a field of its own", true, says(events, firstWord+"error: {\"code\":500}\n\n")},
	{"a stream cut off", true, cut(events, firstWord)},
	{"a stream that ends before its answer", true, says(events, firstWord)},
	{"DONE alone", true, says(events, doneWord)},
	{"events without choices", true, says(events, `data: {"choices":[]}`+"\n\n"+doneWord)},
	{"events that are not JSON", true, says(events,
		firstWord+"data: {\"choices\":[{\"delta\":{\"content\":\"x\"}},]}\n\n"+lastWord+doneWord)},
	{"no choices", false, says(object, `{"choices":[]}`)},
	{"an empty choice", false, says(object, `{"choices":[{"index":0,"finish_reason":"stop","message":null}]}`)},
	{"half an object", false, says(object, `{"choices":[{"message":{"content":"one`)},
	{"an object that is not JSON", false, says(object, `{"choices":[{"message":{"content":"one"}},]}`)},
	{"an object cut off", false, cut(object, `{"choices":[`)},
	{"events that were not asked for", false, says(events, doneWord)},
}

// ready waits until the gateway has seen its deposit and pays for jobs.
func (w *world) ready() {
	w.Helper()
	w.gateway.Wait("a job that is paid", 30*time.Second, func() bool { return w.ask(0) == nil })
}

// expensive has the orchestrators ask for the highest price, for jobs of so many units.
func (w *world) expensive(units int64) {
	for _, o := range []*orchestrator{w.cheat, w.honest} {
		o.with(func() { o.ev, o.price, o.units = core.NewWei(largeEV), largePrice, units })
	}
}

// chat asks for an answer of so many tokens and returns all of it.
func (w *world) chat(stream bool, n int, tokens int64) (status int, body string) {
	w.Helper()
	return w.request("/v1/chat/completions", fmt.Sprintf(
		`{"model":%q,"max_tokens":%d,"stream":%v,"messages":[{"role":"user","content":"%d is a number"}]}`,
		networkModel, tokens, stream, n))
}

func (w *world) request(path, body string) (status int, answer string) {
	w.Helper()
	resp, err := harness.Client().Post("http://"+w.front+path, object, strings.NewReader(body))
	w.must(err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	w.must(err)
	return resp.StatusCode, string(text)
}

// named reports whether a client learns from an answer why it has none.
func named(status int, body string) bool {
	if status != http.StatusOK {
		return status == http.StatusBadGateway && strings.Contains(body, `"code":"`)
	}
	return strings.Contains(body, `data: {"error":`)
}

// deceiver has the cheat do every third job and answer the others with lies in turn, so
// that not many failures come in a row.
type deceiver struct {
	*world
	lies []lie
	// ask sends a job of so many units for a lie.
	ask func(l lie, n int, units int64) (status int, body string)
	// next is the lie for the next job, lied that it was told; count is how many were.
	next  lie
	lied  bool
	count int
}

// deceive sends small jobs until every lie was told, and then large ones until the cheat is
// stopped. done is the answer to a job that is done.
func (w *world) deceive(done func(http.ResponseWriter), d deceiver) {
	w.Helper()
	d.world = w
	w.expensive(smallJob)
	w.ready()
	for _, o := range []*orchestrator{w.cheat, w.honest} {
		o.with(func() { o.answer = done })
	}
	w.cheat.with(func() { w.cheat.cheat = d.answer })
	for i := 0; d.count < len(d.lies) && i < 4*len(d.lies); i++ {
		d.job(i, smallJob)
	}
	if d.count < len(d.lies) {
		w.Errorf("%d of %d lies were tried", d.count, len(d.lies))
	}
	w.makeGood(&d)
	w.expensive(largeJob)
	before, _, _ := w.cheat.books()
	account := w.cheat.account.String()
	for i := 0; i < rounds(60) && w.conditions(stopped)[account] == ""; i++ {
		d.job(1000+i, largeJob)
	}
	paid, worked, served := w.cheat.books()
	w.Logf("the cheat was paid %.0f gwei for work worth %.0f gwei (%d jobs) and %d lies", paid, worked, served, d.count)
	// It may hold the bound and as much as it worked for lately, and what its first work
	// excuses; tickets are paid by pieces.
	if most := before + 2*worked*17/16 + bound + 4*largeBill; paid > most {
		w.Errorf("paid %.0f gwei, at most %.0f may be", paid, most)
	}
	if names := w.conditions(stopped); names[account] == "" || len(names) != 1 {
		w.Errorf("conditions %s: %v", stopped, names)
	}
}

// makeGood has the cheat do jobs for a while, so that it does not rest for its lies.
func (w *world) makeGood(d *deceiver) {
	w.Helper()
	w.cheat.with(func() { w.cheat.cheat = nil })
	for i := range 16 {
		if status, body := d.ask(lie{}, 500+i, smallJob); status != http.StatusOK {
			w.Errorf("job %d: %d %.300s", i, status, body)
		}
	}
	w.cheat.with(func() { w.cheat.cheat = d.answer })
}

// answer is the cheat's.
func (d *deceiver) answer(n int, w http.ResponseWriter) bool {
	if d.lied = n%3 != 0; d.lied {
		d.next.write(w)
	}
	return d.lied
}

// job sends one job and wants its client to learn of a lie.
func (d *deceiver) job(n int, units int64) {
	d.Helper()
	d.next, d.lied = d.lies[d.count%len(d.lies)], false
	status, body := d.ask(d.next, n, units)
	switch {
	case d.lied:
		d.count++
		if !named(status, body) {
			d.Errorf("%s: the client got %d and no error: %.300s", d.next.name, status, body)
		}
	case status != http.StatusOK:
		d.Errorf("job %d: %d %.300s", n, status, body)
	}
}

// TestAnswersThatAreNoWork has an orchestrator answer chats with status 200 and errors,
// halves, what is not JSON and what has nothing in it.
func TestAnswersThatAreNoWork(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.deceive(chatAnswer, deceiver{lies: lies, ask: func(l lie, n int, units int64) (int, string) {
		return w.chat(l.stream, n, units)
	}})
}

// TestMediaThatCannotBeUsed has it answer jobs for images and speech with what cannot be
// fetched or is none.
func TestMediaThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	whole := picture(t)
	data := func(kind string, b []byte) string {
		return "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(b)
	}
	images := func(urls ...string) func(http.ResponseWriter) {
		var list []string
		for _, u := range urls {
			list = append(list, fmt.Sprintf(`{"url":%q,"seed":1,"nsfw":false}`, u))
		}
		return says(object, `{"images":[`+strings.Join(list, ",")+`]}`)
	}
	other := w.honest.server.URL + "/stream/1.png"
	done := images(data("image/png", whole))
	w.deceive(done, deceiver{lies: []lie{
		{"no images", false, images()},
		{"an address with nothing behind it", false, images("/stream/none.png")},
		{"an address elsewhere", false, images(other)},
		{"what is not base64", false, images("data:image/png;base64,%%%%")},
		{"a page", false, images(data("image/png", []byte("<html><p>no image</p></html>")))},
		{"no bytes", false, images("data:image/png;base64,")},
		{"noise", false, images(data("image/png", bytes.Repeat([]byte{1, 7, 0x91}, 300)))},
		{"half an image", false, images(data("image/png", whole[:len(whole)/2]))},
		{"an image cut off", false, cut(object, `{"images":[{"url":"data:image/png;base64,iVBOR`)},
	}, ask: func(_ lie, n int, units int64) (int, string) {
		// A pixel costs as much as a token.
		return w.request("/text-to-image", fmt.Sprintf(
			`{"model_id":%q,"prompt":"%d","width":500,"height":%d,"num_images_per_prompt":1}`, networkModel, n, units/500))
	}})
}

// image is a small one.
func picture(t *testing.T) []byte {
	t.Helper()
	im := image.NewGray(image.Rect(0, 0, 64, 64))
	for i := range im.Pix {
		im.Pix[i] = byte(i * i / 7)
	}
	im.Set(1, 1, color.White)
	var b bytes.Buffer
	if err := png.Encode(&b, im); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestAnswersOfTheNetworkAreWork: the answers that the network's nodes give, with empty
// deltas, without usage or DONE and with running totals, cost no orchestrator its name.
func TestAnswersOfTheNetworkAreWork(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.expensive(largeJob)
	w.ready()
	forms := []lie{
		{"the network's stream", true, says(events, firstWord+lastWord)},
		{"an empty answer", true, says(events, lastWord)},
		{"a stream that DONE alone ends", true, says(events, firstWord+doneWord)},
		{"finish and text in one event", true, says(events, strings.Replace(firstWord, `"finish_reason":""`,
			`"finish_reason":"length"`, 1))},
		{"an object without usage", false, says(object, `{"choices":[{"index":0,"finish_reason":"stop","delta":null,`+
			`"message":{"role":"assistant","content":"one"}}]}`)},
		{"an empty text", false, says(object, `{"choices":[{"message":{"role":"assistant","content":""},`+
			`"finish_reason":"stop"}]}`)},
		{"a stream of which the client got an object", true, chatAnswer},
	}
	n := rounds(6 * len(forms))
	for i := range n {
		f := forms[i%len(forms)]
		for _, o := range []*orchestrator{w.cheat, w.honest} {
			o.with(func() { o.answer = f.write })
		}
		if status, body := w.chat(f.stream, i, largeJob); status != http.StatusOK || strings.Contains(body, `"error"`) {
			t.Errorf("%s: %d %s", f.name, status, body)
		}
	}
	paid, worked, served := w.cheat.books()
	t.Logf("paid %.0f gwei for work worth %.0f gwei (%d jobs)", paid, worked, served)
	if names := w.conditions(stopped); len(names) != 0 || served < n/2 {
		t.Errorf("%d of %d jobs, conditions %v", served, n, names)
	}
}
