package chatface_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/tuttinode/tutti/server/gateway/chatface"
)

const event = `{"id":"a","choices":[{"index":0,"delta":{"content": %s},"finish_reason":null}]}`

// learned has learned an event with the text "one".
func learned(format string) *chatface.Repeat {
	r := new(chatface.Repeat)
	r.Learn(fmt.Appendf(nil, format, `"one"`), chatface.Text(`"one"`))
	return r
}

func TestRepeat(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{`"two"`: true, `" zwölf "`: true, `"{}"`: true,
		`""`: false, `"a\nb"`: false, `"a"b"`: false, "\"a\nb\"": false, `null`: false, `"a`: false, `5`: false} {
		got, ok := learned(event).Text(fmt.Appendf(nil, event, text))
		if ok != want || ok && string(got) != text {
			t.Errorf("%s is %s %v", text, got, ok)
		}
	}
	for name, data := range map[string]string{
		"another ID":     `{"id":"b","choices":[{"index":0,"delta":{"content": "two"},"finish_reason":null}]}`,
		"the end":        `{"id":"a","choices":[{"index":0,"delta":{"content": "two"},"finish_reason":"stop"}]}`,
		"another value":  `{"id":"a","choices":[{"index":0,"delta":{"content": "two"},"finish_reason":true}]}`,
		"another member": `{"id":"a","choices":[{"index":0,"delta":{"content": "two","refusal":"x"},"finish_reason":null}]}`,
		"shorter":        `{"id":"a","choices":[{"index":0,"delta":{"content": "`,
	} {
		if got, ok := learned(event).Text([]byte(data)); ok {
			t.Errorf("%s is %s", name, got)
		}
	}
	if _, ok := new(chatface.Repeat).Text([]byte(`"two"`)); ok {
		t.Error("what was not learned is recognized")
	}
	if _, ok := learned(`{"other":{"content":"one"},"choices":[{"delta":{"content":%s}}]}`).Text(
		[]byte(`{"other":{"content":"two"},"choices":[{"delta":{"content":"one"}}]}`)); ok {
		t.Error("another member's text is taken for the delta's")
	}
}

// What is recognized is what reading it says.
func FuzzRepeat(f *testing.F) {
	f.Add([]byte(`{"choices":[{"delta":{"content":"one"}}]}`), []byte(`{"choices":[{"delta":{"content":"two"}}]}`))
	f.Add([]byte(`{"choices":[{"delta":{"content":"a"}}],"x":{"content":1}}`),
		[]byte(`{"choices":[{"delta":{"content":"b"}}]}`))
	f.Fuzz(func(t *testing.T, one, two []byte) {
		var first, second chatface.ChatChunk
		if json.Unmarshal(one, &first) != nil || len(first.Choices) == 0 {
			return
		}
		var r chatface.Repeat
		r.Learn(one, first.Choices[0].Delta.Content)
		got, ok := r.Text(two)
		if !ok {
			return
		}
		if err := json.Unmarshal(two, &second); err != nil || len(second.Choices) == 0 ||
			string(second.Choices[0].Delta.Content) != string(got) {
			t.Errorf("%v: %q is %q", err, two, got)
		}
	})
}
