package aiapi_test

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/aiapi"
	"github.com/tuttinode/tutti/server/gateway/broker"
)

// delivered has every answer's delivery sent to a channel.
func (n *node) delivered() <-chan inference.Delivery {
	out := make(chan inference.Delivery, 1)
	answer := n.broker.answer
	n.broker.answer = func(ctx context.Context, job *inference.Job) (*broker.Answer, error) {
		a, err := answer(ctx, job)
		if err == nil {
			a.Delivered = func(d inference.Delivery) { out <- d }
		}
		return a, err
	}
	return out
}

const vectors = "../../../test/vectors/ai"

func vector(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(vectors, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestDeliveries: what counts as work of an answer, for chats and vectors.
func TestDeliveries(t *testing.T) {
	t.Parallel()
	whole, refused := inference.Delivery{How: inference.Complete}, inference.Delivery{How: inference.Refused}
	faulty := func(units inference.Units) inference.Delivery {
		return inference.Delivery{How: inference.Faulty, Units: units}
	}
	const embedBody = `{"model":"m/e","input":"hi"}`
	for name, row := range map[string]struct {
		path, body string
		answer     func(context.Context, *inference.Job) (*broker.Answer, error)
		want       inference.Delivery
		code       fault.Code
	}{
		"stream":             {"/llm", streamBody, streams(io.EOF, event1, lastEvent, done), whole, ""},
		"without DONE":       {"/llm", streamBody, streams(io.EOF, event1, lastEvent), whole, ""},
		"DONE alone ends it": {"/llm", streamBody, streams(io.EOF, event1, done), whole, ""},
		"an empty answer":    {"/llm", streamBody, streams(io.EOF, lastEvent, done), whole, ""},
		"kept alive": {"/llm", streamBody, streams(io.EOF, "data:\n\n", event1, "data: \n\n", lastEvent, done),
			whole, ""},
		"broken off": {"/llm", streamBody, streams(errBroken, event1, event2), faulty(2), fault.CompletionBroken},
		"ends early": {"/llm", streamBody, streams(io.EOF, event1), faulty(1), fault.CompletionBroken},
		"error event": {"/llm", streamBody, streams(io.EOF, event1, "data: {\"error\":1}\n\n", event2, lastEvent,
			done), faulty(1), fault.CompletionBroken},
		"error field": {"/llm", streamBody, streams(io.EOF, "error: 1\n\n"), refused, fault.CompletionBroken},
		"nothing":     {"/llm", streamBody, streams(io.EOF), faulty(0), fault.CompletionBroken},
		"DONE":        {"/llm", streamBody, streams(io.EOF, done), faulty(0), fault.AnswerUnreadable},
		"no choices": {"/llm", streamBody, streams(io.EOF, "data: {\"choices\":[]}\n\n", done), faulty(0),
			fault.AnswerUnreadable},
		"a reason alone": {"/llm", streamBody, streams(io.EOF,
			"data: {\"choices\":[{\"finish_reason\":\"stop\"}]}\n\n"), faulty(0), fault.AnswerUnreadable},
		"not JSON": {"/llm", streamBody, streams(io.EOF, event1, "data: {\"choices\":[1,]}\n\n", lastEvent,
			done), faulty(1), fault.AnswerUnreadable},
		"a text": {"/llm", streamBody, streams(io.EOF, "data: \"one\"\n\n", lastEvent, done), faulty(0),
			fault.AnswerUnreadable},
		"JSON":     {"/llm", chatBody, says(chatAnswer), whole, ""},
		"recorded": {"/llm", chatBody, says(vector(t, "llamacpp/chat.json")), whole, ""},
		"a call of a tool": {"/llm", chatBody, says(`{"choices":[{"message":{"content":null,"tool_calls":[{}]}}]}`),
			whole, ""},
		"a large one": {"/llm", chatBody, says(strings.Replace(chatAnswer, "hello", strings.Repeat("x", 1<<17), 1)),
			whole, ""},
		"a large one, no end": {"/llm", chatBody, says(`{"choices":[{"message":{"content":"` + strings.Repeat("x", 1<<17)),
			faulty(0), fault.AnswerUnreadable},
		"a large one, empty": {"/llm", chatBody, says(`{"choices":[]` + strings.Repeat(" ", 1<<17) + `}`), faulty(0),
			fault.AnswerUnreadable},
		"error":           {"/llm", chatBody, says(`{"error":{"message":"x"}}`), refused, fault.AnswerUnreadable},
		"null":            {"/llm", chatBody, foreign(says("null\n")), refused, fault.JobRefused},
		"null of our own": {"/llm", chatBody, says("null\n"), faulty(0), fault.AnswerUnreadable},
		"empty choices":   {"/llm", chatBody, says(`{"choices":[]}`), faulty(0), fault.AnswerUnreadable},
		"empty choice": {"/llm", chatBody, says(`{"choices":[{"finish_reason":"stop"}]}`), faulty(0),
			fault.AnswerUnreadable},
		"almost JSON": {"/llm", chatBody, says(`{"choices":[{"message":{"content":"x"}}],}`), faulty(0),
			fault.AnswerUnreadable},
		"an unasked stream": {"/llm", chatBody, streams(io.EOF, event1, lastEvent, done), faulty(0),
			fault.AnswerUnreadable},
		"completion": {"/v1/completions", `{"model":"m/llama","prompt":"hi"}`,
			says(`{"choices":[{"text":"","finish_reason":"stop"}]}`), whole, ""},
		"vector":         {"/v1/embeddings", embedBody, says(vector(t, "llamacpp/embed.json")), whole, ""},
		"encoded vector": {"/v1/embeddings", embedBody, says(`{"data":[{"embedding":"AACAPw=="}]}`), whole, ""},
		"two vectors": {"/v1/embeddings", `{"model":"m/e","input":["a","b"]}`,
			says(`{"data":[{"embedding":[1]},{"embedding":[2]}]}`), whole, ""},
		"one vector of two": {"/v1/embeddings", `{"model":"m/e","input":["a","b"]}`,
			says(`{"data":[{"embedding":[1]}]}`), faulty(0), fault.AnswerUnreadable},
		"one vector of tokens": {"/v1/embeddings", `{"model":"m/e","input":[1,2,3]}`,
			says(`{"data":[{"embedding":[1]}]}`), whole, ""},
		"no vector": {"/v1/embeddings", embedBody, says(`{"object":"list","data":[]}`), faulty(0),
			fault.AnswerUnreadable},
		"an empty vector": {"/v1/embeddings", embedBody, says(`{"data":[{"embedding":[]}]}`), faulty(0),
			fault.AnswerUnreadable},
		"words": {"/v1/embeddings", embedBody, says(chatAnswer), faulty(0), fault.AnswerUnreadable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := start(t, nil).serve()
			n.broker.answer = row.answer
			got := n.delivered()
			n.post(row.path, row.body)
			if d := <-got; d != row.want {
				t.Errorf("%+v, want %+v", d, row.want)
			}
			if f := n.figures.only(t); f.Code != row.code {
				t.Errorf("code %q, want %q", f.Code, row.code)
			}
		})
	}
}

// TestRecordedStreamsAreWork: what servers really send is work, but for errors.
func TestRecordedStreamsAreWork(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob(vectors + "/streams/*.sse")
	if err != nil || len(paths) < 10 {
		t.Fatalf("%d streams, %v", len(paths), err)
	}
	for _, path := range paths {
		name := filepath.Base(path)
		stream := vector(t, "streams/"+name)
		want := inference.Complete
		if strings.Contains(name, "error") {
			want = inference.Faulty
		}
		// Orchestrators of the network leave DONE out.
		for _, s := range []string{stream, strings.ReplaceAll(stream, done, "")} {
			n := start(t, nil)
			n.broker.answer = streams(io.EOF, s)
			got := n.delivered()
			n.local(http.MethodPost, "http://127.0.0.1/llm", streamBody)
			if d := <-got; d.How != want {
				t.Errorf("%s: %+v", name, d)
			}
		}
	}
}

// TestMediaDeliveries: what counts as work of the pipelines that make or read media.
func TestMediaDeliveries(t *testing.T) {
	t.Parallel()
	pic := picture(t)
	image := func(b []byte) string { return `{"images":[{"url":"` + dataURL(b) + `"}]}` }
	wav := func(s string) string { return `{"audio":{"url":"` + dataURL([]byte(s)) + `"}}` }
	const speech = `{"text":"hello","model_id":"m"}`
	whole, faulty := inference.Delivery{How: inference.Complete}, inference.Delivery{How: inference.Faulty}
	for name, row := range map[string]struct {
		path, body, answer string
		want               inference.Delivery
	}{
		"picture":         {"/text-to-image", imageBody, image(pic), whole},
		"half an image":   {"/text-to-image", imageBody, image(pic[:len(pic)/2]), faulty},
		"a changed bit":   {"/text-to-image", imageBody, image(changed(pic)), faulty},
		"a page":          {"/text-to-image", imageBody, image([]byte("<html>")), faulty},
		"nothing":         {"/text-to-image", imageBody, `{"images":[]}`, faulty},
		"no address":      {"/text-to-image", imageBody, images("https://elsewhere/1.png", 1), faulty},
		"a sound instead": {"/text-to-image", imageBody, image([]byte(sound)), faulty},
		"one of four": {"/text-to-image", `{"prompt":"x","num_images_per_prompt":4}`, image(pic),
			inference.Delivery{How: inference.Partial, Units: 512 * 512}},
		"OpenAI's":        {"/v1/images/generations", `{"prompt":"x","response_format":"b64_json"}`, image(pic), whole},
		"OpenAI's, none":  {"/v1/images/generations", `{"prompt":"x"}`, image(nil), faulty},
		"sound":           {"/text-to-speech", speech, wav(sound), whole},
		"MP3":             {"/text-to-speech", speech, wav("\xff\xfb\x90\x44\x00\x00"), whole},
		"without samples": {"/text-to-speech", speech, wav(sound[:44]), faulty},
		"no sound":        {"/text-to-speech", speech, wav("hello"), faulty},
		"OpenAI's speech": {"/v1/audio/speech", `{"model":"m","input":"hi"}`, wav("hello"), faulty},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := start(t, func(o *aiapi.Options) { o.Fetcher = fetchedFiles{} }).serve()
			n.broker.answer = says(row.answer)
			got := n.delivered()
			n.post(row.path, row.body)
			if d := <-got; d != row.want {
				t.Errorf("%+v, want %+v", d, row.want)
			}
		})
	}
}

func changed(b []byte) []byte {
	b = append([]byte(nil), b...)
	b[len(b)-20] ^= 1
	return b
}

// TestReadMediaDeliveries: the same for those that are sent an image or a sound.
func TestReadMediaDeliveries(t *testing.T) {
	t.Parallel()
	file := string(picture(t))
	for name, row := range map[string]struct {
		path, part, answer string
		want               inference.Ending
	}{
		"text of an image": {"/image-to-text", "@image", `{"text":"a cat"}`, inference.Complete},
		"no text":          {"/image-to-text", "@image", `{"texts":"a cat"}`, inference.Faulty},
		"masks": {"/segment-anything-2", "@image", `{"masks":"[[1]]","scores":"[1]","logits":"[]"}`,
			inference.Complete},
		"no masks":          {"/segment-anything-2", "@image", `{}`, inference.Faulty},
		"silence":           {"/audio-to-text", "@audio", `{"text":"","chunks":[]}`, inference.Complete},
		"an error":          {"/audio-to-text", "@audio", `{"text":"","error":"x"}`, inference.Faulty},
		"OpenAI's":          {"/v1/audio/transcriptions", "@file", `{"text":"hi","chunks":[]}`, inference.Complete},
		"OpenAI's, no text": {"/v1/audio/transcriptions", "@file", `{"chunks":[]}`, inference.Faulty},
		"OpenAI's, half":    {"/v1/audio/transcriptions", "@file", `{"text":"hi`, inference.Faulty},
		"frames": {"/image-to-video", "@image", `{"frames":[[{"url":"` + dataURL(picture(t)) + `"}]]}`,
			inference.Complete},
		"video": {"/image-to-video", "@image", `{"images":[{"url":"` + dataURL([]byte(video)) + `"}]}`,
			inference.Complete},
		"a video's beginning": {"/image-to-video", "@image", `{"images":[{"url":"` + dataURL([]byte(video[:30])) + `"}]}`,
			inference.Faulty},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := start(t, func(o *aiapi.Options) { o.Media = seconds(3) }).serve()
			n.broker.answer = says(row.answer)
			got := n.delivered()
			contentType, body := upload(t, row.part, file)
			g := n.post(row.path, body, "Content-Type", contentType)
			if d := <-got; d.How != row.want {
				t.Errorf("%+v, want %v (%d %s)", d, row.want, g.status, g.body)
			}
		})
	}
}

// TestDeliveriesForClientsThatLeave: what came until then is work, the rest is no fault of
// the orchestrator's. A refusal by the runner is an answer.
func TestDeliveriesForClientsThatLeave(t *testing.T) {
	t.Parallel()
	n := start(t, nil).serve()
	n.broker.answer = func(ctx context.Context, _ *inference.Job) (*broker.Answer, error) {
		return reply("text/event-stream", &held{ctx, event1 + event2}), nil
	}
	got := n.delivered()
	ctx, cancel := context.WithCancel(t.Context())
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	resp, err := transport.RoundTrip(n.request(http.MethodPost, "/llm", streamBody).WithContext(ctx))
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.ReadFull(resp.Body, make([]byte, len(event1+event2)))
	cancel()
	resp.Body.Close()
	if d := <-got; d != (inference.Delivery{How: inference.ClientLeft, Units: 2}) {
		t.Errorf("%+v", d)
	}
	n.broker.answer = func(context.Context, *inference.Job) (*broker.Answer, error) {
		a := reply("application/json", &pieces{parts: []string{`{"detail":{"msg":"no"}}`}, err: io.EOF})
		a.Status = http.StatusBadRequest
		return a, nil
	}
	got = n.delivered()
	n.post("/llm", chatBody)
	if d := <-got; d.How != inference.Refused {
		t.Errorf("a refusal: %+v", d)
	}
}
