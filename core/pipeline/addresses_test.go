package pipeline_test

import (
	"bytes"
	"errors"
	"mime/multipart"
	"slices"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/pipeline"
)

func addresses(id capability.ID, contentType string, body []byte) (out []string, err error) {
	err = pipeline.Addresses(id, contentType, body, func(a string) error {
		out = append(out, a)
		return nil
	})
	return out, err
}

func TestAddressesInARequest(t *testing.T) {
	t.Parallel()
	base64 := "iVBORw0KGgo" + strings.Repeat("A", 100)
	mp4 := "AAAAIGZ0eXBpc29t" + strings.Repeat("A", 100)
	for body, want := range map[string][]string{
		`{"a":"http://x","text":"http://x","content":"file:///x"}`:                     nil,
		`{"url":"http://x","b":{"c":[{"imageURL":["1",{"uri":"2"}]}]}}`:                {"http://x", "1", "2"},
		`{"image_url":{"url":"DATA:x"},"image-url":"data:y","$ref":"#/a"}`:             nil,
		`{"$ref":"http://x","$schema":"http://x","$id":"http://x"}`:                    {"http://x"},
		`{"\u0075rl":"\u0068ttp:\/\/x","url":" data:x"}`:                               {"http://x", " data:x"},
		`{"image":"` + base64 + `","images":["` + base64 + `"],"video":"` + mp4 + `"}`: nil,
		`{"image":"/etc/passwd","video":["x.mp4"],"file":{"file_data":"QQ"}}`:          {"/etc/passwd", "x.mp4"},
		`{"image":"` + strings.Repeat("/", 96) + `etc/passwd"}`: {strings.Repeat("/", 96) +
			"etc/passwd"},
		`{"metadata":{"url":"z","a":[{"b":{"href":"y"}}]},"a":{"metadata":{"url":"1"}},"url":"2"}`:          {"1", "2"},
		`{"Metadata":{"url":"1"},"meta_data":{"url":"2"},"arguments":{"url":"3"}}`:                          {"1", "2", "3"},
		`{"messages":[{"tool_calls":[{"function":{"arguments":{"url":"x","b":{"href":"y"}},"url":"1"}}]}]}`: {"1"},
		`{"messages":[{"tool_calls":[{"arguments":{"url":"1"},"function":[{"arguments":{"url":"2"}}]}],` +
			`"arguments":{"url":"3"},"metadata":{"url":"4"},"function":{"arguments":{"url":"5"}}}]}`: {"1", "2", "3", "4", "5"},
		`{"messages":{"tool_calls":[{"function":{"arguments":{"url":"1"}}}]}}`:       {"1"},
		`{"audio":{"voice":"alloy","format":"wav"},"url":"","file":null,"src":1}`:    nil,
		`{"URL\u017f":"http://x","` + strings.Repeat("x", 100) + `_url":"http://y"}`: {"http://x", "http://y"},
		// In a part of a chat, texts apart, an address is one whatever its field is called.
		`{"messages":[{"content":[{"type":"file","file":{"file_data":"http://x","filename":"http://n"}},` +
			`{"type":"image","base64":"\u0068ttp:\/\/y"},{"input_audio":{"data":"FILE:/z"}},{"a":[{"b":["gopher://w"]}]},` +
			`{"content":[{"c":"http://v"}]},` +
			`{"type":"text","text":"http://t","file":{"file_data":"data:,x"},"data":"QQ:/","b":"a b://c"}]}]}`: {"http://x",
			"http://y", "FILE:/z", "gopher://w", "http://v"},
		`{"messages":[{"content":[{"text":["http://t"]},{"content":[{"text":"http://t"}]},` +
			`{"content":"http://t"}],"a":{"data":"http://a"}}],` +
			`"tools":[{"data":"http://a"}]}`: nil,
		`{"url":"http://x","url":"http://y"}`: {"http://x", "http://y"},
	} {
		got, err := addresses(capability.LLM, "", []byte(body))
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v, want %q", body, got, err, want)
		}
	}
	for body, want := range map[string]bool{
		// Paths that begin as sounds do, and go on to other places.
		`{"image":"//usr` + strings.Repeat("/", 40) + `../../etc/passwd"}`:            true,
		`{"image":"//var/run` + strings.Repeat("/", 4000) + `../secrets"}`:            true,
		`{"audio":"` + strings.Repeat(`\u002f`, 4000) + `etc/passwd"}`:                true,
		`{"audio":"\/\/srv` + strings.Repeat(`\u002f`, 4000) + `etc/passwd"}`:         true,
		`{"mask_image":"/etc/passwd"}`:                                                true,
		`{"referenceAudio":["/etc/passwd"]}`:                                          true,
		`{"num_images":"2"}`:                                                          false,
		`{"audio":"//NExAAAAANIAAAAA` + strings.Repeat("Vq", 4000) + `"}`:             false,
		`{"audio":"//uQxAAAAANIAAAAA` + strings.Repeat("/q", 4000) + `"}`:             false,
		`{"image":"\/9j\/4AAQSkZJRgABAQ` + strings.Repeat(`\/q`, 400) + `"}`:          false,
		`{"image":"\/9j\/4AAQSkZJRgABAQAAAAAAAAAA\/` + strings.Repeat("q", 40) + `"}`: false,
	} {
		if got, err := addresses(capability.LLM, "", []byte(body)); err != nil || len(got) > 0 != want {
			t.Errorf("%.60s: %.60q, %v", body, got, err)
		}
	}
	long := `{"url":"http://` + strings.Repeat("a", 100<<10) + `"}`
	if got, err := addresses(capability.LLM, "", []byte(long)); err != nil || len(got) != 1 || len(got[0]) > 20<<10 {
		t.Errorf("a long address: %d, %v", len(got), err)
	}
	many := `{"urls":[` + strings.Repeat(`"http://x",`, 1000) + `""]}`
	if got, err := addresses(capability.LLM, "", []byte(many)); err == nil || len(got) > 100 {
		t.Errorf("many addresses: %d, %v", len(got), err)
	}
	stop := errors.New("stop")
	err := pipeline.Addresses(capability.LLM, "", []byte(`{"url":"x"}`), func(string) error { return stop })
	if !errors.Is(err, stop) {
		t.Error(err)
	}
	for _, broken := range []string{``, `{`, `{"url":"x"} {}`, strings.Repeat("[", 1000)} {
		if _, err := addresses(capability.LLM, "", []byte(broken)); err == nil {
			t.Errorf("%.20s is walked", broken)
		}
	}
}

// Images are the image_url of parts of a chat's messages, and nothing else.
func TestPicturesInARequest(t *testing.T) {
	t.Parallel()
	located := func(id capability.ID, body string) (out []string) {
		err := pipeline.LocateAddresses(id, "", []byte(body), func(a *pipeline.Address) error {
			if a.Image {
				out = append(out, a.Text+" "+body[a.From:a.To])
			}
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", body, err)
		}
		return out
	}
	chat := func(part string) string { return `{"messages": [{"role":"user","content":[` + part + `]}]}` }
	for part, want := range map[string][]string{
		`{"image_url":{"url":"http://x"}}`:                       {`http://x "http://x"`},
		`{"image_url" : "http://x"},{"image_url":"http://y"}`:    {`http://x "http://x"`, `http://y "http://y"`},
		`{"\u0069mage_url":{"url": "http:\/\/x\u0061" }}`:        {`http://xa "http:\/\/x\u0061"`},
		`{"image_url":{"url":"data:x","url":"http://x"}}`:        {`http://x "http://x"`},
		`{"image_url":{"url":{"url":"http://x"},"uri":"b"}}`:     nil,
		`{"image_url":["http://x"]},[{"image_url":"http://x"}]`:  nil,
		`{"imageUrl":"http://x","video_url":{"url":"http://x"}}`: nil,
		`{"type":{"image_url":"http://x"},"url":"http://x"}`:     nil,
	} {
		if got := located(capability.LLM, chat(part)); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", part, got, want)
		}
	}
	for _, body := range []string{
		`{"image_url":"http://x","messages":{"content":[{"image_url":"http://x"}]}}`,
		`{"messages":[{"content":{"image_url":"http://x"},"image_url":"http://x","tool":[{"image_url":"http://x"}]}]}`,
		`[{"messages":[{"content":[{"image_url":"http://x"}]}]}]`, `{"a":` + chat(`{"image_url":"http://x"}`) + `}`,
	} {
		if got := located(capability.LLM, body); got != nil {
			t.Errorf("%s: %q", body, got)
		}
	}
	if got := located(capability.TextToImage, chat(`{"image_url":"http://x"}`)); got != nil {
		t.Errorf("another pipeline: %q", got)
	}
}

func TestAddressesInAForm(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part, err := w.CreateFormFile("image", "a.png")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = part.Write([]byte("http://file"))
	for name, value := range map[string]string{"mask_image": "\x89PNG\r\n\x1a\n", "file_url": "http://127.0.0.1"} {
		part, err := w.CreateFormFile(name, "x")
		if err != nil {
			t.Fatal(err)
		}
		_, _ = part.Write([]byte(value))
	}
	fields := map[string]string{"prompt": "http://prompt", "image_url": "http://x", "mask_url": "data:x",
		"metadata": `{"duration":"3"}`}
	for name, value := range fields {
		if err := w.WriteField(name, value); err != nil {
			t.Fatal(err)
		}
	}
	_ = w.Close()
	got, err := addresses(capability.ImageToImage, w.FormDataContentType(), b.Bytes())
	if err != nil || !slices.Equal(got, []string{"http://127.0.0.1", "http://x"}) {
		t.Errorf("%q, %v", got, err)
	}
}

// The walk costs little besides reading the request itself.
func BenchmarkAddresses(b *testing.B) {
	body := []byte(`{"model":"m","messages":[` +
		strings.Repeat(`{"role":"user","content":"some text of a usual length, as people write it"},`, 1000) +
		`{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,` +
		strings.Repeat("A", 1<<20) + `"}}]}]}`)
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if err := pipeline.Addresses(capability.LLM, "", body, func(string) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
