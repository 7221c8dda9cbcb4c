package models_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
)

// chat is a request with a content of parts.
func chat(parts string) string {
	return `{"model":"own/model","max_tokens":5,"messages":[{"role":"user","content":[{"type":"text","text":"what is ` +
		`it?"},` + parts + `]}]}`
}

// quote is a text as JSON has it.
func quote(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}

// hostileAddresses are ways to write an address that only the operator's network, or
// the machine itself, reaches. P is the port of the service there.
var hostileAddresses = []string{
	"http://127.0.0.1:P/", "http://localhost:P/", "http://LOCALHOST.:P/", "http://127.1:P/", "http://2130706433:P/",
	"http://0x7f000001:P/",
	"http://0x7f.0.0.1:P/", "http://0177.0.0.1:P/", "http://0:P/", "http://0.0.0.0:P/", "http://[::1]:P/",
	"http://[::ffff:127.0.0.1]:P/",
	"http://[::ffff:7f00:1]:P/", "http://[::127.0.0.1]:P/", "HTTP://127.0.0.1:P/", "http://user@127.0.0.1:P/",
	"http://good.com@127.0.0.1:P/",
	`http://127.0.0.1:P\@good.com/`, " http://127.0.0.1:P/", "http://127.0.0.1:P/ ", "\thttp://127.0.0.1:P/",
	"http://①②⑦.0.0.1:P/",
	"http://127.0.0.1.:P/", "http://a.localhost:P/", "//127.0.0.1:P/", "http:127.0.0.1:P/",
	"http://169.254.169.254/latest/meta-data/", "http://[fd00:ec2::254]/", "http://metadata.google.internal/",
	"http://10.0.0.1/", "http://192.168.0.1/",
	"http://172.16.0.1/", "http://100.100.100.200/", "http://[fe80::1]/", "http://224.0.0.1/", "http://printer/",
	"http://nas.local/",
	"file:///etc/passwd", "FILE:///etc/passwd", "/etc/passwd", "../secrets", "ftp://10.0.0.1/x",
	"gopher://127.0.0.1:P/_x", "unix:///var/run/docker.sock",
}

// carriers are the places of a request that known servers take addresses from. @@
// is the address as JSON.
var carriers = map[string]string{
	"image_url":        chat(`{"type":"image_url","image_url":{"url":@@}}`),
	"image_url text":   chat(`{"type":"image_url","image_url":@@}`),
	"escaped name":     chat(`{"type":"image_url","\u0069mage_url":{"\u0075rl":@@}}`),
	"second of a name": chat(`{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA","url":@@}}`),
	"input_image":      chat(`{"type":"input_image","image_url":@@}`),
	"audio_url":        chat(`{"type":"audio_url","audio_url":{"url":@@}}`),
	"video_url":        chat(`{"type":"video_url","video_url":{"url":@@}}`),
	"list of frames":   chat(`{"type":"video","video":[@@]}`),
	"image":            chat(`{"type":"image","image":@@}`),
	"image url":        chat(`{"type":"image","url":@@}`),
	"file":             chat(`{"type":"file","file":{"file_url":@@}}`),
	"system's message": `{"model":"own/model","max_tokens":5,"messages":[{"role":"system",` +
		`"content":[{"type":"image_url","image_url":{"url":@@}}]},{"role":"user","content":"x"}]}`,
	"tool's answer": `{"model":"own/model","max_tokens":5,"messages":[{"role":"user","content":"x"},{"role":"tool",` +
		`"tool_call_id":"1","content":[{"type":"image_url","image_url":{"url":@@}}]}]}`,
	"tool server": `{"model":"own/model","max_tokens":5,"messages":[{"role":"user","content":"x"}],` +
		`"tools":[{"type":"mcp","server_url":@@}]}`,
	"images of message": `{"model":"own/model","max_tokens":5,"messages":[{"role":"user","content":"x","images":[@@]}]}`,
	"unknown field": `{"model":"own/model","max_tokens":5,"messages":[{"role":"user","content":"x"}],` +
		`"mm":{"deep":[[{"mediaUrl":@@}]]}}`,
	"metadata of part": chat(`{"type":"image_url","metadata":{"image_url":{"url":@@}}}`),
	"metadata of field": `{"model":"own/model","max_tokens":5,"messages":[{"role":"user","content":"x"}],` +
		`"mm_processor_kwargs":{"metadata":{"url":@@}}}`,
	"arguments": `{"model":"own/model","max_tokens":5,"messages":[{"role":"user","content":"x"}],` +
		`"arguments":{"image_url":@@}}`,
	"arguments of part": chat(`{"type":"image_url","arguments":{"image_url":{"url":@@}}}`),
	"schema reference": `{"model":"own/model","max_tokens":5,"messages":[{"role":"user","content":"x"}],` +
		`"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{"$ref":@@}}}}`,
}

// requests are every address in one carrier and one address in every carrier.
func requests(port string) (out []string) {
	fill := func(carrier, address string) string {
		return strings.ReplaceAll(carrier, "@@", quote(strings.ReplaceAll(address, "P", port)))
	}
	for _, address := range hostileAddresses {
		out = append(out, fill(carriers["image_url"], address))
	}
	for _, carrier := range carriers {
		out = append(out, fill(carrier, "http://127.0.0.1:P/"))
	}
	return out
}

// refused sends hostile requests and checks that each is refused by name and none
// leads anywhere.
func refused(t *testing.T, gateway string, f *fetching) {
	t.Helper()
	port, met := private(t)
	for _, body := range requests(port) {
		a := ask(t, gateway+"/v1/chat/completions", body)
		if a.status != http.StatusBadRequest || !strings.Contains(a.body, "RequestURLRefused") {
			t.Errorf("%.300s: %+v", body, a)
		}
	}
	if met.Load() != 0 || f.secrets.Load() != 0 || f.jobs.Load() != 0 {
		t.Errorf("%d requests reached the private service, %d the model server", met.Load(), f.jobs.Load())
	}
}

// A gateway refuses addresses of private networks before an orchestrator gets the request.
func TestGatewayRefusesPrivateAddresses(t *testing.T) {
	t.Parallel()
	f := startFetching(t)
	n := start(t, nil, []entry{external(f).with(entry{"request_urls": "any"})})
	gateway := startGateway(t, n.addr)
	awaitAnswer(t, gateway)
	f.jobs.Store(0)
	refused(t, gateway, f)
}

// An orchestrator refuses them also where a gateway passes them on, whether it fetches
// images itself, as by default, or its model server does, or none.
func TestOrchestratorRefusesPrivateAddresses(t *testing.T) {
	t.Parallel()
	for _, policy := range []entry{{}, {"request_urls": "fetch"}, {"request_urls": "data"},
		{"request_urls": "public"}} {
		f := startFetching(t)
		n := start(t, nil, []entry{external(f).with(policy)})
		gateway := startGateway(t, n.addr, "-aiPrivateUrls")
		awaitAnswer(t, gateway)
		f.jobs.Store(0)
		refused(t, gateway, f)
		if a := ask(t, gateway+"/v1/chat/completions",
			chat(`{"type":"image_url","image_url":{"url":"https://tutti.invalid/a.png"}}`)); a.status != http.StatusBadRequest {
			t.Errorf("a name that is not found: %+v", a)
		}
		if a := ask(t, gateway+"/v1/chat/completions",
			chat(`{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}`)); a.status != http.StatusOK {
			t.Errorf("an image that the request holds: %+v", a)
		}
	}
}

// What is text is no address, and an operator can permit everything.
func TestAddressesThatPass(t *testing.T) {
	t.Parallel()
	f := startFetching(t)
	n := start(t, nil, []entry{external(f).with(entry{"request_urls": "any"})})
	open, usual := startGateway(t, n.addr, "-aiPrivateUrls"), startGateway(t, n.addr)
	awaitAnswer(t, open)
	awaitAnswer(t, usual)
	port, met := private(t)
	if a := ask(t, open+"/v1/chat/completions",
		chat(`{"type":"image_url","image_url":{"url":"http://127.0.0.1:`+port+`/"}}`)); a.status != http.StatusOK ||
		met.Load() != 1 {
		t.Errorf("with request_urls any and -aiPrivateUrls: %+v, %d fetched", a, met.Load())
	}
	for _, body := range []string{
		`{"model":"own/model","max_tokens":5,"messages":[{"role":"user","content":"see http://tutti.invalid/ and ` +
			`file:///x"}]}`,
		chat(`{"type":"text","text":"http://tutti.invalid/"}`),
		chat(`{"type":"image_url","image_url":{"url":"DATA:image/png;base64,AAAA"}}`),
		chat(`{"type":"image","image":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"}`),
		chat(`{"type":"input_audio","input_audio":{"data":"UklGRiQAAABXQVZF","format":"wav"}}`),
		`{"model":"own/model","max_tokens":5,"messages":[{"role":"user","content":"x"}],` +
			`"metadata":{"url":"http://tutti.invalid/"},"modalities":["text"],"audio":{"voice":"alloy","format":"wav"},` +
			`"tools":[{"type":"function","function":{"name":"get",` +
			`"parameters":{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",` +
			`"properties":{"url":{"type":"string"}},"$defs":{"a":{"$ref":"#/properties/url"}}}}}]}`,
		`{"model":"own/model","max_tokens":5,"messages":[{"role":"user","content":"x"},{"role":"assistant","content":null,` +
			`"tool_calls":[{"id":"1","type":"function","function":{"name":"get",` +
			`"arguments":"{\"url\":\"http://tutti.invalid/\"}"}}]},{"role":"tool","tool_call_id":"1","content":"x"}]}`,
	} {
		if a := ask(t, usual+"/v1/chat/completions", body); a.status != http.StatusOK {
			t.Errorf("%.200s: %+v", body, a)
		}
	}
}

// external is an entry of the fetching model server.
func external(f *fetching) entry {
	return entry{"pipeline": "llm", "model_id": "own/model", "warm": true, "price_per_unit": 0,
		"pixels_per_unit": 1000000, "url": f.url}
}

// awaitAnswer waits until a gateway has found its orchestrator.
func awaitAnswer(t *testing.T, gateway string) {
	t.Helper()
	tick, limit := time.NewTicker(50*time.Millisecond), time.After(30*time.Second)
	defer tick.Stop()
	for {
		a := ask(t, gateway+"/v1/chat/completions",
			`{"model":"own/model","max_tokens":5,"messages":[{"role":"user","content":"x"}]}`)
		if a.status == http.StatusOK {
			return
		}
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("the gateway does not serve: %+v", a)
		}
	}
}

// An AI worker on another machine refuses them as well: it stands before the model
// server, and its orchestrator may be run by others.
func TestWorkerRefusesPrivateAddresses(t *testing.T) {
	t.Parallel()
	f := startFetching(t)
	n := startOrchestrator(t, []entry{{
		"pipeline": "llm", "model_id": "own/model", "warm": true, "price_per_unit": 0, "pixels_per_unit": 1000000,
		"remote": true,
	}}, "-orchSecret", "hostile")
	startWorker(t, n.addr, []entry{external(f)}, "-orchSecret", "hostile")
	gateway := startGateway(t, n.addr, "-aiPrivateUrls")
	awaitAnswer(t, gateway)
	f.jobs.Store(0)
	refused(t, gateway, f)
}
